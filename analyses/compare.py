"""Which strategy is better, by how much, how sure: tables played on the same deals, compared.

Every estimate is a mean over deals of a contrast (analyses.contrasts), with its Student interval,
for win rates with Wilson's; differences are paired on common deals.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from html import escape
from itertools import combinations
from typing import Any

import pandas as pd

from analyses.cells import records
from analyses.contrasts import (
    Contrast,
    Sample,
    holm,
    mean_of,
    mean_with_interval,
    p_value,
    variance,
)
from analyses.intervals import LEVEL, Estimate
from analyses.verdict import cycles, verdict
from simcore.samples.scores import MEASURES

OVERALL = "overall"


def kinds_of(sample: Sample) -> list[str]:
    """The kinds of tables that were played."""
    return list(dict.fromkeys(table.kind for table in sample.tables))


def _at(sample: Sample, t: int, name: str) -> Contrast:
    return Contrast({(t, sample.tables[t].groups.index(name)): 1.0})


def score(sample: Sample, name: str, measure: str, kind: str = OVERALL) -> Contrast:
    """An entrant's score: its mean result per playout and seat at the tables of a kind.

    `mixed`: over all tables at which it sits. `1v3` and the like: over a field of each entrant,
    its own included, so that all meet the same opponents; at a table of oneself payoffs are 0 and
    win rates 1 / players, exactly. `field`: alone in the field. `overall`: over the kinds.
    """
    if kind == OVERALL:
        return mean_of([score(sample, name, measure, k) for k in kinds_of(sample)])
    own = Contrast({}, sample.constant(measure))
    if kind == "mixed":
        places = [t for t, table in enumerate(sample.tables) if table.kind == kind]
        return mean_of([_at(sample, t, name) for t in places if name in sample.tables[t].groups])
    if kind == "field":
        found = [t for t, table in enumerate(sample.tables) if table.lineup[0] == name]
        return _at(sample, found[0], name) if found else own
    others = [n for n in sample.names if n != name]
    return mean_of([own, *(against(sample, name, other, kind) for other in others)])


def against(sample: Sample, name: str, other: str, kind: str) -> Contrast:
    """Mean result of one strategy at the table of a kind that it shares with another alone.

    At `1v3` the first is alone against three of the other; at `2v2` both hold two seats.
    """
    for t, table in enumerate(sample.tables):
        if table.kind == kind and set(table.lineup) == {name, other}:
            if table.lineup[0] == name or table.lineup.count(name) * 2 == len(table.lineup):
                return _at(sample, t, name)
    raise KeyError((name, other, kind))


def _row(found: Estimate) -> dict[str, float | int]:
    return {"estimate": found.mean, "low": found.low, "high": found.high, "deals": found.n_deals}


def _difference(values: Any, measure: str, level: float, family: int = 1) -> Estimate:
    return mean_with_interval(values, level, family, 1.0 if measure == "win_rate" else math.inf)


def score_frame(sample: Sample, level: float = LEVEL) -> pd.DataFrame:
    """Scores of all entrants, by kind of table and overall: kind, strategy, measure, estimate, …

    Estimator: `score`; interval: Student's t over deals, Wilson's for win rates.
    """
    kinds = kinds_of(sample)
    rows = [
        {
            "kind": kind,
            "strategy": name,
            "measure": measure,
            **_row(sample.estimate(score(sample, name, measure, kind), measure, level)),
        }
        for kind in ([OVERALL, *kinds] if len(kinds) > 1 else [OVERALL])
        for name in sample.names
        for measure in MEASURES
    ]
    return pd.DataFrame(rows)


def matrix_frame(sample: Sample, level: float = LEVEL) -> pd.DataFrame:
    """The payoff and win matrix: a row per kind, strategy, opponent and measure.

    Estimator: `against`, the mean result per playout and seat of `strategy` where only it and
    `opponent` sit; intervals as in `score_frame`. Without tables of two strategies it is empty.
    """
    rows = []
    for table in sample.tables:
        if len(table.groups) != 2 or table.kind == "mixed":
            continue
        pairs = [table.groups]
        if table.lineup.count(table.groups[0]) * 2 == len(table.lineup):
            pairs.append(table.groups[::-1])
        for name, other in pairs:
            for measure in MEASURES:
                contrast = against(sample, name, other, table.kind)
                rows.append(
                    {
                        "kind": table.kind,
                        "strategy": name,
                        "opponent": other,
                        "measure": measure,
                        **_row(sample.estimate(contrast, measure, level)),
                    }
                )
    columns = ["kind", "strategy", "opponent", "measure", "estimate", "low", "high", "deals"]
    return pd.DataFrame(rows, columns=columns)


def _compared(
    sample: Sample, pairs: Iterable[tuple[str, str, dict[str, Contrast]]], level: float
) -> pd.DataFrame:
    """Differences of pairs, adjusted within each measure."""
    rows = []
    found = list(pairs)
    for measure in MEASURES:
        samples = [sample.values(contrasts[measure], measure) for _, _, contrasts in found]
        raw = [p_value(values) for values in samples]
        for (first, second, _), values, p, adjusted in zip(
            found, samples, raw, holm(raw), strict=True
        ):
            rows.append(
                {
                    "first": first,
                    "second": second,
                    "measure": measure,
                    **_row(_difference(values, measure, level, len(found))),
                    "p": p,
                    "p_holm": adjusted,
                }
            )
    return pd.DataFrame(rows)


def difference_frame(sample: Sample, kind: str = OVERALL, level: float = LEVEL) -> pd.DataFrame:
    """All pairwise differences of scores, first - second, paired on common deals.

    Columns: first, second, measure, estimate, low, high, deals, p, p_holm. The intervals of one
    measure hold together (Šidák 1967), p_holm is adjusted for the number of pairs (Holm 1979).
    """
    pairs = (
        (a, b, {m: score(sample, a, m, kind) - score(sample, b, m, kind) for m in MEASURES})
        for a, b in combinations(sample.names, 2)
    )
    return _compared(sample, pairs, level)


def duel(sample: Sample, name: str, other: str, measure: str) -> Contrast:
    """One strategy's result less another's where both sit: tables of just the two, if there are."""
    shared = [t for t, table in enumerate(sample.tables) if {name, other} <= set(table.groups)]
    alone = [t for t in shared if len(sample.tables[t].groups) == 2]
    return mean_of([_at(sample, t, name) - _at(sample, t, other) for t in alone or shared])


def duel_frame(sample: Sample, level: float = LEVEL) -> pd.DataFrame:
    """Head to head: first - second at the tables that both sit at, as in `difference_frame`.

    Pairs that never sit at one table, as in a field of a third, are left out.
    """
    pairs = [
        (a, b, {measure: duel(sample, a, b, measure) for measure in MEASURES})
        for a, b in combinations(sample.names, 2)
        if any({a, b} <= set(table.groups) for table in sample.tables)
    ]
    return _compared(sample, pairs, level)


def swap_frame(sample: Sample, first: str, second: str, level: float = LEVEL) -> pd.DataFrame:
    """Two strategies by swapping one seat: first - second on the same deal, in the same seat.

    One row per set of opponents and measure, and one for the mean over the sets (`opponents` =
    "mean"). Estimator: mean over deals of the difference between two tables whose lineups differ in
    one slot; a table of a single strategy is known exactly. Interval: Student's t, one at a time.
    """
    at = {tuple(sorted(table.lineup)): t for t, table in enumerate(sample.tables)}
    sets: dict[tuple[str, ...], None] = {}
    for lineup in at:
        for name in (first, second):
            if name in lineup:
                rest = Counter(lineup)
                rest[name] -= 1
                sets[tuple(sorted(rest.elements()))] = None

    def result(name: str, opponents: tuple[str, ...], measure: str) -> Contrast | None:
        lineup = tuple(sorted((name, *opponents)))
        if set(lineup) == {name}:
            return Contrast({}, sample.constant(measure))
        return _at(sample, at[lineup], name) if lineup in at else None

    rows = []
    for measure in MEASURES:
        found: dict[str, Contrast] = {}
        for opponents in sets:
            one, other = (result(name, opponents, measure) for name in (first, second))
            if one is not None and other is not None:
                found[", ".join(opponents)] = one - other
        if len(found) > 1:
            found["mean"] = mean_of(list(found.values()))
        rows += [
            {
                "opponents": name,
                "measure": measure,
                **_row(_difference(sample.values(c, measure), measure, level)),
            }
            for name, c in found.items()
        ]
    columns = ["opponents", "measure", "estimate", "low", "high", "deals"]
    return pd.DataFrame(rows, columns=columns)


def gain_frame(sample: Sample) -> pd.DataFrame:
    """How much the design saves: per kind, pair and measure, ratios of variances.

    Columns: kind, first, second, measure, `seatings` (independent playouts that one playout of a
    deal in all its seatings is worth), `pairing` (what sharing deals among tables adds to that),
    `control` (what control variates add), `playouts` (their product: how many times fewer playouts
    than with every playout on a deal of its own), `deals` (how many times fewer deals).
    Pairs without any spread are left out. Estimator: ratios of `Sample.independent_variance`,
    `Sample.separate_variance` and the variance between deals.
    """
    kinds = kinds_of(sample)
    rows = []
    for kind in [*kinds, *([OVERALL] if len(kinds) > 1 else [])]:
        for a, b in combinations(sample.names, 2):
            for measure in MEASURES:
                contrast = score(sample, a, measure, kind) - score(sample, b, measure, kind)
                plain = variance(sample._raw(contrast, measure))
                used = variance(sample.values(contrast, measure))
                if not (used > 0 and plain > 0):
                    continue
                alone = sample.independent_variance(contrast, measure)
                apart = sample.separate_variance(contrast, measure)
                each = sample.tables[0].seatings_per_deal
                rows.append(
                    {
                        "kind": kind,
                        "first": a,
                        "second": b,
                        "measure": measure,
                        "seatings": alone / apart / each,
                        "pairing": apart / plain,
                        "control": plain / used,
                        "playouts": alone / used / each,
                        "deals": alone / used * sample.tables_of(contrast),
                    }
                )
    columns = [
        *("kind", "first", "second", "measure", "seatings", "pairing", "control"),
        *("playouts", "deals"),
    ]
    return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class Comparison:
    """Everything that a comparison says; the frames are those of the functions of this module."""

    verdict: str
    cycles: list[list[str]]
    scores: pd.DataFrame
    matrix: pd.DataFrame
    differences: pd.DataFrame
    duels: pd.DataFrame
    swaps: pd.DataFrame  # of two strategies; else empty
    gains: pd.DataFrame

    def frames(self) -> dict[str, pd.DataFrame]:
        """The frames by name."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: f for name, f in found.items() if isinstance(f, pd.DataFrame)}

    def tidy(self) -> pd.DataFrame:
        """All frames as one, with a column that names the frame."""
        return pd.concat(
            [f.assign(frame=name) for name, f in self.frames().items() if len(f)],
            ignore_index=True,
        ).pipe(lambda f: f[["frame", *(c for c in f.columns if c != "frame")]])

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; an interval that is unknown is None."""
        found = {name: records(frame) for name, frame in self.frames().items()}
        return {"verdict": self.verdict, "cycles": self.cycles, **found}

    def _repr_html_(self) -> str:
        tables = "".join(
            f"<h4>{name}</h4>{frame.to_html(index=False)}" for name, frame in self.frames().items()
        )
        return f"<p>{escape(self.verdict)}</p>{tables}"


def compare(sample: Sample, level: float = LEVEL) -> Comparison:
    """Compare the strategies of some tables that were played on the same deals."""
    differences, duels = difference_frame(sample, level=level), duel_frame(sample, level)
    alone = [t.lineup[0] for t in sample.tables if t.kind == "field"] or sample.names
    two = alone if len(alone) == 2 else None
    return Comparison(
        verdict(differences, sample.names, level),
        cycles(duels, level=level),
        score_frame(sample, level),
        matrix_frame(sample, level),
        differences,
        duels,
        swap_frame(sample, two[0], two[1], level) if two else pd.DataFrame(),
        gain_frame(sample),
    )
