"""What is played, checked, and the buffers of one thread that plays it."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from simcore.columns import BLOCK_ROWS, COLUMNS, ROW
from simcore.errors import InputError, StrategyError, described, nearest, shown
from simcore.foundation.rng import STREAM
from simcore.game.groups import PLAY
from simcore.game.plays import buffer_size
from simcore.game.rule_table import max_payoff, rule_table, uses_leftovers
from simcore.game.ruleset import RuleSet, load_rules
from simcore.game.seatings import PLANS, seatings_per_deal
from simcore.game.turns import STATE
from simcore.simulation import sandbox
from simcore.simulation.batch import SCRATCH_SHAPE, play_deals
from simcore.simulation.playout import MAX_TURNS, NOT_ASKED, QUESTION, TURN, play_out
from simcore.simulation.sandbox import Sandbox, Scribbled, in_sandbox
from simcore.strategies.direct import LISTED
from simcore.strategies.guest import Guest
from simcore.strategies.interface import VIEW
from simcore.strategies.plain import Caller, PlainStrategy
from simcore.strategies.registry import Entrant, parse_lineup, relatives

MAX_DEALS = 2**62
MAX_SEED = 2**64 - 1


@dataclass(frozen=True)
class Setup:
    """Everything that determines a playout's result, given its deal_index and seating."""

    rules: RuleSet
    lineup: tuple[Entrant, ...]
    seed: int
    players: int
    seatings: str  # one of PLANS
    stake: int

    @property
    def plan(self) -> int:
        """Number of the seating plan."""
        return PLANS.index(self.seatings)

    @property
    def seatings_per_deal(self) -> int:
        """Playouts of each deal."""
        return seatings_per_deal(self.plan, self.players)

    @property
    def session_hands(self) -> int:
        """Deals of a session, which is what is drawn; 1: every deal stands alone."""
        return self.rules.session_hands

    @property
    def notes(self) -> list[str]:
        """Whose weights strategies play with where none ship for these rules, in sentences."""
        return relatives(self.lineup, self.rules)

    @property
    def needed(self) -> frozenset[str]:
        """Which of the columns are needed that not every rule set has (simcore.columns)."""
        has = {"leftovers": uses_leftovers(self.rules), "payer": self.rules.last_card_pays}
        return frozenset(name for name, there in has.items() if there)


def largest_hand(rules: RuleSet, players: int) -> int:
    """Cards of the largest initial hand."""
    if rules.deal:
        return rules.deal
    return 52 // players + 52 % players


def check_payoffs(rules: RuleSet, players: int, stake: int) -> None:
    """Raises InputError for rules or a stake under which a payoff may not fit into 32 bits."""
    bound = max_payoff(rules, players, largest_hand(rules, players))
    limit = (2**31 - 1) // bound
    if limit < 1:
        raise InputError(
            f"payoffs of rule set {shown(rules.name)} can reach {bound:,}, and 32 bits hold "
            f"{2**31 - 1:,}; lower its tiers, times or points"
        )
    if not 1 <= stake <= limit:
        raise InputError(
            f"stake {stake} is out of bounds: 1 to {limit} in rule set {shown(rules.name)}, "
            "so that every payoff fits into 32 bits; scale the results instead"
        )


def check_session(rules: RuleSet, players: int, seatings: int) -> None:
    """Raises InputError for sessions so long that squares of their payoffs may not fit 64 bits."""
    bound = max_payoff(rules, players, largest_hand(rules, players)) * seatings
    longest = max(1, (2**31 - 1) // bound)
    if rules.session_hands > longest:
        raise InputError(
            f"sessions of {rules.session_hands} hands: where payoffs can be as large as in rule "
            f"set {shown(rules.name)}, at most {longest}; lower session.hands, or its payoffs"
        )


def make_setup(
    rules: str | RuleSet,
    lineup: str | Iterable[str | Entrant],
    seed: int = 0,
    players: int | None = None,
    seatings: str | None = None,
    stake: int = 1,
) -> Setup:
    """Check and complete what a user asks for.

    players: default the length of the lineup where the rule set allows that many, else 4 (or the
    most it allows), with the lineup repeated;
    seatings: default `balanced` for a mixed lineup, `fixed` for one strategy. Raises InputError.
    """
    rule_set = load_rules(rules)
    entrants = parse_lineup(lineup)
    if players is None:
        usual = 4 if 4 in rule_set.players else max(rule_set.players)
        named = len(entrants)
        players = named if named in rule_set.players or usual % named else usual
    if players not in rule_set.players and players == len(entrants):
        allowed = " or ".join(str(n) for n in rule_set.players)
        raise InputError(
            f"the lineup names {players} strategies; rule set {rule_set.name!r} is played by "
            f"{allowed}: give that many, or fewer that fill all seats by turns"
        )
    if players not in rule_set.players:
        allowed = " or ".join(str(n) for n in rule_set.players)
        raise InputError(f"{players} players: rule set {rule_set.name!r} is played by {allowed}")
    entrants = tuple(e.tuned_for(rule_set) for e in parse_lineup(entrants, players))
    if seatings is None:
        seatings = "balanced" if len({e.name for e in entrants}) > 1 else "fixed"
    if seatings not in PLANS:
        raise InputError(f"unknown seating plan {seatings!r}; {nearest(seatings, PLANS)}")
    if not 0 <= seed <= MAX_SEED:
        raise InputError(f"seed {seed} is out of bounds: 0 to {MAX_SEED}")
    check_payoffs(rule_set, players, stake)
    check_session(rule_set, players, seatings_per_deal(PLANS.index(seatings), players))
    return Setup(rule_set, entrants, seed, players, seatings, stake)


class Rows:
    """Results of some deals: one row per playout, columns as contiguous rows of the blocks."""

    def __init__(self, players: int, deals: Any, block8: Any, block16: Any, block32: Any) -> None:
        self.players = players
        self.deals, self.block8, self.block16, self.block32 = deals, block8, block16, block32

    @staticmethod
    def blank(size: int) -> tuple[Any, Any, Any, Any]:
        """Deals and blocks of so many rows.

        Zeros: rows of columns that these rules or players do not need stay as they are.
        """
        return (
            np.zeros(size, np.int64), np.zeros((BLOCK_ROWS[8], size), np.int8),
            np.zeros((BLOCK_ROWS[16], size), np.int16), np.zeros((BLOCK_ROWS[32], size), np.int32),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.deals)

    def __getitem__(self, name: str) -> Any:
        """A column, by its name: [n], or [players, n] for one per seat; no copy."""
        column = next(c for c in COLUMNS if c.name == name)
        if column.block == 64:
            return self.deals
        block: Any = {8: self.block8, 16: self.block16, 32: self.block32}[column.block]
        row = getattr(ROW, name)
        return block[row : row + self.players] if column.per_seat else block[row]


class Workspace:
    """The buffers with which one thread plays deals of one setup.

    traced: playouts of which `trace` has room for all turns, MAX_TURNS items each. With guests in
    the lineup, its twin in a process apart calls the kernels (simcore.simulation.sandbox); an array
    that both need is one of `zeros` or `records`.
    """

    _made: Callable[[], Self]  # another one like it

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        found = super().__new__(cls)
        found._made = partial(cls, *arguments, **named)
        return found

    def __init__(self, setup: Setup, traced: int = 0) -> None:
        self.setup = setup
        players = setup.players
        self._memory, sandbox.serving = sandbox.serving, None
        self.sandbox: Sandbox | None = None
        guests = frozenset(e.strategy for e in setup.lineup if isinstance(e.strategy, Guest))
        if guests and self._memory is None:
            self.sandbox = Sandbox(self, guests, self._made)
            self._memory = self.sandbox.memory
        self._table = rule_table(setup.rules)
        slots = [*setup.lineup, *[setup.lineup[0]] * (4 - players)]  # the kernel takes a 4-tuple
        self._strategies = () if self.sandbox else tuple(e.strategy.function for e in slots)
        # A shortcut leaves no room for random plays in between.
        direct = [LISTED if e.noise else e.strategy.direct for e in slots]
        self._direct = self.zeros(4, np.int64)
        self._direct[:] = direct
        self._noise = np.array([e.noise for e in slots])
        self._params = self.zeros((4, 1 + max(len(e.params) for e in slots)), np.float64)
        self._callers: dict[int, Caller] = {}  # of strategies in plain Python, by slot
        self.write_params(slots)
        self._given = self.zeros(self._params.shape, np.float64)
        self._given[:] = self._params
        self._streams = self.records(STREAM, players + 2)
        self._view = self.records(VIEW, 1)
        self._view.rules[:] = self._table
        most_plays = buffer_size(largest_hand(setup.rules, players))
        self._plays = self.records(PLAY, most_plays)
        self._offered = self.records(PLAY, most_plays)
        self._scratch = self.zeros(SCRATCH_SHAPE, np.int64)
        self._state = self.records(STATE, 1)
        self._question = self.records(QUESTION, 1)
        self._question.turn = NOT_ASKED
        self.trace = self.records(TURN, MAX_TURNS * traced)
        # What the kernels take one after another, to ask strategies and to keep books.
        self._asking = (
            self._strategies, self._direct, self._noise, self._params, self._streams, self._view[0],
            self._plays, self._offered,
        )  # fmt: skip
        self._kept = self._state[0], self._question[0], self.trace
        if self.sandbox is not None:
            self.sandbox.open()

    def write_params(self, entrants: Sequence[Entrant]) -> None:
        """What strategies find in their params, slot by slot."""
        self._params[:] = 0
        for slot, entrant in enumerate(entrants):
            if isinstance(entrant.strategy, PlainStrategy):
                caller = Caller(entrant.strategy, entrant.params, self.setup.rules)
                self._callers[slot] = caller
                self._params[slot, 0] = caller.number
                continue
            n = len(entrant.params)
            self._params[slot, :n] = entrant.params
            if entrant.strategy.networks:
                if entrant.network is None:
                    raise InputError(f"{entrant.name!r} has no network; make_setup gives it one")
                self._params[slot, n] = entrant.network.data.ctypes.data

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """A zeroed array, which the twin sees too."""
        return (self._memory or np).zeros(shape, dtype)

    def records(self, dtype: np.dtype, shape: int | tuple[int, ...]) -> Any:
        """As `zeros`, of records whose items have named fields."""
        return self.zeros(shape, dtype).view(np.recarray)

    def hands_dealt(self) -> list[int]:
        """Masks of the hands of the last deal, by seat."""
        return [int(mask) for mask in self._scratch[0, : self.setup.players]]

    def hands_left(self) -> list[int]:
        """Masks of the cards that each seat held at the end of the last playout."""
        return [int(mask) for mask in self._scratch[1, : self.setup.players]]

    def play(self, first_deal: int, n_deals: int, seating: int | None = None) -> Rows:
        """Play deals first_deal … first_deal + n_deals - 1 (one seating only, if given).

        Raises StrategyError if a strategy returned an index that is none, raised something, or
        wrote where it must not.
        """
        setup = self.setup
        plan = setup.plan if seating is None else -1 - seating
        size = n_deals * (setup.seatings_per_deal if seating is None else 1)
        return Rows(setup.players, *self._play(first_deal, n_deals, plan, size))

    @in_sandbox
    def _play(self, first_deal: int, n_deals: int, plan: int, size: int) -> tuple[Any, ...]:
        """The deals and blocks of `play`'s rows."""
        setup, blank = self.setup, Rows.blank(size)
        self._question.turn = NOT_ASKED  # compiling is no thinking
        try:
            done = play_deals(
                self._table[0], setup.players, np.uint64(setup.seed), first_deal, n_deals, plan,
                setup.stake, *self._asking, self._scratch, *self._kept, *blank,
            )  # fmt: skip
        except BaseException as error:
            self._check_untouched(first_deal, n_deals)
            self._blame(error)
            raise
        self._check_untouched(first_deal, n_deals)
        if done < size:
            raise self._fault(self._what_was_returned())
        self._question.turn = NOT_ASKED
        return blank

    @in_sandbox
    def play_on(self) -> None:
        """Play from the state on to the end, with hands and slots by seat in scratch rows 1 and 2.

        Raises StrategyError if a strategy raised something; who chose no play is in the question.
        """
        state, question, trace = self._kept
        _, hands, slots, possible, counts = self._scratch[:5]
        question.turn = NOT_ASKED
        try:
            play_out(
                self._table[0], self.setup.players, hands, slots, state, *self._asking, possible,
                counts, question, trace,
            )  # fmt: skip
        except BaseException as error:
            self._blame(error)
            raise

    def abandon(self) -> None:
        """End the process of the strategy that was asked last, if it has one."""
        caller = self._callers.get(int(self._question[0].slot))
        if caller is not None:
            caller.host.stop()
        if self.sandbox is not None:
            self.sandbox.stop()

    def question(self) -> tuple[int, ...] | None:
        """The address of the last question to a strategy; None when none is being asked."""
        found = self._question[0]
        address = int(found.deal), int(found.seating), int(found.slot), int(found.turn)
        return None if address[-1] == NOT_ASKED else address

    def asked_name(self) -> str:
        """The strategy that was asked last."""
        return self.setup.lineup[int(self._question[0].slot)].name

    def place(self) -> str:
        """Where the last question was asked."""
        found = self._question[0]
        return f"deal {found.deal}, seating {found.seating}, turn {found.turn}"

    def _check_untouched(self, first_deal: int, n_deals: int) -> None:
        """Raises StrategyError if a strategy changed its params, or the rules that others see."""
        entrants = self.setup.lineup
        wrote = [
            e.name
            for e, a, b in zip(entrants, self._params, self._given, strict=False)
            if any(a != b)
        ]
        what = "params"
        # As bytes: field by field it would take as long as hundreds of playouts.
        if not wrote and self._view["rules"].tobytes() != self._table.tobytes():
            wrote = [e.name for e in entrants if not e.strategy.own]
            what = "view.rules"
        if wrote:
            names = " or ".join(repr(name) for name in dict.fromkeys(wrote))
            raise Scribbled(
                f"strategy {names} wrote to its {what} in deals {first_deal} to "
                f"{first_deal + n_deals - 1}, so playouts would depend on their order; keep no "
                "state between calls"
            )

    def _what_was_returned(self) -> str:
        """A fault's first words; raises what is no strategy's fault, as Ctrl-C in its code."""
        found = self._question[0]
        caller = self._callers.get(int(found.slot))
        error = caller.error if caller else None
        if isinstance(error, StrategyError):
            return str(error)
        if error is not None and interrupted(error):
            raise error
        if error is not None:
            raise self._fault(raised(error)) from error
        return f"returned index {found.index} of {found.n_plays} plays (0 to {found.n_plays - 1})"

    def _blame(self, error: BaseException) -> None:
        """Raises StrategyError if somebody's strategy is being asked: compiled code says no more.

        What the engine raises, in a kernel or in a strategy of its own, is a bug of the engine.
        """
        if interrupted(error):
            raise error
        if self.question() and not self.setup.lineup[int(self._question[0].slot)].strategy.own:
            raise self._fault(raised(error)) from error

    def _fault(self, what: str) -> StrategyError:
        """What a strategy did wrong, and where."""
        return StrategyError(
            f"strategy {self.asked_name()!r} {what} in {self.place()}; mend it, or leave it out of "
            "the lineup"
        )


def interrupted(error: BaseException) -> bool:
    """Whether it is Ctrl-C, which only the main thread hears, and no exception of a strategy's."""
    main = threading.current_thread() is threading.main_thread()
    return isinstance(error, KeyboardInterrupt) and main


def raised(error: BaseException) -> str:
    """An exception in a few words."""
    return f"raised {described(error)}"
