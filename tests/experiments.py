"""Coverage of intervals in many small experiments whose truth is known.

One large made-up run is cut into experiments of a few deals each; deals are independent, so the
experiments are. Short versions run with every test, long ones with `-m slow`.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy import stats

from analyses.compare import difference_frame, matrix_frame, score_frame, swap_frame
from analyses.contrasts import Sample
from analyses.rate import ELO, nash_frame, rating_frame
from analyses.rules_compared import MEASURES, rules_frame
from simcore.samples.measures import measure_deals
from tests.samples import all_tables, cut, cut_measures, made_up, scored

SKILL = {"A": 2, "B": 1, "C": 0, "D": -1}
STRENGTH = {"A": 2.0, "B": 1.5, "C": 1.0, "D": 0.5}
Covered = dict[str, list[bool]]  # estimator -> whether each experiment's interval held the truth


def _note(found: Covered, name: str, low: float, truth: float, high: float) -> None:
    found.setdefault(name, []).append(bool(low <= truth <= high))


def samples(experiments: int, deals: int, seed: int) -> Iterator[Sample]:
    """Experiments with every table of four strategies."""
    tables = all_tables("ABCD", experiments * deals, skill=SKILL, strength=STRENGTH, seed=seed)
    for i in range(experiments):
        yield Sample([cut(table, i * deals, (i + 1) * deals) for table in tables])


def _share(name: str, *others: str) -> float:
    return STRENGTH[name] / (STRENGTH[name] + sum(STRENGTH[n] for n in others))


def compare_coverage(experiments: int, deals: int, seed: int = 1) -> Covered:
    """Scores, matrix cells and differences; simultaneous intervals count as one."""
    found: Covered = {}
    mean = sum(SKILL.values()) / 4
    for sample in samples(experiments, deals, seed):
        matrix = matrix_frame(sample)
        row = matrix[(matrix["strategy"] == "A") & (matrix["opponent"] == "D")].set_index(
            ["kind", "measure"]
        )
        for kind, seats in (("1v3", 1), ("2v2", 2)):
            payoff = (4 - seats) * (SKILL["A"] - SKILL["D"])
            at = row.loc[(kind, "payoff")]
            _note(found, f"payoff matrix, {kind}", at["low"], payoff, at["high"])
            at = row.loc[(kind, "win_rate")]
            share = _share("A", *("A" * (seats - 1)), *("D" * (4 - seats)))
            _note(found, f"win matrix, {kind}", at["low"], share, at["high"])
        scores = score_frame(sample)
        at = scores[
            (scores["kind"] == "mixed")
            & (scores["strategy"] == "B")
            & (scores["measure"] == "payoff")
        ].iloc[0]
        _note(found, "score, mixed", at["low"], 4 * (SKILL["B"] - mean), at["high"])
        differences = difference_frame(sample, "1v3")
        rows = differences[differences["measure"] == "payoff"].to_dict("records")
        truths = [3.0 * (SKILL[r["first"]] - SKILL[r["second"]]) for r in rows]
        together = [r["low"] <= t <= r["high"] for r, t in zip(rows, truths, strict=True)]
        found.setdefault("differences, all six together", []).append(all(together))
    return found


def swap_coverage(experiments: int, deals: int, seed: int = 2) -> Covered:
    """Two strategies by swapping one seat, and their paired difference."""
    found: Covered = {}
    lineups = (("1v3", "ABBB"), ("1v3", "BAAA"), ("2v2", "ABAB"))
    total = experiments * deals
    tables = [
        scored(kind, who, total, skill=SKILL, strength=STRENGTH, seed=seed) for kind, who in lineups
    ]
    for i in range(experiments):
        sample = Sample([cut(table, i * deals, (i + 1) * deals) for table in tables])
        swaps = swap_frame(sample, "A", "B")
        for row in swaps[swaps["measure"] == "payoff"].to_dict("records"):
            _note(found, f"swap beside {row['opponents']}", row["low"], 3.0, row["high"])
        pair = difference_frame(sample)
        row = pair[pair["measure"] == "payoff"].iloc[0]
        _note(found, "difference of two", row["low"], (3 + 2) / 2, row["high"])
    return found


def control_coverage(experiments: int, deals: int, seed: int = 3) -> Covered:
    """A difference less control variates, their coefficients from one pilot."""
    rng = np.random.default_rng(seed)
    total = experiments * deals
    table = scored("2v2", "ABAB", total + 500, skill=SKILL, seed=seed)
    payoff = table.values("payoff")[:, 0]
    control = (payoff - 2.0 + rng.normal(0, payoff.std(), total + 500))[:, None]  # mean 0
    pilot = Sample([cut(table, total, total + 500)], control[total:])
    found: Covered = {}
    for i in range(experiments):
        a, b = i * deals, (i + 1) * deals
        frame = difference_frame(Sample([cut(table, a, b)], control[a:b], pilot))
        row = frame[frame["measure"] == "payoff"].iloc[0]
        _note(found, "difference, control variates", row["low"], 2.0, row["high"])
    return found


def rating_coverage(experiments: int, deals: int, seed: int = 4, resamples: int = 200) -> Covered:
    """The rating of the best, and its lead."""
    found: Covered = {}
    log = ELO * np.log(list(STRENGTH.values()))
    for sample in samples(experiments, deals, seed):
        frame = rating_frame(sample, resamples=resamples).set_index("strategy")
        a = frame.loc["A"]
        _note(found, "rating", a["low"], float(log[0] - log.mean()), a["high"])
        _note(found, "lead in rating", a["lead_low"], float(log[0] - log[1]), a["lead_high"])
    return found


def nash_coverage(experiments: int, deals: int, seed: int = 6, resamples: int = 100) -> Covered:
    """Weights of a cycle, and payoffs against the best of a ladder."""
    found: Covered = {}
    total = experiments * deals
    # A beats B by 1, B beats C by 2, C beats A by 3: weights 2 : 3 : 1
    cycle = [("A", "B", 1), ("B", "C", 2), ("C", "A", 3)]
    around = [
        scored("2v2", 2 * (a + b), total, skill={a: more, b: 0}, seed=seed) for a, b, more in cycle
    ]
    ladder = [scored("2v2", 2 * (a + b), total, skill=SKILL, seed=seed) for a, b in ("AB", "AC")]
    ladder += [scored("2v2", "BCBC", total, skill=SKILL, seed=seed)]
    for i in range(experiments):
        a, b = i * deals, (i + 1) * deals
        rows = nash_frame(Sample([cut(t, a, b) for t in around]), resamples=resamples)
        for row in rows.to_dict("records"):
            truth = {"A": 2 / 6, "B": 3 / 6, "C": 1 / 6}[row["strategy"]]
            name = f"Nash weight of {row['strategy']}"
            _note(found, name, row["weight_low"], truth, row["weight_high"])
        rows = nash_frame(Sample([cut(t, a, b) for t in ladder]), resamples=resamples)
        for row in rows[rows["strategy"] != "A"].to_dict("records"):
            truth = 4.0 * (SKILL[row["strategy"]] - SKILL["A"])
            _note(found, f"Nash payoff of {row['strategy']}", row["low"], truth, row["high"])
    return found


@lru_cache(maxsize=1)
def _truths() -> tuple[pd.Series, pd.Series]:
    """Measures of two made-up rule sets: from 200,000 deals, but for those known exactly."""
    frame = rules_frame(dict(zip("ab", _measured(200_000, 99), strict=True)))
    one, other = (frame[frame["rules"] == n].set_index("measure")["estimate"] for n in "ab")
    one["starter_win_rate"] = other["starter_win_rate"] = 0.25
    one["starter_payoff"] = other["starter_payoff"] = 0.0
    one["plays"] = other["plays"] = 26.0
    return one, other


def _measured(deals: int, seed: int) -> list:
    return [
        measure_deals(who, made_up(tuple(who), deals, SKILL, STRENGTH, seed, hand=hand, noise=30))
        for who, hand in (("ABCD", 60), ("BACD", 50))
    ]


def rules_coverage(experiments: int, deals: int, seed: int = 5) -> Covered:
    """Every measure of a rule set, and its difference to another."""
    found: Covered = {}
    one, other = _truths()
    whole = _measured(experiments * deals, seed)
    for i in range(experiments):
        parts = [cut_measures(m, i * deals, (i + 1) * deals) for m in whole]
        frame = rules_frame(dict(zip("ab", parts, strict=True)))
        for row in frame.to_dict("records"):
            name = row["measure"]
            if row["rules"] == "a":
                _note(found, name, row["low"], one[name], row["high"])
            else:
                low, high = row["difference_low"], row["difference_high"]
                _note(found, f"difference of {name}", low, other[name] - one[name], high)
    assert len(found) == 2 * len(MEASURES)
    return found


EXPERIMENTS: dict[str, tuple[Callable[..., Covered], int]] = {  # with deals per experiment
    "compare": (compare_coverage, 60),
    "swap": (swap_coverage, 60),
    "control": (control_coverage, 60),
    "rate": (rating_coverage, 150),
    "nash": (nash_coverage, 150),
    "rules": (rules_coverage, 300),
}


def may_be_wide(estimator: str) -> bool:
    """Šidák's is a bound; quantiles of integers move in steps."""
    return "together" in estimator or "payoff_q" in estimator


def check(found: Covered, low: float, high: float) -> dict[str, float]:
    """Coverage of each estimator, within bounds widened by what chance does to so few (99.9 %).

    `may_be_wide` names those that may hold it more often.
    """
    rates = {}
    for name, covered in found.items():
        n = len(covered)
        least = stats.binom.ppf(0.0005, n, low) / n
        most = 1.0 if may_be_wide(name) else stats.binom.ppf(0.9995, n, high) / n
        rates[name] = sum(covered) / n
        assert least <= rates[name] <= most, f"{name}: {rates[name]:.4f} of {n}"
    return rates
