"""Playing deals with every turn of theirs as a row."""

from typing import Any

import numpy as np

from simcore.foundation.jit import records
from simcore.simulation.playout import MAX_TURNS
from simcore.simulation.setup import Setup, Workspace
from simcore.simulation.turn_rows import TURN_ROW, write_turns

STEP_PLAYOUTS = 256  # at once


class Tracing(Workspace):
    """A workspace that writes turns down."""

    def __init__(self, setup: Setup) -> None:
        self.most_deals = max(1, STEP_PLAYOUTS // setup.seatings_per_deal)
        playouts = self.most_deals * setup.seatings_per_deal
        super().__init__(setup, traced=playouts)
        self._found = records(TURN_ROW, playouts * MAX_TURNS)

    def turns(self, first_deal: int, n_deals: int) -> Any:
        """Records TURN_ROW of deals first_deal …, at most `most_deals`; the next call overwrites.

        Raises StrategyError.
        """
        setup = self.setup
        rows = self.play(first_deal, n_deals)
        number = write_turns(
            self._table[0], setup.players, np.uint64(setup.seed), rows.deals, rows.block8,
            rows.block16, rows.block32, self.trace, self._streams[setup.players], self._scratch,
            self._state[0], self._plays, self._found,
        )  # fmt: skip
        return self._found[:number]
