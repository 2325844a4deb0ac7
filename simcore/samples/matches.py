"""Many tables on the same deals: which lineups to play, and playing them.

Each table is a run of its own; with a folder, every run is kept below it, and the same call again
finishes or extends what is there.
"""

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, permutations
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from simcore.errors import InputError, nearest
from simcore.game.ruleset import RuleSet, load_rules
from simcore.runs.collect import Collector
from simcore.runs.reading import read_run
from simcore.samples.scores import Scores, join_scores, score_table
from simcore.simulation.setup import Setup, make_setup
from simcore.strategies.registry import Entrant, parse_entrant

T = TypeVar("T")
Reduce = Callable[[pa.Table], T]  # playouts of whole deals, ordered by deal, to what is wanted
Progress = Callable[[int], None]  # called with the number of playouts that are new


@dataclass(frozen=True)
class Table:
    """A lineup at which entrants meet."""

    kind: str  # "mixed", "1v3", "2v2", … or "field"
    setup: Setup

    @property
    def names(self) -> tuple[str, ...]:
        """The lineup, by slot."""
        return tuple(entrant.name for entrant in self.setup.lineup)

    def score(self, playouts: pa.Table) -> Scores:
        """What its deals brought each strategy."""
        return score_table(self.kind, self.names, playouts, self.setup.session_hands)


def read_entrants(entrants: str | Iterable[str | Entrant]) -> list[Entrant]:
    """Distinct entrants, each NAME or NAME:key=value. Raises InputError."""
    given = entrants.split(",") if isinstance(entrants, str) else list(entrants)
    found = [e if isinstance(e, Entrant) else parse_entrant(e) for e in given]
    names = [entrant.name for entrant in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name!r} is given {names.count(name)} times; give each entrant once")
    return found


def table_kinds(players: int) -> list[str]:
    """The kinds of tables that `all` stands for: mixed, and one against the rest, two against …"""
    return ["mixed", *(f"{k}v{players - k}" for k in range(1, players // 2 + 1))]


def _duels(entrants: Sequence[Entrant], players: int, first: int) -> Iterator[tuple[Entrant, ...]]:
    """Lineups in which one entrant holds `first` seats and another the rest."""
    rest = players - first
    pairs = combinations(entrants, 2) if first == rest else permutations(entrants, 2)
    for a, b in pairs:
        yield (a, b) * first if first == rest else (a,) * first + (b,) * rest


def plan_tables(
    rules: str | RuleSet,
    entrants: str | Iterable[str | Entrant],
    tables: str = "all",
    field: str | Entrant | None = None,
    players: int | None = None,
    seed: int = 0,
    seatings: str | None = None,
) -> list[Table]:
    """The tables at which entrants meet, to be played on the same deals.

    tables: `mixed` (every choice of entrants that fills a table), `1v3` (each alone against three
    of each other), `2v2` (two of each), for three players `1v2` = `2v1`, or `all` of them. field:
    instead, each entrant alone against this strategy in all other seats. Raises InputError.
    """
    who = read_entrants(entrants)
    rule_set = load_rules(rules)
    if players is None:
        players = 4 if 4 in rule_set.players else max(rule_set.players)
    if players not in rule_set.players:
        allowed = " or ".join(str(n) for n in rule_set.players)
        raise InputError(f"{players} players: rule set {rule_set.name!r} is played by {allowed}")
    kinds = table_kinds(players)
    lineups: list[tuple[str, tuple[Entrant, ...]]] = []
    if field is not None:
        if tables != "all":
            raise InputError(
                f"--field and --tables {tables} exclude each other: a field has one kind of table"
            )
        other = field if isinstance(field, Entrant) else parse_entrant(field)
        lineups = [("field", (e, *(other,) * (players - 1))) for e in who if e.name != other.name]
        if len({*(e.name for e in who), other.name}) < 2:
            raise InputError(f"{other.name!r} is the field itself; give another entrant")
    else:
        wanted = kinds if tables == "all" else [_kind(tables, players)]
        if len(who) < 2:
            raise InputError("one entrant has nobody to meet; give two or more, or a --field")
        if wanted == ["mixed"] and len(who) < players:
            raise InputError(
                f"{len(who)} entrants do not fill a mixed table of {players}; give {players} or "
                f"more, or --tables {', '.join(kinds[1:])} or all"
            )
        for kind in wanted:
            if kind == "mixed":
                lineups += [(kind, found) for found in combinations(who, players)]
            else:
                lineups += [(kind, found) for found in _duels(who, players, int(kind[0]))]
    plan = seatings or "balanced"
    return [
        Table(kind, make_setup(rule_set, lineup, seed, players, plan)) for kind, lineup in lineups
    ]


def _kind(text: str, players: int) -> str:
    """A kind of table as it is named here; 3v1 is 1v3. Raises InputError."""
    kinds = table_kinds(players)
    turned = "v".join(reversed(text.split("v")))
    for name in (text, turned):
        if name in kinds:
            return name
    raise InputError(f"unknown tables {text!r} for {players} players; {nearest(text, kinds)}")


def run_folder(parent: str | Path, name: str) -> str:
    """Place of a run below a folder (or URL): its name where that is a file name, else a hash."""
    plain = re.sub(r"[^\w.,=-]+", "_", name)
    if plain != name or len(plain) > 100 or not plain.strip("."):
        plain = f"{plain[:80]}-{sha256(name.encode()).hexdigest()[:8]}"
    return f"{str(parent).rstrip('/')}/{plain}"


def play_deals_of(
    setup: Setup,
    first: int,
    end: int,
    reduce: Reduce[T],
    threads: int | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    notes: list[str] | None = None,
) -> list[T]:
    """Play deals first … end - 1 of a run and reduce them part by part, in order of deals.

    out: the run's folder, in which the deals may be already. Memory holds what `reduce` returns
    and the parts being played; `notes` gets what the folder has to say. Stopped halfway, it raises
    KeyboardInterrupt; finished parts are kept.
    """
    collector = Collector(setup, end - first, threads, out, first_deal=first)
    if stop is not None:
        collector.stop = stop
    total = (end - first) * setup.seatings_per_deal
    seen = 0

    def tick() -> None:
        nonlocal seen
        done = min(collector.played, total)
        if progress is not None:
            progress(done - seen)
        seen = done

    pieces: list[tuple[int, T]] = []
    started = time.monotonic()
    try:
        for done in collector.iter_collect(tick):
            if done.table is not None:
                pieces.append((done.first, reduce(done.table)))
                collector.tables.clear()
    finally:
        collector.close(time.monotonic() - started)
        if notes is not None:
            notes += collector.notes
    if collector.stop.is_set():
        raise KeyboardInterrupt
    if out is not None:
        tables = read_run(out).tables_of_deals(first, end)
        pieces = [(table["deal"][0].as_py(), reduce(table)) for table in tables]
    if progress is not None:
        progress(total - seen)
    return [piece for _, piece in sorted(pieces, key=lambda pair: pair[0])]


def play_tables(
    tables: Sequence[Table],
    deals: int,
    first_deal: int = 0,
    threads: int | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    notes: list[str] | None = None,
) -> list[Scores]:
    """Play all tables on the same deals; per table what each deal brought each strategy.

    out: a folder below which every table's run is kept. Raises InputError, StrategyError, RunError;
    KeyboardInterrupt when stopped.
    """
    found = []
    for table in tables:
        place = None if out is None else run_folder(out, ",".join(table.names))
        end = first_deal + deals
        parts = play_deals_of(
            *(table.setup, first_deal, end, table.score, threads, place, progress, stop, notes)
        )
        found.append(join_scores(parts))
    return found


def extend_scores(scores: Sequence[Scores], more: Sequence[Scores]) -> list[Scores]:
    """The same tables with the deals that follow."""
    return [join_scores(pair) for pair in zip(scores, more, strict=True)]
