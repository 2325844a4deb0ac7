"""One seat for Gymnasium: it learns, strategies of the laboratory play the others."""

from typing import Any

import gymnasium
import numpy as np

from simcore.env.single import ILLEGAL_REWARD, Episodes, Spaces
from simcore.env.tables import Tables
from simcore.errors import InputError
from simcore.game.ruleset import RuleSet
from simcore.strategies.registry import Entrant


class Seat(gymnasium.Env[dict[str, Any], Any]):
    """A playout is an episode; its reward, at the end, is the payoff of the slot that learns.

    An action is the index of a legal play; `action_mask` says which are. Any other ends the episode
    with ILLEGAL_REWARD. Playouts are those of `simulate` under the seed, in order.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # as its base class has it

    def __init__(
        self,
        rules: str | RuleSet = "douque",
        others: str | Entrant | list[str | Entrant] = "dump",
        players: int | None = None,
    ) -> None:
        """others: who plays the other seats, one strategy or one for each. Raises InputError."""
        if not isinstance(others, list):
            others = [others] * ((players or 4) - 1)
        self._tables = Tables(rules, [None, *others], tables=1, players=players)
        if self._tables.slots != (0,):
            raise InputError("others holds None; one seat learns here, use Tables for more")
        self._episodes = Episodes(self._tables)
        self._spaces = Spaces(self._tables.setup)
        self._legal = 0  # of the question asked; 0: no episode
        self.action_space = self._spaces.action
        self.observation_space = self._spaces.observation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin the next playout; with a seed, the first of that seed."""
        super().reset(seed=seed)
        seen = self._episodes.begin(seed)
        self._legal = len(seen.plays)
        return self._spaces.fill(seen), self._about(seen)

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Play the legal play of that index. Raises InputError if no episode has begun."""
        if not self._legal:
            raise InputError("no episode has begun; call reset first")
        index = int(action)
        if not 0 <= index < self._legal:
            self._legal = 0
            return self._spaces.empty(), ILLEGAL_REWARD, True, False, {"illegal": index}
        seen = self._tables.step(np.array([index]))
        if not seen.finished[0]:
            self._legal = len(seen.plays)
            return self._spaces.fill(seen), 0.0, False, False, self._about(seen)
        self._legal = 0
        return self._spaces.empty(), float(seen.rewards[0, 0]), True, False, {}

    def close(self) -> None:
        """Nothing can be asked any more."""
        self._tables.close()

    def _about(self, seen: Any) -> dict[str, Any]:
        table = seen.table[0]
        return {"deal": int(table.deal), "seating": int(table.seating), "seat": int(table.seat)}
