"""Hands of play followed turn by turn: what each decision was worth, what the dealt cards were."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simcore.blunders import Found, blunders
from simcore.evaluation import check_bounds, check_policy, judge
from simcore.game.payoffs import pay_for_all, settle
from simcore.game.ruleset import RuleSet, load_rules
from simcore.game.turns import STATE
from simcore.records import faults as F
from simcore.records.masks import masks_of
from simcore.records.record import Record
from simcore.records.referee import Judged, rules_for
from simcore.records.rules import written
from simcore.records.sentences import Finding, Situation, fault_frame
from simcore.simulation.asking import Asking, State, Turn
from simcore.simulation.setup import Setup, make_setup

ALPHA = 0.05  # the chance that a decision's best play is dropped
PLAYOUTS, NOISE = 16, 0.1  # of the dealt cards for luck; with so many random plays
SEEDS = 1 << 20  # between the seeds of two hands: every decision draws by itself


@dataclass
class Decision:
    """One turn of a seat that had a choice and whose hand is known."""

    turn: int  # index in the record's turns
    seat: int
    cards: str  # "pass" for none
    hands: tuple[int, ...]  # masks by seat; of unknown hands only the number counts
    state: State
    played: int  # mask
    plays: int  # legal ones
    blunders: Found
    best: str = ""
    cost: float = 0.0  # points, stake included, with its 95 % interval
    low: float = 0.0
    high: float = 0.0
    judged: int = 0  # samples behind the cost
    samples: int = 0
    exact: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Reviewed:
    """A record with what a review says of it."""

    number: int  # in the file, from 0
    record: Record
    rules: RuleSet
    names: list[str]  # by seat
    reviewed: list[int]  # seats whose hand is known
    turns: list[Decision]
    payoffs: tuple[float, ...] | None  # None: not known
    luck: list[float] | None  # by seat; None: not all hands are known
    fault: str  # the first one, "": none

    def with_values(self) -> Record:
        """The record with the values of its plays, and the rules where it named none."""
        values: list[Mapping[str, Any] | None] = [None] * len(self.record.turns)
        for turn in self.turns:
            values[turn.turn] = turn.values
        rules = self.record.rules or written(self.rules)
        return replace(self.record, values=tuple(values), rules=rules)


class Reviewer:
    """Reviews records, `strategy` playing on. Raises InputError for what cannot be."""

    def __init__(
        self,
        rules: str | RuleSet | None,
        strategy: str,
        half_width: float,
        samples: int,
        seed: int,
        threads: int | None,
    ) -> None:
        self.threads = (os.cpu_count() or 1) if threads is None else threads
        check_bounds(half_width, None, samples, ALPHA, self.threads)
        self.rules = None if rules is None else load_rules(rules)
        self.strategy, self.half_width, self.samples = strategy, half_width, samples
        self.seed = seed
        self._asking: dict[tuple[RuleSet, int, bool], Asking] = {}

    def hand(self, number: int, record: Record) -> Reviewed:
        """Follow a record: its decisions, not yet judged, and the luck of its cards."""
        rules = rules_for(record, self.rules)
        judged = Judged([record], rules)
        fault, end = int(judged.faults[0]), int(judged.turns[0])
        whole = fault in (F.NONE, F.PAYOFFS)
        sentences = fault_frame([(number + 1, found) for _, found in judged.findings()])
        known = record.names or (None,) * record.players
        work = self._work(rules, record.players, False)
        mask_of = masks_of(rules.suits)
        turns, start = [], None
        for i in range(end):
            at = Situation(Finding(record, rules, F.ENDED_EARLY, i, bool(judged.written[0]), ()))
            state = dict(zip(STATE.names or (), at.state.item(), strict=True))
            hands = tuple(int(mask) for mask in at.hands[: record.players])
            start = start or (hands, state, int(at.table.known))
            seat = int(at.state.seat)
            if at.seat != seat or not int(at.table.known) >> seat & 1:
                continue  # the written pass of a locked-out seat, or cards nobody knows
            plays = work.show(hands, state)
            if len(plays) < 2:
                continue
            cards = record.turns[i].cards
            played = mask_of[cards]
            judged_by_rules = blunders(work, plays, played)
            name = " ".join(cards) or "pass"
            turns.append(Decision(i, seat, name, hands, state, played, len(plays), judged_by_rules))
        everybody = (1 << record.players) - 1
        all_known = start is not None and start[2] == everybody
        payoffs = record.payoffs
        if payoffs is None and whole and not judged.uncertain[0]:
            payoffs = tuple(float(x) * record.stake for x in judged.payoffs[0, : record.players])
        luck = None
        if whole and all_known and start is not None and payoffs is not None:
            luck = self._luck(number, rules, record, start[0], start[1])
        return Reviewed(
            number, record, rules, [n or f"seat {s}" for s, n in enumerate(known)],
            [s for s in range(record.players) if start and start[2] >> s & 1], turns,
            payoffs if whole else None, luck, "".join(sentences["sentence"]),
        )  # fmt: skip

    def judge(self, hand: Reviewed, place: int) -> None:
        """Fill in what one decision cost."""
        turn, stake = hand.turns[place], hand.record.stake
        seed = (self.seed + 1) * SEEDS + hand.number * 1000 + turn.turn
        base = self._work(hand.rules, hand.record.players, False).setup
        work = Asking(replace(base, seed=seed % (1 << 62)))
        plays = work.show(turn.hands, turn.state)
        played = [int(play.mask) for play in plays].index(turn.played)
        found = judge(
            work, plays, self.half_width, None, self.samples, ALPHA, self.threads, played=played
        )
        mine = next(w for w in found.plays if _mask(hand.rules, w.play.cards) == turn.played)
        turn.best, turn.exact = str(found.plays[0].play), found.exact
        turn.cost = 0.0 - mine.difference * stake
        turn.low, turn.high = (0.0 - x * stake for x in (mine.difference_high, mine.difference_low))
        turn.samples, turn.judged = found.samples, mine.samples
        turn.values = {
            str(w.play): [x * stake for x in (w.payoff, w.payoff_low, w.payoff_high)]
            for w in found.plays
        }

    def _work(self, rules: RuleSet, players: int, noisy: bool) -> Asking:
        key = rules, players, noisy
        if key not in self._asking:
            setup = make_setup(rules, self.strategy, self.seed, players, "fixed")
            check_policy(setup)
            if noisy:
                setup = _noisy(setup)
            self._asking[key] = Asking(setup)
        return self._asking[key]

    def _luck(
        self, number: int, rules: RuleSet, record: Record, hands: tuple[int, ...], state: State
    ) -> list[float]:
        """Mean payoff of each seat where the strategy plays the dealt cards at all seats."""
        players = record.players
        work = self._work(rules, players, True)
        total, payoffs = np.zeros(players), np.zeros(4, np.int64)
        turn = Turn(number, 0, tuple(range(players)), hands, state, 0)
        for i in range(PLAYOUTS):
            for slot in range(players):
                work.start_stream(slot, number * PLAYOUTS + i)
            work.play_from(turn)
            end = work._state[0]
            slam = end.played == 1 << end.starter
            settle(
                work.table, players, work._scratch[1], end.seat, end.standing, end.kind, bool(slam),
                end.played, payoffs,
            )  # fmt: skip
            pay_for_all(players, end.payer, payoffs)
            total += payoffs[:players]
        return [float(x) * record.stake for x in total / PLAYOUTS]


def _noisy(setup: Setup) -> Setup:
    return replace(setup, lineup=tuple(replace(e, noise=NOISE) for e in setup.lineup))


def _mask(rules: RuleSet, cards: Any) -> int:
    return masks_of(rules.suits)[tuple(cards)]
