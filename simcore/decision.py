"""One decision at a time: what a strategy plays in a position that somebody else describes."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from simcore.described import bounded, describe, plays_in
from simcore.errors import StrategyError
from simcore.game.ruleset import RuleSet, load_rules
from simcore.html import table
from simcore.rulebook import (
    Cards,
)
from simcore.simulation.asking import Asking
from simcore.simulation.setup import MAX_DEALS, make_setup
from simcore.simulation.watch import DECISION_LIMIT, watched
from simcore.strategies.position import Play, plays_of
from simcore.strategies.registry import Entrant

WORDS_A_TURN = 1 << 24  # random words between the streams of two turns
MAX_DRAWN = 1 << 34


@dataclass(frozen=True)
class Decision:
    """What a strategy plays: `str(decision)` is its cards, or "pass"."""

    play: Play
    plays: tuple[Play, ...]  # the legal plays, weakest first; the pass, where allowed, is the last
    drawn: int  # random words of the stream used so far

    def __str__(self) -> str:
        return str(self.play)

    def _repr_html_(self) -> str:
        return table(
            (str(play), f"{play.kind}{', played' if play == self.play else ''}")
            for play in self.plays
        )


def decide(
    rules: str | RuleSet,
    strategy: str | Entrant,
    hand: Cards,
    to_beat: Cards | None = None,
    *,
    to_beat_by: int | None = None,
    cards_left: Sequence[int] | None = None,
    seen: Cards | None = None,
    passed: Iterable[int] | None = None,
    locked: Iterable[int] | None = None,
    starter: int | None = None,
    fresh: bool | None = None,
    first_hand: bool = True,
    required: Cards | None = None,
    turn: int | None = None,
    trick: int = 1,
    players: int | None = None,
    seed: int = 0,
    deal: int = 0,
    slot: int = 0,
    drawn: int | None = None,
    decision_limit: float = DECISION_LIMIT,
) -> Decision:
    """What `strategy` plays from `hand`, in its seat's turn. Seats are counted from it: 1 is next.

    to_beat: the standing play, None to lead; to_beat_by: who made it (default: the seat before);
    cards_left: of every seat, [0] one's own (default: what `seen` leaves, evenly; without it as
    many as one's own); seen: all cards played so far, with which cards_left must add up (default:
    to_beat, and nothing is added up); passed: who passed since to_beat (default: all that sit
    between); locked: who is locked out of the trick (default: of those, where the rules lock);
    starter: default oneself, or to_beat_by if that was the first play; fresh: one has not played
    yet (default: by the size of the hand, and who started); first_hand: the opening card's holder
    started (False: a later hand of a session, where the rules have another lead it); required: card
    that the first play must contain (default: by the rules); turn: turns taken so far (default: the
    number of cards seen); trick: its number; players: default the length of cards_left, or 4.

    The strategy draws from the stream of (seed, deal, slot) behind `drawn` words: by default, a
    place of its own for each turn. To have the playout that the engine plays, begin with drawn=0
    and go on with the `drawn` of one's last decision. Raises InputError for a position that cannot
    be, StrategyError, also if there is no answer within decision_limit seconds.
    """
    rules = load_rules(rules)
    if players is None and cards_left is not None:
        players = len(cards_left)
    player = _player(rules, strategy, players, seed, decision_limit, threading.get_ident())
    return player.decide(
        hand, to_beat, to_beat_by=to_beat_by, cards_left=cards_left, seen=seen, passed=passed,
        locked=locked, starter=starter, fresh=fresh, first_hand=first_hand, required=required,
        turn=turn, trick=trick, deal=deal, slot=slot, drawn=drawn,
    )  # fmt: skip


class Player:
    """A strategy at a table of fixed size, for whoever asks it again and again.

    Rules, strategy and limits are looked at once, so that a decision of a built-in strategy takes
    tens of microseconds. One thread may use it at a time.
    """

    def __init__(
        self,
        rules: str | RuleSet,
        strategy: str | Entrant,
        players: int | None = None,
        seed: int = 0,
        decision_limit: float = DECISION_LIMIT,
    ) -> None:
        """players: table size, default 4 or what the rules allow; the others as in `decide`."""
        self.setup = make_setup(rules, [strategy], seed, players, "fixed")
        self.limit = decision_limit
        self._own = self.setup.lineup[0].strategy.own  # one of ours comes to an end by itself
        self._work = Asking(self.setup)

    def decide(
        self,
        hand: Cards,
        to_beat: Cards | None = None,
        *,
        to_beat_by: int | None = None,
        cards_left: Sequence[int] | None = None,
        seen: Cards | None = None,
        passed: Iterable[int] | None = None,
        locked: Iterable[int] | None = None,
        starter: int | None = None,
        fresh: bool | None = None,
        first_hand: bool = True,
        required: Cards | None = None,
        turn: int | None = None,
        trick: int = 1,
        deal: int = 0,
        slot: int = 0,
        drawn: int | None = None,
    ) -> Decision:
        """What it plays from `hand`; see the function `decide`."""
        work, setup = self._work, self.setup
        if not self._own:
            work.mend()
        describe(
            work, hand, to_beat, to_beat_by=to_beat_by, cards_left=cards_left, seen=seen,
            passed=passed, locked=locked, starter=starter, fresh=fresh, first_hand=first_hand,
            required=required, turn=turn, trick=trick,
        )  # fmt: skip
        bounded("deal", deal, MAX_DEALS)
        bounded("slot", slot, setup.players)
        words = int(work.view.turn) * WORDS_A_TURN if drawn is None else drawn
        work.start_stream(slot, deal, bounded("drawn", words, MAX_DRAWN))
        plays = plays_in(work)
        readable = plays_of(plays, setup.rules.suits)
        if self._own:
            index = work.ask(len(plays), slot, deal)
        else:
            try:
                index = watched(work, lambda: work.ask(len(plays), slot, deal), self.limit)
            except StrategyError:
                self._work = Asking(setup)  # one that never returns still has the buffers
                raise
        return Decision(readable[index], readable, work.drawn(slot))


@lru_cache(maxsize=64)
def _player(
    rules: RuleSet, strategy: str | Entrant, players: int | None, seed: int, limit: float,
    thread: int,
) -> Player:  # fmt: skip
    """The player of one thread that questions go to."""
    return Player(rules, strategy, players, seed, limit)
