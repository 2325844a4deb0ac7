"""Many tables at once, stepped by arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from simcore.env.observation import Observation
from simcore.errors import InputError
from simcore.foundation.jit import by_address, records
from simcore.foundation.rng import STREAM
from simcore.game.groups import PLAY
from simcore.game.plays import buffer_size
from simcore.game.ruleset import RuleSet, load_rules
from simcore.game.turns import STATE
from simcore.simulation.sandbox import in_sandbox
from simcore.simulation.setup import MAX_DEALS, MAX_SEED, Workspace, largest_hand, make_setup
from simcore.simulation.stepping import SEEN, TABLE, step_tables
from simcore.simulation.watch import DECISION_LIMIT, watched
from simcore.strategies.registry import Entrant, load_strategy

MAX_TABLES = 65_536
_OUTSIDE = "outside"  # in the lineup's place of a slot that is asked outside
MAX_PLAYOUTS = MAX_DEALS


class Stepping(Workspace):
    """The buffers of many tables of one setup; asked: bit set of the slots that play outside."""

    def __init__(self, setup: Any, tables: int, asked: int) -> None:
        super().__init__(setup)
        most = buffer_size(largest_hand(setup.rules, setup.players))
        self.asked = asked
        if all(entrant.strategy.own for entrant in setup.lineup):
            found = tuple(by_address(f) for f in self._strategies)
            self._asking = (found, *self._asking[1:])
        self.tables = self.records(TABLE, tables)
        self.views = self.records(SEEN, tables)
        self.legal = self.records(PLAY, tables * most)  # memory is taken where it is written first
        self.offsets = self.zeros(tables + 1, np.int64)
        self.rewards = self.zeros((tables, 4), np.int64)
        self._held = (
            records(STATE, tables), np.zeros((tables, 4), np.int64),
            np.zeros((tables, 4), np.int64), records(STREAM, (tables, 4)),
        )  # fmt: skip

    @in_sandbox
    def step(self, seed: int, chosen: Any) -> None:
        """Take the chosen turns, or begin with -1. Raises StrategyError."""
        setup = self.setup
        try:
            fault = step_tables(
                self._table[0], setup.players, np.uint64(seed), setup.plan, setup.seatings_per_deal,
                setup.stake, self.asked, chosen, *self._asking, self._scratch, self._question[0],
                self.tables, *self._held, self.views, self.legal, self.offsets, self.rewards,
            )  # fmt: skip
        except BaseException as error:
            self._blame(error)
            raise
        first, last = self.tables.deal.min(), self.tables.deal.max()
        self._check_untouched(int(first), int(last - first + 1))
        if fault:
            raise self._fault(self._what_was_returned())


class Tables:
    """Many tables, each asking one question at a time; tables that end begin anew.

    Table t plays the playouts t, t + tables, t + 2 tables, … of what `simulate` plays with the same
    rules, lineup, seed, seatings and stake; the same choices give the same playouts. Where there is
    one legal play, it is played and nobody is asked, as everywhere in the laboratory.

        tables = Tables("maceplay", [None, "dump", "keep", "linear"], tables=1024)
        seen = tables.reset(seed=1)
        while …:
            seen = tables.step(indices)  # int64[1024], each below seen.n_plays
    """

    def __init__(
        self,
        rules: str | RuleSet,
        lineup: Sequence[str | Entrant | None] | None = None,
        tables: int = 1024,
        players: int | None = None,
        seatings: str | None = None,
        stake: int = 1,
        decision_limit: float = DECISION_LIMIT,
    ) -> None:
        """lineup: by slot, a strategy that plays inside or None: asked outside (default: all are).

        seatings, stake: as in `simulate`; decision_limit: seconds that a strategy inside may take.
        Raises InputError, StrategyError.
        """
        if not 1 <= tables <= MAX_TABLES:
            raise InputError(f"{tables} tables are out of bounds: 1 to {MAX_TABLES}")
        rule_set = load_rules(rules)
        if rule_set.session_hands > 1:
            raise InputError(
                f"rule set {rule_set.name!r} is played in sessions of {rule_set.session_hands} "
                "hands, and tables play hands that do not follow each other; give the same rules "
                'with session.hands = 1 and session.lead = "opening_card"'
            )
        if isinstance(lineup, str):
            raise InputError(
                f"lineup {lineup!r} is a text; give a list with one item for each slot, None where "
                "the choice comes from outside"
            )
        slots = list(lineup) if lineup is not None else [None] * (players or 4)
        nobody = Entrant(_OUTSIDE, load_strategy("random"), ())
        setup = make_setup(
            rule_set, [nobody if e is None else e for e in slots], 0, players, seatings, stake
        )
        asked = sum(1 << k for k, e in enumerate(setup.lineup) if e.name == _OUTSIDE)
        if not asked:
            raise InputError(
                "every slot of the lineup has a strategy; give None to one at least, or use "
                "simulate"
            )
        self.setup = setup
        self.players = setup.players
        self.slots = tuple(k for k in range(setup.players) if asked >> k & 1)  # asked outside
        self._work: Stepping | None = Stepping(setup, tables, asked)
        # The laboratory's own return; anybody else's is watched, in a thread for each step.
        self._watched = any(not e.strategy.own for e in setup.lineup)
        self._limit = decision_limit
        self._seed = -1  # not begun

    def __len__(self) -> int:
        return len(self._open().tables)

    def reset(self, seed: int = 0, first_playout: int = 0) -> Observation:
        """Begin every table anew: table t with playout first_playout + t under the seed.

        Playouts are numbered deal * (seatings of a deal) + place of the seating in the plan, as the
        rows of a run. Raises InputError, StrategyError.
        """
        work = self._open()
        if not 0 <= seed <= MAX_SEED:
            raise InputError(f"seed {seed} is out of bounds: 0 to {MAX_SEED}")
        if not 0 <= first_playout < MAX_PLAYOUTS:
            raise InputError(
                f"first playout {first_playout} is out of bounds: 0 to {MAX_PLAYOUTS - 1}"
            )
        self._seed = seed
        work.tables.playout = np.arange(first_playout, first_playout + len(work.tables))
        return self._step(np.full(len(work.tables), -1, np.int64))

    def step(self, indices: Any) -> Observation:
        """Play the chosen legal play at every table; returns the next questions.

        indices: T whole numbers, each from 0 to n_plays - 1 of its table. Raises InputError, which
        leaves all tables as they were; StrategyError, which closes the environment.
        """
        work = self._open()
        if self._seed < 0:
            raise InputError("the tables have not begun; call reset first")
        chosen = np.asarray(indices)
        if chosen.dtype.kind not in "iu":
            raise InputError(f"indices are {chosen.dtype}; give whole numbers")
        if chosen.shape != (len(work.tables),):
            raise InputError(
                f"indices have shape {chosen.shape}, and there are {len(work.tables)} tables; "
                "give one index for each"
            )
        number = np.diff(work.offsets)
        wrong = (chosen < 0) | (chosen >= number)
        if wrong.any():
            t = int(wrong.argmax())
            raise InputError(
                f"index {chosen[t]} of table {t} is out of bounds: 0 to {number[t] - 1}"
            )
        return self._step(chosen.astype(np.int64))

    def close(self) -> None:
        """Give the memory back; nothing can be asked any more."""
        self._work = None

    def _open(self) -> Stepping:
        if self._work is None:
            raise InputError("the environment is closed; make another one")
        return self._work

    def _step(self, chosen: Any) -> Observation:
        work = self._open()
        try:
            if self._watched:
                watched(work, lambda: work.step(self._seed, chosen), self._limit)
            else:
                work.step(self._seed, chosen)
        except BaseException:
            self.close()
            raise
        return Observation(
            work.views, work.tables, work.legal[: work.offsets[-1]], work.offsets,
            work.rewards[:, : self.players], self.players,
        )  # fmt: skip
