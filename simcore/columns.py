"""Every column of a run's playouts, once: name, type, unit, meaning.

From this list come the rows of the kernels' blocks, the Parquet schema and what it says of itself,
the tidy frame, what analyses may ask for, and results/README.md. A new column stands at the end of
its group, with `since` one above the last format; runs that were begun before go on without it.
"""

from collections import namedtuple
from collections.abc import Collection, Iterator
from dataclasses import dataclass

MAX_SEATS = 4


@dataclass(frozen=True)
class Column:
    """One column, or one for each seat, named name_0, name_1, …"""

    name: str
    type: str  # int8, int16, int32, int64, bool, or kind: an int8 that stands for a name of KINDS
    unit: str
    meaning: str  # of a column per seat: what it says of "that seat"
    per_seat: bool = False
    where: str = ""  # only in runs whose rules have this, see `needed`
    since: int = 1  # the first format of runs that has it

    @property
    def block(self) -> int:
        """Bits of its block: 8, 16 or 32; 64 is the deal's index."""
        return {"kind": 8, "bool": 8}.get(self.type) or int(self.type.removeprefix("int"))

    def names(self, players: int) -> list[str]:
        """The stored columns that it stands for."""
        return [f"{self.name}_{seat}" for seat in range(players)] if self.per_seat else [self.name]


COLUMNS = [
    Column("deal", "int64", "index", "address of the deal under the run's seed"),
    Column(
        "seating", "int8", "index",
        "k-th permutation p of the slots, in lexicographic order; slot p[seat] sits at seat",
    ),
    Column("starter", "int8", "seat", "seat that led the first trick"),
    Column("winner", "int8", "seat", "seat that played its last card"),
    Column("plays", "int16", "plays", "plays made by all seats"),
    Column("passes", "int16", "passes", "passes of all seats; locked-out ones make none"),
    Column("tricks", "int16", "tricks", "tricks led"),
    Column("last_kind", "kind", "kind", "kind of the winning play"),
    Column(
        "winner_multiplier", "int32", "factor",
        "multiplier that the winner's last play set for every loser",
    ),
    Column(
        "payer", "int8", "seat", "seat that pays for all by the last-card rule, -1: nobody does",
        where="payer", since=3,
    ),
    Column("cards_left", "int8", "cards", "cards left in the hand of that seat", per_seat=True),
    Column(
        "payoff", "int32", "points", "zero-sum result of that seat, stake included", per_seat=True
    ),
    Column(
        "twos_left", "int8", "cards", "2s left in the hand of that seat",
        per_seat=True, where="leftovers",
    ),
    Column(
        "monster_left", "bool", "yes/no", "that seat was left with a Monster",
        per_seat=True, where="leftovers",
    ),
]  # fmt: skip
# Of the rows of `turns/`, one for each turn; beside playouts, and no part of a run's identity.
TURN_COLUMNS = [
    Column("deal", "int64", "index", "address of the deal under the run's seed"),
    Column("seating", "int8", "index", "the seating, as in the playouts"),
    Column("turn", "int16", "turns", "turns taken before, passes included"),
    Column("trick", "int16", "index", "number of the trick, from 1"),
    Column("seat", "int8", "seat", "whose turn it is"),
    Column("slot", "int8", "slot", "the slot that sits there"),
    Column("hand", "int64", "mask", "its hand before the turn: bit rank * 4 + suit for each card"),
    Column("to_beat", "int64", "mask", "the standing play; 0: it leads"),
    Column("to_beat_kind", "kind", "kind", "kind of the standing play; pass: it leads"),
    Column("to_beat_strength", "int32", "strength", "its order within the kind"),
    Column("to_beat_by", "int8", "seat", "the seat that made it; -1: it leads"),
    Column("play", "int64", "mask", "the cards played; 0: it passes"),
    Column("kind", "kind", "kind", "kind of the play"),
    Column("strength", "int32", "strength", "its order within the kind"),
    Column("legal_plays", "int16", "plays", "legal plays, the pass included where it is allowed"),
    Column("passed", "int8", "bit set", "bit k: seat k has passed since the standing play"),
    Column("locked", "int8", "bit set", "bit k: seat k is locked out of this trick"),
    Column(
        "drawn", "int64", "words", "random words of its slot's stream used before the turn"
    ),
    Column(
        "cards_left", "int8", "cards", "cards in the hand of that seat before the turn",
        per_seat=True,
    ),
    Column("payoff", "int32", "points", "result of the seat at the end, stake included"),
]  # fmt: skip
PER_PLAYOUT = tuple(c.name for c in COLUMNS if not c.per_seat)
PER_SEAT = tuple(c.name for c in COLUMNS if c.per_seat)
# Of the runs that are begun now. 1: version 0.1.0; 2: fields say their unit and meaning.
FORMAT = max(2, *(c.since for c in COLUMNS))


def columns(needed: Collection[str], form: int = FORMAT) -> list[Column]:
    """The columns of a run of a format.

    needed: which of those are there that not every rule set has: "leftovers" where the payoff looks
    at 2s and Monsters left, "payer" where somebody may have to pay for all.
    """
    return [c for c in COLUMNS if c.since <= form and (not c.where or c.where in needed)]


def needed_in(names: Collection[str]) -> frozenset[str]:
    """`needed` of a run with stored columns of these names."""
    return frozenset(c.where for c in COLUMNS if c.where and c.names(1)[0] in names)


def _places() -> Iterator[tuple[str, int]]:
    """(name, row within its block) of every column; one per seat has MAX_SEATS rows."""
    used: dict[int, int] = {}
    for c in COLUMNS:
        row = used.get(c.block, 0)
        yield c.name, row
        used[c.block] = row + (MAX_SEATS if c.per_seat else 1)


_Rows = namedtuple("_Rows", [c.name for c in COLUMNS])  # type: ignore[misc]
# ROW.winner: the row of `winner` in its block; ROW.payoff + seat: the row of a seat's payoff.
ROW = _Rows(**dict(_places()))


# Bits of a block -> how many rows it has.
BLOCK_ROWS = {
    bits: sum(MAX_SEATS if c.per_seat else 1 for c in COLUMNS if c.block == bits)
    for bits in (8, 16, 32)
}
