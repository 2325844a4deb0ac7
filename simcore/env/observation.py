"""What the tables of an environment ask: one question each, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simcore.errors import InputError
from simcore.foundation.bits import FULL
from simcore.game.kinds import KINDS

CARDS = 52
_SEATS = 4


def _names(groups: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(f"{name}_{k}" for name, number in groups for k in range(number))


# What the columns of `features` and `play_features` are, in order; seats counted from oneself.
FEATURES = _names(
    [
        *(("hand", CARDS), ("unseen", CARDS), ("to_beat", CARDS), ("to_beat_kind", len(KINDS))),
        *(("to_beat_by", _SEATS), ("cards_left", _SEATS), ("passed", _SEATS), ("locked", _SEATS)),
    ]
)
PLAY_FEATURES = _names([("cards", CARDS), ("rest", CARDS), ("kind", len(KINDS))])


def cards_of(masks: Any) -> Any:
    """uint8[n, 52]: the bits of int64[n] masks, one column a card."""
    whole = np.ascontiguousarray(masks, "<i8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(whole, axis=1, bitorder="little")[:, :CARDS]


@dataclass(frozen=True)
class Observation:
    """A question at each of T tables, and what the last step brought.

    The arrays are those of the environment, which its next step overwrites: copy what you keep.
    """

    view: Any  # records [T]: the fields of simcore.strategies.interface.VIEW, without its rules
    table: Any  # records [T]: playout, deal, seating, seat and slot of the question, finished
    plays: Any  # records PLAY: the legal plays of all tables, one table behind the other
    offsets: Any  # int64[T + 1]: those of table t are plays[offsets[t]:offsets[t + 1]]
    rewards: Any  # int64[T, players]: by slot, payoffs of the playouts that ended in the last step
    players: int

    def __len__(self) -> int:
        return len(self.table)

    @property
    def finished(self) -> Any:
        """int64[T]: how many playouts ended in the last step; the table has begun anew then."""
        return self.table.finished

    @property
    def n_plays(self) -> Any:
        """int64[T]: how many legal plays, at least 2: where there is no choice, no question."""
        return np.diff(self.offsets)

    def padded(self, width: int | None = None) -> tuple[Any, Any]:
        """(records PLAY[T, width], bool[T, width]): the legal plays, and where there is one.

        width: default what the longest list of today needs. Raises InputError if it is too small.
        """
        number = self.n_plays
        most = int(number.max())
        wide = most if width is None else width
        if wide < most:
            raise InputError(
                f"width {wide} is out of bounds: a table has {most} legal plays now; give at "
                "least that, or leave it out"
            )
        there = np.arange(wide) < number[:, None]
        plays = np.zeros(there.shape, self.plays.dtype)
        plays[there] = self.plays
        return plays.view(np.recarray), there

    def best(self, values: Any) -> Any:
        """int64[T]: the index, as `step` takes it, of the play with the greatest value.

        values: one for each of `plays`; of equal ones the first. Raises InputError.
        """
        found = np.asarray(values)
        if found.shape != (len(self.plays),):
            raise InputError(
                f"values have shape {found.shape}, and there are {len(self.plays)} legal plays; "
                "give one value for each"
            )
        if not np.isfinite(found).all():
            raise InputError("a value of a play is not finite; see to where values come from")
        starts = self.offsets[:-1]
        greatest = np.repeat(np.maximum.reduceat(found, starts), self.n_plays)
        where = np.flatnonzero(found == greatest)
        tables = np.searchsorted(where, starts)
        return where[tables] - starts

    def features(self) -> Any:
        """float32[T, len(FEATURES)]: what the seats know, as numbers from 0 to 1."""
        view = self.view
        seats = np.arange(_SEATS)
        here = (seats < self.players)[None, :]
        return np.concatenate(
            [
                cards_of(view.hand),
                cards_of(FULL & ~(view.seen | view.hand)),
                cards_of(view.to_beat),
                np.eye(len(KINDS), dtype=np.uint8)[view.to_beat_kind],
                (view.to_beat_by[:, None] == seats) & (view.to_beat_by[:, None] > 0),
                np.where(here, view.cards_left / np.float32(CARDS // 2), 0),
                view.passed[:, None] >> seats & 1,
                view.locked[:, None] >> seats & 1,
            ],
            axis=1,
            dtype=np.float32,
        )

    def play_features(self) -> Any:
        """float32[len(plays), len(PLAY_FEATURES)]: the cards of each play, what it leaves, kind."""
        hands = np.repeat(self.view.hand, self.n_plays)
        return np.concatenate(
            [
                cards_of(self.plays.mask),
                cards_of(hands & ~self.plays.mask),
                np.eye(len(KINDS), dtype=np.uint8)[self.plays.kind],
            ],
            axis=1,
            dtype=np.float32,
        )
