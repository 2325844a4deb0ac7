"""`simulate`: a run in one call."""

from collections.abc import Iterable
from concurrent.futures import Executor
from pathlib import Path

from simcore.game.ruleset import RuleSet
from simcore.runs.collect import Collector, Progress
from simcore.runs.result import Run
from simcore.runs.stopping import Until
from simcore.runs.turns import Filling, turns_wanted
from simcore.simulation.setup import make_setup
from simcore.simulation.watch import DECISION_LIMIT
from simcore.strategies.registry import Entrant


def simulate(
    rules: str | RuleSet,
    lineup: str | Iterable[str | Entrant],
    deals: int | None = None,
    seed: int = 0,
    seatings: str | None = None,
    players: int | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    summary_only: bool = False,
    stake: int = 1,
    first_deal: int = 0,
    executor: Executor | None = None,
    until: str | Until | None = None,
    max_time: str | float | None = None,
    progress: Progress | None = None,
    decision_limit: str | float = DECISION_LIMIT,
    turns: bool = False,
    turns_every: int | None = None,
) -> Run:
    """Play `deals` deals, each under every seating of the plan, and add up the results.

    seatings: fixed, rotations, balanced or all (default: balanced for a mixed lineup, fixed for
    one strategy); threads: default all cores; out: the run's folder (or a URL), where the same call
    again finishes or extends the run; without it, playouts stay in memory (summary_only: only the
    sums). first_deal: number of the first deal, to share a run among machines. executor: anything
    with the interface of concurrent.futures.Executor, `threads` its number of workers. until:
    "half-width=0.002:metric=win_rate:strategy=dump"; max_time: seconds, or "10m"; decision_limit:
    seconds for a decision, after which a strategy counts as never returning. A lineup with a
    strategy in plain Python is played in processes instead of threads. turns: also write one row
    for each turn into out/turns, when the playouts are there; turns_every: of every so many deals
    only; a run that was played without gets them by the same call. Raises InputError,
    StrategyError, RunError.
    """
    every = turns_wanted(turns, turns_every, out)
    setup = make_setup(rules, lineup, seed, players, seatings, stake)
    collector = Collector(
        setup, deals, threads, out, summary_only, first_deal, executor, until, max_time,
        decision_limit,
    )  # fmt: skip
    run = collector.run(progress)
    if every and run.complete and run.folder is not None:
        filling = Filling(run.folder, setup, every, collector.threads, None, collector.limit)
        filling.run()
        run.notes.extend(filling.notes)
    return run
