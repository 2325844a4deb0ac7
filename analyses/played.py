"""What the commands that play do, as functions: compare, rate, compare_rules.

Same names and arguments as the commands, and the frames that they print. `watch` makes a context
that is told how far it is (playouts that are new), may be stopped, and hears notes; the commands
show a progress bar there.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from analyses import compare as comparing
from analyses.compare import Comparison
from analyses.contrasts import Sample
from analyses.rate import nash_frame, rating_frame
from analyses.rules_compared import BIG_LOSS, rules_frame
from analyses.sequential import Sequential, parse_sequential
from simcore.errors import InputError, check_whole

if TYPE_CHECKING:  # the compiler is loaded when something is to be played
    from simcore.game.ruleset import RuleSet
    from simcore.samples.matches import Table
    from simcore.samples.scores import Scores
    from simcore.simulation.setup import Setup
    from simcore.strategies.registry import Entrant

PILOT_DEAL = 10**14  # deals from here on are the pilot's, out of everybody's way
Watch = Callable[
    [int, str | None],
    AbstractContextManager[tuple[Callable[[int], None], threading.Event, list[str]]],
]


@contextmanager
def unwatched(
    wanted: int, out: str | None
) -> Iterator[tuple[Callable[[int], None], threading.Event, list[str]]]:
    """Nobody is looking."""
    yield (lambda new: None), threading.Event(), []


def ready(setup: "Setup") -> None:
    """Nothing to say before it compiles."""


@dataclass(frozen=True)
class Rating:
    """Ratings of strategies, and the Nash averages beside them (None with a field)."""

    ratings: pd.DataFrame
    nash: pd.DataFrame | None
    deals: int
    tables: "Sequence[Table]"

    def _repr_html_(self) -> str:
        return self.ratings.to_html(index=False) + (
            "" if self.nash is None else self.nash.to_html(index=False)
        )


@dataclass(frozen=True)
class Compared:
    """A comparison with how it was played."""

    found: Comparison
    deals: int
    tables: "Sequence[Table]"
    rule: Sequential | None  # of a sequential comparison, and what it said of every pair
    decided: pd.DataFrame | None

    def _repr_html_(self) -> str:
        return self.found._repr_html_()

    def __getattr__(self, name: str) -> Any:
        """The frames of the comparison: scores, matrix, differences, verdict …"""
        return getattr(object.__getattribute__(self, "found"), name)


def compare(
    entrants: "str | Iterable[str | Entrant]",
    deals: int = 10_000,
    rules: "str | RuleSet" = "douque",
    tables: str = "all",
    field: "str | Entrant | None" = None,
    seed: int = 0,
    seatings: str = "balanced",
    players: int | None = None,
    control: bool = False,
    sequential: str | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    first_deal: int = 0,
    watch: Watch = unwatched,
    prepare: "Callable[[Setup], None]" = ready,
) -> Compared:
    """Play strategies against each other on the same deals, and compare them (`bigtwo compare`).

    tables, field: as in samples.matches.plan_tables; control: take off what the dealt hands
    explain; sequential: stop when certain, "alpha=0.05:beta=0.05:delta=0.1", deals at most; out:
    folder for one run a table, from which the same call goes on. prepare: called with the first
    table before anything compiles. Raises InputError, StrategyError, RunError.
    """
    from simcore.samples.matches import plan_tables

    rule = None if sequential is None else parse_sequential(sequential)
    if rule is not None and control:
        raise InputError("--control and --sequential exclude each other; leave one out")
    plan = plan_tables(rules, entrants, tables, field, players, seed, seatings)
    place = None if out is None else str(out)
    state = None
    prepare(plan[0].setup)
    if rule is not None:
        sample, state = _until_certain(plan, rule, deals, first_deal, threads, place, watch)
    else:
        scores = play(plan, deals, first_deal, threads, place, watch)
        sample = Sample(scores)
        if control:
            sample = _controlled(plan, scores, threads, place, watch)
    return Compared(comparing.compare(sample), sample.n_deals, plan, rule, state)


def play(
    plan: "Sequence[Table]", deals: int, first_deal: int, threads: int | None, out: str | None,
    watch: Watch,
) -> "list[Scores]":  # fmt: skip
    """Play all tables on the same deals."""
    from simcore.samples.matches import play_tables

    wanted = deals * sum(table.setup.seatings_per_deal for table in plan)
    with watch(wanted, out) as watched:
        return play_tables(plan, deals, first_deal, threads, out, *watched)


def _until_certain(
    plan: "Sequence[Table]", rule: Sequential, deals: int, first_deal: int, threads: int | None,
    out: str | None, watch: Watch,
) -> tuple[Sample, pd.DataFrame]:  # fmt: skip
    """Play on, look by look, until every pair is decided or the deals are used up."""
    from simcore.runs.stopping import looks
    from simcore.samples.matches import extend_scores, play_tables

    hands = plan[0].setup.session_hands
    check_whole("the number of deals", deals, hands)
    wanted = deals * sum(table.setup.seatings_per_deal for table in plan)
    scores: list[Scores] = []
    with watch(wanted, out) as watched:
        for sessions in looks(deals // hands):
            end, done = sessions * hands, scores[0].n_deals * hands if scores else 0
            more = play_tables(plan, end - done, first_deal + done, threads, out, *watched)
            scores = extend_scores(scores, more) if scores else more
            sample = Sample(scores)
            state = rule.look(sample)
            if (state["decision"] != "").all():
                break
    return sample, state


def _controlled(
    plan: "Sequence[Table]", scores: "list[Scores]", threads: int | None, out: str | None,
    watch: Watch,
) -> Sample:  # fmt: skip
    """The sample with control variates; their coefficients come from as many other deals."""
    from simcore.samples.dealt import control_variates

    setup = plan[0].setup
    place = None if out is None else f"{out.rstrip('/')}/pilot"
    hands = setup.session_hands  # what was drawn are sessions
    first = PILOT_DEAL // hands * hands
    pilot = play(plan, scores[0].n_deals * hands, first, threads, place, watch)
    return Sample(
        scores,
        control_variates(setup, scores[0]),
        Sample(pilot, control_variates(setup, pilot[0])),
    )


def rate(
    entrants: "str | Iterable[str | Entrant]",
    deals: int = 10_000,
    rules: "str | RuleSet" = "douque",
    tables: str = "all",
    field: "str | Entrant | None" = None,
    seed: int = 0,
    seatings: str = "balanced",
    players: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    first_deal: int = 0,
    watch: Watch = unwatched,
    prepare: "Callable[[Setup], None]" = ready,
) -> Rating:
    """Rate strategies by who wins at their tables (`bigtwo rate`); arguments as in `compare`."""
    from simcore.samples.matches import plan_tables

    plan = plan_tables(rules, entrants, tables, field, players, seed, seatings)
    prepare(plan[0].setup)
    place = None if out is None else str(out)
    sample = Sample(play(plan, deals, first_deal, threads, place, watch))
    nash = nash_frame(sample) if field is None else None
    return Rating(rating_frame(sample), nash, sample.n_deals, plan)


@dataclass(frozen=True)
class RulesCompared:
    """Measures of every rule set, and their differences to the first."""

    measures: pd.DataFrame
    setups: "Sequence[Setup]"

    def _repr_html_(self) -> str:
        return self.measures.to_html(index=False)


def compare_rules(
    rules: "Sequence[str | RuleSet]",
    lineup: "str | Iterable[str | Entrant]",
    deals: int = 10_000,
    vary: str | None = None,
    big_loss: int = BIG_LOSS,
    seed: int = 0,
    seatings: str | None = None,
    players: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    first_deal: int = 0,
    watch: Watch = unwatched,
    prepare: "Callable[[Setup], None]" = ready,
) -> RulesCompared:
    """Play the same cards under several rule sets (`bigtwo compare-rules`).

    vary: instead, one rule set with one of these keys changed at a time, "deal=13,suits". Raises
    InputError, StrategyError, RunError.
    """
    from simcore.samples.matches import play_deals_of, run_folder
    from simcore.samples.measures import join_measures, measure_deals
    from simcore.samples.rule_variants import rule_variants
    from simcore.simulation.setup import make_setup

    given = [rules] if isinstance(rules, str) else list(rules)
    if vary is not None and len(given) != 1:
        raise InputError(f"--vary changes one rule set, and {len(given)} are given; give one")
    wanted: Sequence[str | RuleSet] = given
    if vary is not None:
        if not isinstance(given[0], str):
            raise InputError("vary changes the rule set of a name or a file; give that")
        wanted = rule_variants(given[0], vary)
    if len(wanted) < 2:
        raise InputError("one rule set has nothing to be compared with; give two, or --vary KEY,…")
    setups = [make_setup(name, lineup, seed, players, seatings) for name in wanted]
    names = [setup.rules.name for setup in setups]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"rule set {name!r} is given {names.count(name)} times; give it once")
    prepare(setups[0])
    # Taken together under all rule sets, so that what is paired are the same deals.
    hands = lcm(*(setup.session_hands for setup in setups))
    check_whole("the number of deals", deals, hands)
    measured = {}
    total = deals * sum(setup.seatings_per_deal for setup in setups)
    with watch(total, None if out is None else str(out)) as watched:
        for setup in setups:
            place = None if out is None else run_folder(out, setup.rules.name)
            parts = play_deals_of(
                setup, first_deal, first_deal + deals,
                partial(measure_deals, [e.name for e in setup.lineup], hands=hands),
                threads, place, *watched,
            )  # fmt: skip
            measured[setup.rules.name] = join_measures(parts)
    return RulesCompared(rules_frame(measured, big_loss), setups)
