"""One table in the spaces of Gymnasium, which PettingZoo uses too."""

from typing import Any

import numpy as np
from gymnasium import spaces

from simcore.env.observation import FEATURES, Observation
from simcore.env.tables import Tables
from simcore.game.plays import buffer_size
from simcore.simulation.setup import Setup, largest_hand

ILLEGAL_REWARD = -52.0  # for an index that is no legal play, at stake 1


class Spaces:
    """The spaces of one seat: an action is the index of a legal play, weakest first, pass last.

    An observation has `observation`, the features (simcore.env.observation.FEATURES); `plays`, the
    masks of the legal plays, 0 for the pass and where there is none; `action_mask`, where one is.
    """

    def __init__(self, setup: Setup) -> None:
        self.size = buffer_size(largest_hand(setup.rules, setup.players))
        self.action = spaces.Discrete(self.size)
        self.observation = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (len(FEATURES),), np.float32),
                "plays": spaces.Box(0, 2**52 - 1, (self.size,), np.int64),
                "action_mask": spaces.Box(0, 1, (self.size,), np.int8),
            }
        )

    def fill(self, seen: Observation) -> dict[str, Any]:
        """The question of a single table."""
        plays = np.zeros(self.size, np.int64)
        plays[: len(seen.plays)] = seen.plays.mask
        legal = np.zeros(self.size, np.int8)
        legal[: len(seen.plays)] = 1
        return {"observation": seen.features()[0], "plays": plays, "action_mask": legal}

    def empty(self) -> dict[str, Any]:
        """What a seat sees that is not asked: nothing."""
        return {
            "observation": np.zeros(len(FEATURES), np.float32),
            "plays": np.zeros(self.size, np.int64),
            "action_mask": np.zeros(self.size, np.int8),
        }


class Episodes:
    """The playouts of one table, one after another: an episode each."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._seed, self._next = 0, 0

    def begin(self, seed: int | None) -> Observation:
        """The first question of the next playout; with a seed, of its first one."""
        if seed is not None:
            self._seed, self._next = seed, 0
        seen = self.tables.reset(self._seed, self._next)
        self._next = int(seen.table.playout[0]) + 1
        return seen
