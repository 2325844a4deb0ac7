"""What every strategy must hold to, tried out: `check_strategy`."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from simcore.errors import StrategyError
from simcore.foundation.jit import records
from simcore.foundation.rng import STREAM, WORDS
from simcore.game.ruleset import RuleSet, load_rules, rule_set_names
from simcore.game.seatings import N_ORDERS
from simcore.simulation.asking import Asking, Turn
from simcore.simulation.sandbox import Scribbled
from simcore.simulation.setup import Setup, make_setup
from simcore.simulation.watch import watched
from simcore.strategies.position import Draws, play_of
from simcore.strategies.registry import Entrant, parse_entrant

CHECKS = {
    "legality": "every index is one of a play, nothing is raised, every question gets an answer",
    "determinism": "the same question gets the same answer, whatever was asked before",
    "no scribbling": "params, view and plays are left as they are",
    "hidden cards": "cards that it cannot know change no choice",
    "seat symmetry": "a deal moved some seats on goes the same way",
    "time": "a decision takes at most a second, on average",
}
SLOWEST = 1.0  # seconds a decision, on average
MOST_DEALS = 10  # of each table
SEED = 2026


@dataclass
class Finding:
    """What one check found."""

    check: str
    passed: bool = True
    what: str = ""  # what is wrong, or how much was tried
    look: str = ""  # the command that shows the deal, or asks the question again


@dataclass
class Report:
    """The findings of all checks, and what the strategy costs."""

    strategy: str
    findings: dict[str, Finding] = field(
        default_factory=lambda: {name: Finding(name) for name in CHECKS}
    )
    tables: int = 0
    deals: int = 0
    decisions: int = 0
    seconds: float = 0.0  # that the decisions took
    longest: float = 0.0  # seconds of one decision

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        return all(finding.passed for finding in self.findings.values())

    def fail(self, check: str, what: str, look: str = "") -> None:
        """Keep the first failure of a check."""
        if self.findings[check].passed:
            self.findings[check] = Finding(check, False, what, look)


def check_strategy(
    name: str,
    rules: Sequence[str | RuleSet] = (),
    seconds: float = 0.2,
    limit: float = 10.0,
    progress: Callable[[str], None] = lambda table: None,
) -> Report:
    """Try a strategy in rule sets (default: all that ship) with every number of players.

    name: as in a lineup; seconds: about how long each check may take at each table, one deal at
    least; limit: seconds for a decision until it counts as never returning. Raises InputError,
    StrategyError for a strategy that does not load.
    """
    entrant = parse_entrant(name)
    report = Report(entrant.name)
    for rule_set in [load_rules(r) for r in rules or rule_set_names()]:
        for players in rule_set.players:
            progress(f"{rule_set.name}, {players} players")
            others: list[str | Entrant] = [entrant, "random", "lowest", entrant]
            for lineup in ([entrant], others[:players]):
                table = _Table(report, make_setup(rule_set, lineup, SEED, players, "all"))
                try:
                    watched(table.work, partial(table.check, seconds), limit)
                except StrategyError as error:
                    if isinstance(error, Scribbled):
                        report.fail("no scribbling", str(error), table.command())
                    else:
                        report.fail("legality", str(error), table.work.question_command())
                    return report
            report.tables += 1
    if report.decisions:
        mean = report.seconds / report.decisions
        if mean > SLOWEST:
            report.fail("time", f"{mean:.2g} s a decision on average, more than {SLOWEST:g} s")
    return report


class _Table:
    """One rule set and lineup: its checks."""

    def __init__(self, report: Report, setup: Setup) -> None:
        self.report = report
        self.setup = setup
        self.work = Asking(setup)
        self.alone = len({e.name for e in setup.lineup}) == 1
        stream = records(STREAM, 1)
        stream.used = WORDS
        self.draws = Draws(stream[0])
        self.deal = self.seating = 0

    def command(self) -> str:
        """The command that shows the playout looked at last."""
        setup = self.setup
        lineup = ",".join(e.name for e in setup.lineup)
        return (
            f"bigtwo replay --rules {setup.rules.name} --lineup {lineup} --seed {setup.seed} "
            f"--deal {self.deal} --seating {self.seating}"
        )

    def check(self, seconds: float) -> None:
        """Every check, on as many deals as the time allows."""
        begun = time.monotonic()
        asked: list[tuple[Turn, int]] = []  # questions with the words drawn before
        deals: list[list[Turn]] = []
        for deal in range(MOST_DEALS):
            self.deal = deal
            if not self.alone:
                self.seating = deal % int(N_ORDERS[self.setup.players])
            turns = self.work.turns(deal, self.seating)
            deals.append(turns)
            asked += self._ask_in_order(turns)
            if time.monotonic() - begun > seconds:
                break
        self.report.deals += len(deals)
        if self.alone:
            self._take_time(deals)
        self.draws.shuffle(asked)
        with self._time(seconds) as left:
            for turn, drawn in asked:
                if left():
                    self._ask_again(turn, drawn)
        with self._time(seconds) as left:
            for turn, drawn in asked:
                if left():
                    self._exchange_hidden(turn, drawn)
        if self.alone:
            with self._time(seconds) as left:
                for turns in deals:
                    if left():
                        self._move_seats(turns)

    def _take_time(self, deals: list[list[Turn]]) -> None:
        """Play the deals as a run does, by the clock."""
        begun = time.perf_counter()
        self.work.play(0, len(deals), 0)
        self.report.seconds += time.perf_counter() - begun
        self.report.decisions += sum(
            len(self.work.show(turn.hands, turn.state)) > 1 for turns in deals for turn in turns
        )

    @contextmanager
    def _time(self, seconds: float) -> Iterator[Callable[[], bool]]:
        """Whether there is time left; once at least."""
        end = time.monotonic() + seconds
        first = iter([True])
        yield lambda: next(first, False) or time.monotonic() < end

    def _at(self, turn: Turn) -> str:
        """Where a turn is, in words."""
        self.deal, self.seating = turn.deal, turn.seating
        setup = self.setup
        return (
            f"{setup.rules.name}, {setup.players} players, deal {turn.deal}, seating "
            f"{turn.seating}, turn {turn.state['turn']}"
        )

    def _name(self, mask: int) -> str:
        """A play in notation."""
        return str(play_of(mask, 0, 0, self.setup.rules.suits))

    def _is_mine(self, turn: Turn) -> bool:
        return self.setup.lineup[turn.slot].name == self.report.strategy

    def _ask(self, turn: Turn) -> int:
        """Put the question of a turn; returns the mask chosen."""
        work = self.work
        plays = work.show(turn.hands, turn.state)
        before = work.view.tobytes()
        begun = time.perf_counter()
        index = work.ask(len(plays), turn.slot, turn.deal)
        if self._is_mine(turn):
            self.report.longest = max(self.report.longest, time.perf_counter() - begun)
            if what := work.scribbled(len(plays), before):
                self._fail("no scribbling", turn, f"it wrote to its {what}; work on a copy")
                work.mend()
        return int(plays[index].mask)

    def _fail(self, check: str, turn: Turn, what: str) -> None:
        where = self._at(turn)
        self.report.fail(check, f"{what} ({where})", self.command())

    def _compare(self, check: str, turn: Turn, found: int, why: str) -> None:
        """A choice must be that of the playout."""
        if found != turn.play:
            again = self._name(found) if found >= 0 else "no play at all"
            self._fail(check, turn, f"it chose {self._name(turn.play)}, but {again} {why}")

    def _ask_in_order(self, turns: list[Turn]) -> list[tuple[Turn, int]]:
        """Ask as in the playout; returns its own questions with the words drawn before each."""
        found = []
        for slot in range(self.setup.players):
            self.work.start_stream(slot, turns[0].deal)
        for turn in turns:
            drawn = self.work.drawn(turn.slot)
            choice = self._ask(turn)
            if self._is_mine(turn):
                self._compare("determinism", turn, choice, "when asked a second time")
                found.append((turn, drawn))
        return found

    def _ask_again(self, turn: Turn, drawn: int) -> None:
        """Ask once more, after other questions."""
        self.work.start_stream(turn.slot, turn.deal, drawn)
        choice = self._ask(turn)
        self._compare("determinism", turn, choice, "when asked again after other questions")

    def _exchange_hidden(self, turn: Turn, drawn: int) -> None:
        """Deal the cards that the seat cannot see anew, and let the engine ask it."""
        seat, state = turn.state["seat"], turn.state
        sizes = [hand.bit_count() for hand in turn.hands]
        unseen = ((1 << 52) - 1) & ~turn.hands[seat] & ~state["seen"]
        cards = [1 << card for card in range(52) if unseen >> card & 1]
        self.draws.shuffle(cards)
        hands = []
        for other, size in enumerate(sizes):
            hands.append(turn.hands[seat] if other == seat else sum(cards[:size]))
            cards = cards if other == seat else cards[size:]
        self.work.start_stream(turn.slot, turn.deal, drawn)
        first = self.work.play_from(replace(turn, hands=tuple(hands)))[0]
        self._compare(
            "hidden cards", turn, int(first.mask), "when the others held other cards that it"
            " cannot see: it knows more than its view says",
        )  # fmt: skip

    def _move_seats(self, turns: list[Turn]) -> None:
        """Play the deal with everybody, hand and strategy, some seats further on."""
        players, first = self.setup.players, turns[0]
        for by in range(1, players):
            for slot in range(players):
                self.work.start_stream(slot, first.deal)
            state = first.state | {
                name: (first.state[name] + by) % players for name in ("seat", "starter")
            }
            moved = replace(
                first,
                hands=first.hands[-by:] + first.hands[:-by],
                slots=first.slots[-by:] + first.slots[:-by],
                state=state,
            )
            trace = self.work.play_from(moved)
            for turn, row in zip(turns, trace, strict=False):
                why = f"when everybody sat {by} seats further on"
                self._compare("seat symmetry", turn, int(row.mask), why)
