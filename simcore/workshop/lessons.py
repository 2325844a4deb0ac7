"""Playing what a network learns from: the positions of a round."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simcore.foundation.jit import records
from simcore.game.rule_table import rule_table
from simcore.simulation.setup import Setup
from simcore.simulation.tracing import Tracing
from simcore.strategies.interface import VIEW
from simcore.strategies.net import MOST_INPUTS
from simcore.workshop.learning import MOST_OF_POSITION, write_positions


@dataclass(frozen=True)
class Lesson:
    """Positions of a round: their inputs one after another, and what they brought."""

    inputs: Any  # int16[…]
    ends: Any  # int64[positions]
    payoffs: Any  # float32[positions]
    playouts: int


def join(lessons: Sequence[Lesson]) -> Lesson:
    """Several as one."""
    shift = np.cumsum([0, *(len(lesson.inputs) for lesson in lessons[:-1])])
    return Lesson(
        np.concatenate([lesson.inputs for lesson in lessons]),
        np.concatenate([x.ends + s for x, s in zip(lessons, shift, strict=True)]),
        np.concatenate([lesson.payoffs for lesson in lessons]),
        sum(lesson.playouts for lesson in lessons),
    )


def record_lesson(setup: Setup, first_deal: int, deals: int) -> Lesson:
    """Play deals and keep every choice's position."""
    work = Tracing(setup)
    view, found = records(VIEW, 1), np.empty(MOST_INPUTS, np.int64)
    view["rules"] = rule_table(setup.rules)
    pieces = []
    for first in range(first_deal, first_deal + deals, work.most_deals):
        n = min(work.most_deals, first_deal + deals - first)
        turns = work.turns(first, n)
        inputs = np.empty(len(turns) * MOST_OF_POSITION, np.int16)
        ends, payoffs = np.empty(len(turns), np.int64), np.empty(len(turns), np.float32)
        k = write_positions(setup.players, turns, view[0], found, inputs, ends, payoffs)
        used = int(ends[k - 1]) if k else 0
        pieces.append(
            Lesson(
                inputs[:used].copy(), ends[:k].copy(), payoffs[:k].copy(),
                n * setup.seatings_per_deal,
            )
        )  # fmt: skip
    return join(pieces)
