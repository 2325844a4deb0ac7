"""A strategy's question in readable objects: cards in notation, kinds by name."""

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from simcore.foundation.rng import draw_below, draw_uniform
from simcore.game.cards import card_names
from simcore.game.kinds import KINDS
from simcore.game.ruleset import RuleSet

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Play:
    """Cards put down at once, or the pass, which has no cards."""

    cards: tuple[str, ...]  # in notation, low to high
    kind: str  # "single", "pair", … or "pass"
    strength: int  # orders the plays of one kind

    def __bool__(self) -> bool:
        """False for the pass."""
        return bool(self.cards)

    def __str__(self) -> str:
        return " ".join(self.cards) or "pass"


class Draws:
    """Random numbers of the stream that the engine gives this slot in this deal."""

    __slots__ = ("_stream",)

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def below(self, n: int) -> int:
        """A uniform integer in [0, n), 1 <= n < 2**32."""
        if not 1 <= n < 1 << 32:
            raise ValueError(f"below({n}) is out of bounds: 1 to 4294967295")
        return int(draw_below(self._stream, n))

    def uniform(self) -> float:
        """A uniform float in [0, 1) with 32 random bits."""
        return float(draw_uniform(self._stream))

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, each equally likely."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Bring a list into a random order."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


@dataclass(frozen=True, slots=True)
class Position:
    """What the seat whose turn it is may know. Seats are counted from it: 1 is the next in turn."""

    hand: tuple[str, ...]  # own cards, low to high
    plays: tuple[Play, ...]  # the legal plays, weakest first; the pass, where allowed, is the last
    to_beat: Play | None  # the standing play; None: one leads
    to_beat_by: int  # who made it; 0: one leads
    cards_left: tuple[int, ...]  # [0] own, [1] of the next in turn, …
    seen: tuple[str, ...]  # all cards played so far
    passed: tuple[bool, ...]  # who passed since the last play
    locked: tuple[bool, ...]  # who is locked out of this trick
    starter: int
    first_hand: bool  # False: a later hand of a session, in which the opening card means nothing
    players: int
    fresh: bool  # one has not played yet
    required: str | None  # opening rule: the card that the play must contain
    turn: int  # turns taken so far, passes included
    trick: int  # number of the trick, from 1
    rules: RuleSet
    rng: Draws


@lru_cache(maxsize=1 << 16)
def names(mask: int, suits: str) -> tuple[str, ...]:
    """Notation of the cards of a mask, low to high."""
    return tuple(card_names(mask, suits))


@lru_cache(maxsize=1 << 16)
def play_of(mask: int, kind: int, strength: int, suits: str) -> Play:
    """A play in readable form."""
    return Play(names(mask, suits), KINDS[kind], strength)


def plays_of(plays: Any, suits: str) -> tuple[Play, ...]:
    """Records PLAY in readable form."""
    return tuple(play_of(*play, suits) for play in plays.tolist())


def position_of(view: dict[str, Any], plays: Any, rules: RuleSet, stream: Any) -> Position:
    """The readable form of the fields of a view (without its rules), its legal plays and stream."""
    suits, players = rules.suits, view["players"]
    standing = None
    if view["to_beat"]:
        strength = view["to_beat_strength"]
        standing = play_of(view["to_beat"], view["to_beat_kind"], strength, suits)
    seats = range(players)
    return Position(
        hand=names(view["hand"], suits),
        plays=plays_of(plays, suits),
        to_beat=standing,
        to_beat_by=view["to_beat_by"],
        cards_left=tuple(view["cards_left"][:players]),
        seen=names(view["seen"], suits),
        passed=tuple(bool(view["passed"] >> k & 1) for k in seats),
        locked=tuple(bool(view["locked"] >> k & 1) for k in seats),
        starter=view["starter"],
        first_hand=bool(view["first_hand"]),
        players=players,
        fresh=bool(view["fresh"]),
        required=names(view["required"], suits)[0] if view["required"] else None,
        turn=view["turn"],
        trick=view["trick"],
        rules=rules,
        rng=Draws(stream),
    )
