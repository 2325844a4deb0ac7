"""A fault in words: which turn, which cards, which rule, and what was allowed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simcore.foundation.jit import records
from simcore.game import plays as play_kernels
from simcore.game.cards import card_names
from simcore.game.groups import PLAY
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import RuleSet
from simcore.game.turns import STATE
from simcore.records import faults as F
from simcore.records.masks import masks_of
from simcore.records.record import Hand, Record, printable
from simcore.records.referee_kernels import TABLE, follow, take_seats
from simcore.rulebook import explain_beats
from simcore.simulation.setup import largest_hand

if TYPE_CHECKING:
    import pandas as pd

LISTED = 6  # allowed plays that a sentence names
# the rule that a fault breaks: the key of a rule file, where there is one
RULES = {
    F.CARD_DEALT_TWICE: "one deck",
    F.CARDS_DEALT: "deal",
    F.WRONG_STARTER: "opening.card",
    F.AFTER_THE_END: "end",
    F.WRONG_SEAT: "turn order",
    F.LOCKED_OUT: "passing.locks_on",
    F.CARD_TWICE: "one deck",
    F.PLAYED_BEFORE: "one deck",
    F.NOT_HELD: "own cards",
    F.HELD_BY_ANOTHER: "own cards",
    F.MORE_THAN_HELD: "own cards",
    F.NO_COMBINATION: "kinds.allowed",
    F.NOT_FRESH: "dragon",
    F.DOES_NOT_BEAT: "beats",
    F.OPENING_CARD: "opening.must_include",
    F.LAST_CARD: "last_card.highest_single",
    F.PASS_ON_LEAD: "lead",
    F.PASS_THOUGH_ABLE: "last_card.no_pass",
    F.ENDED_EARLY: "end",
    F.PAYOFFS: "payoff",
}


@dataclass(frozen=True)
class Finding:
    """A faulty record, and where: turn and payoffs as the kernels have them."""

    record: Record
    rules: RuleSet
    fault: int
    turn: int
    written: bool
    payoffs: tuple[float, ...]


def fault_frame(found: Iterable[tuple[int, Finding]]) -> "pd.DataFrame":
    """One row for each (number of the record, what is wrong with it)."""
    import pandas as pd

    rows = [{"record": number, **_row(finding)} for number, finding in found]
    names = ("record", "line", "id", "turn", "seat", "cards", "fault", "rule", "allowed")
    return pd.DataFrame(rows, columns=[*names, "sentence"]).astype({"seat": "Int64"})


def _row(finding: Finding) -> dict[str, object]:
    record, fault = finding.record, finding.fault
    at = Situation(finding)
    what, allowed = at.words()
    in_a_turn = F.AFTER_THE_END <= fault <= F.PASS_THOUGH_ABLE
    turn = finding.turn + 1 if in_a_turn else 0 if fault < F.AFTER_THE_END else len(record.turns)
    where = f"line {record.line}"
    if record.id is not None:
        where += f" ({printable(str(record.id))})"
    if turn:
        where += f", turn {turn}"
    may = f"; allowed: {allowed}" if allowed else ""
    return {
        "line": record.line,
        "id": record.id,
        "turn": turn,
        "seat": at.seat if in_a_turn else None,
        "cards": " ".join(at.cards) if in_a_turn else None,
        "fault": F.FAULTS[fault],
        "rule": RULES[fault],
        "allowed": allowed,
        "sentence": f"{where}: {what}{may}.",
    }


class Situation:
    """A record up to its faulty turn, followed again."""

    def __init__(self, finding: Finding) -> None:
        record, rules = finding.record, finding.rules
        self.finding, self.record, self.rules = finding, record, rules
        self.mask_of = masks_of(rules.suits)
        self.rule_table = rule_table(rules)[0]
        self.state, self.table = records(STATE, 1)[0], records(TABLE, 1)[0]
        hands = [0 if hand is None else self.mask_of[hand] for hand in record.hands]
        given = [-1 if hand is None else len(hand) for hand in record.hands]
        self.hands = np.array([*hands, 0, 0][:4], np.int64)
        starter = -1 if record.starter is None else record.starter
        seats = [-1 if seat is None else seat for seat, _ in record.turns]
        take_seats(
            self.rule_table, record.players, self.hands, np.array([*given, -1, -1][:4], np.int64),
            starter, seats[0] if seats else -1, record.first_hand, self.state, self.table,
        )  # fmt: skip
        self.cards: Hand = ()
        self.seat = int(self.state.seat)
        if finding.fault < F.AFTER_THE_END:
            return
        before = record.turns[: finding.turn]
        follow(
            self.rule_table, record.players, self.hands,
            np.array(seats[: len(before)], np.int64),
            np.array([self.mask_of[turn.cards] for turn in before], np.int64),
            np.array([len(turn.cards) for turn in before], np.int64),
            finding.written, self.state, self.table,
        )  # fmt: skip
        self.seat = int(self.state.seat)
        if finding.turn < len(record.turns):
            seat, self.cards = record.turns[finding.turn]
            if seat is not None:
                self.seat = seat
            elif finding.written:  # locked-out seats take their turns
                self.seat = int(self.state.starter)
                for seat in seats[: finding.turn]:
                    self.seat = ((self.seat if seat < 0 else seat) + 1) % record.players

    def words(self) -> tuple[str, str]:
        """(what is wrong, what was allowed)."""
        state, fault = self.state, self.finding.fault
        whose, who = int(state.seat), self._name(self.seat)
        cards = " ".join(self.cards)
        does = f"{who} plays {cards}" if cards else f"{who} passes"
        allowed = self._allowed()
        match fault:
            case F.CARD_DEALT_TWICE | F.CARDS_DEALT | F.WRONG_STARTER:
                return self._deal_words(), ""
            case F.AFTER_THE_END:
                return f"{does}, but {self._name(whose)} has gone out", "nothing"
            case F.WRONG_SEAT:
                turn = "leads" if not state.standing else "is next"
                return f"{does}, but {self._name(whose)} {turn}", allowed
            case F.LOCKED_OUT:
                return (
                    f"{does}, but has passed and is locked out of this trick; "
                    f"{self._name(whose)} is next",
                    allowed,
                )
            case F.CARD_TWICE:
                return f"{does}: a card twice", allowed
            case F.PLAYED_BEFORE:
                gone = self._notation(self._mask() & int(state.seen))
                return f"{does}, but {gone} has been played before", allowed
            case F.NOT_HELD:
                missing = self._notation(self._mask() & ~int(self.hands[self.seat]))
                return f"{does}, but does not hold {missing}", allowed
            case F.HELD_BY_ANOTHER:
                others = self._notation(self._mask() & int(self.table.dealt))
                return f"{does}, but {others} was dealt to another seat", allowed
            case F.MORE_THAN_HELD:
                left = int(self.hands[self.seat]).bit_count()
                return f"{does}, but has {left} card{'s' * (left != 1)} left", allowed
            case F.NO_COMBINATION:
                return f"{does}, which is no combination in {self.rules.name}", allowed
            case F.NOT_FRESH:
                return f"{does}: a dragon is the whole hand, before anything is played", allowed
            case F.DOES_NOT_BEAT:
                standing = self._notation(int(state.standing))
                why = explain_beats(self.rules, self.cards, standing)[1].rstrip(".")
                return f"{does}, which does not beat {standing}: {why[0].lower()}{why[1:]}", allowed
            case F.OPENING_CARD:
                opening = self._notation(int(state.required))
                must = f"be {opening} alone" if self.rules.opening_alone else f"contain {opening}"
                return f"{does}, but the first play must {must}", allowed
            case F.LAST_CARD:
                after = self._name((self.seat + 1) % self.record.players)
                return (
                    f"{does}, but {after} has one card left: a single must be one's highest",
                    allowed,
                )
            case F.PASS_ON_LEAD:
                return f"{does}, but leads: whoever leads must play", allowed
            case F.PASS_THOUGH_ABLE:
                after = self._name((self.seat + 1) % self.record.players)
                told = f"{after} has one card left, and {self._notation(int(state.standing))}"
                return f"{does}, but {told} can be beaten", allowed
            case F.ENDED_EARLY:
                return f"the record ends, and nobody has gone out; {self._name(whose)} is next", ""
            case _:
                said = ", ".join(f"{x:g}" for x in self.record.payoffs or ())
                due = ", ".join(f"{x:g}" for x in self.finding.payoffs)
                settled = int(self.table.known).bit_count() == self.record.players
                if settled or not self.rule_table.leftovers:
                    return f"payoffs {said}; by the rules they are {due}", ""
                return f"payoffs {said} do not agree with the cards that are known", ""

    def _deal_words(self) -> str:
        """A fault of the deal."""
        record, rules = self.record, self.rules
        if self.finding.fault == F.CARD_DEALT_TWICE:
            dealt = [card for hand in record.hands if hand for card in hand]
            twice = sorted({card for card in dealt if dealt.count(card) > 1})
            return f"{' '.join(twice)} {'is' if len(twice) == 1 else 'are'} dealt more than once"
        if self.finding.fault == F.CARDS_DEALT:
            sizes = ", ".join("?" if hand is None else str(len(hand)) for hand in record.hands)
            each = rules.deal or 52 // record.players
            over = 0 if rules.deal else 52 - each * record.players
            more = f", {each + over} with {rules.opening_card}" if over else ""
            return f"hands of {sizes} cards; {rules.name} deals {each} to each{more}"
        first = self._name(int(self.state.starter))
        if record.starter is not None and record.starter != self.state.starter:
            who = self._name(record.starter)
            return f"{who} is said to start, but {first} holds the opening card and starts"
        return f"{first} starts without the opening card {rules.opening_card}"

    def _mask(self) -> int:
        return self.mask_of[self.cards]

    def _notation(self, mask: int) -> str:
        return " ".join(card_names(mask, self.rules.suits))

    def _name(self, seat: int) -> str:
        names = self.record.names
        name = names[seat] if names else None
        return f"seat {seat}" if name is None else f"seat {seat} ({printable(name)})"

    def _allowed(self) -> str:
        """What the seat whose turn it is may do."""
        state, table = self.state, self.table
        seat = int(state.seat)
        hand = int(self.hands[seat])
        if not hand or not table.known >> seat & 1:
            if state.standing:
                return f"what beats {self._notation(int(state.standing))}, or pass"
            required = self._notation(int(state.required))
            if required and self.rules.opening_alone:
                return required
            return f"a play with {required}" if required else "any play"
        players = self.record.players
        buffer = records(PLAY, play_kernels.buffer_size(largest_hand(self.rules, players)))
        next_left = int(self.hands[(seat + 1) % players]).bit_count()
        n = play_kernels.legal_plays(
            self.rule_table, hand, state.kind, state.strength, state.required, next_left,
            not state.played >> seat & 1, buffer,
        )  # fmt: skip
        plays = [self._notation(int(play.mask)) for play in buffer[:n] if play.mask]
        if not plays:
            return "pass"
        or_pass = " or pass" if n > len(plays) else ""
        more = f" … ({len(plays)} plays)" if len(plays) > LISTED else ""
        return f"{', '.join(plays[:LISTED])}{more}{or_pass}"
