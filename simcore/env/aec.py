"""One table for PettingZoo: agents in turn (AEC), any of them strategies of the laboratory."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from simcore.env.single import Episodes, Spaces
from simcore.env.tables import Tables
from simcore.errors import InputError
from simcore.game.ruleset import RuleSet
from simcore.strategies.registry import Entrant


def env(
    rules: str | RuleSet = "douque",
    lineup: Sequence[str | Entrant | None] | None = None,
    players: int | None = None,
) -> Any:
    """As `raw_env`, with PettingZoo's checks: an illegal play ends the episode with −1."""
    raw = wrappers.TerminateIllegalWrapper(raw_env(rules, lineup, players), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw))


class raw_env(AECEnv[str, dict[str, Any], Any]):  # type: ignore[misc]  # the name is PettingZoo's
    """A playout is an episode; agents are the slots that no strategy plays, slot_0, slot_1, …

    An action is the index of a legal play; `action_mask` says which are. Rewards are payoffs, at
    the end. An agent is asked where it has a choice; what is forced is played.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "bigtwo_v0", "render_modes": [], "is_parallelizable": False,
    }  # fmt: skip

    def __init__(
        self,
        rules: str | RuleSet = "douque",
        lineup: Sequence[str | Entrant | None] | None = None,
        players: int | None = None,
    ) -> None:
        """lineup: by slot, a strategy or None, as in Tables. Raises InputError."""
        super().__init__()
        self._tables = Tables(rules, lineup, tables=1, players=players)
        self._episodes = Episodes(self._tables)
        self._spaces = Spaces(self._tables.setup)
        self._slots = {f"slot_{slot}": slot for slot in self._tables.slots}
        self._seen: dict[str, Any] = {}
        self.agent_selection = ""
        self.render_mode = None
        self.possible_agents = list(self._slots)
        self.agents: list[str] = []
        self.action_spaces = dict.fromkeys(self._slots, self._spaces.action)
        self.observation_spaces = dict.fromkeys(self._slots, self._spaces.observation)

    def observation_space(self, agent: str) -> Any:
        """The same for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The same for every agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next playout; with a seed, the first of that seed."""
        seen = self._episodes.begin(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask(seen)

    def observe(self, agent: str) -> dict[str, Any]:
        """What the agent is asked; of one that is not asked now: nothing."""
        asked = agent == self.agent_selection and not self.terminations.get(agent, True)
        return self._seen if asked else self._spaces.empty()

    def step(self, action: Any) -> None:
        """Play the agent's legal play of that index. Raises InputError for one that is none."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise InputError(f"agent {agent!r} gave no action; give the index of a legal play")
        self._cumulative_rewards[agent] = 0.0
        seen = self._tables.step(np.array([int(action)]))
        if seen.finished[0]:
            for name, slot in self._slots.items():
                self.rewards[name] = float(seen.rewards[0, slot])
                self.terminations[name] = True
            self.agent_selection = self.agents[0]
        else:
            self._ask(seen)
        self._accumulate_rewards()

    def close(self) -> None:
        """Nothing can be asked any more."""
        self._tables.close()

    def _ask(self, seen: Any) -> None:
        self.agent_selection = f"slot_{seen.table.slot[0]}"
        self._seen = self._spaces.fill(seen)
