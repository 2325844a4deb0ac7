"""Guards comparisons: known truth, other people's estimators, twins."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analyses.compare import (
    compare,
    difference_frame,
    gain_frame,
    matrix_frame,
    score,
    score_frame,
)
from analyses.contrasts import (
    Contrast,
    Sample,
    holm,
    mean_with_interval,
    p_value,
    share_with_interval,
)
from analyses.verdict import cycles, verdict
from simcore.samples.matches import Table, play_tables
from simcore.samples.scores import MEASURES
from simcore.simulation.setup import make_setup
from simcore.strategies.registry import Entrant, load_strategy
from tests.samples import ORDERS, all_tables, between, by_hand, cell, close, cut, made_up, scored

SKILL = {"A": 3, "B": 1, "C": 0, "D": -1}
STRENGTH = {"A": 2.0, "B": 1.0, "C": 1.0, "D": 0.5}


# ------------------------------------------------------------------ known truth


@pytest.fixture(scope="module")
def known() -> Sample:
    return Sample(all_tables("ABCD", 4000, skill=SKILL, strength=STRENGTH))


def within(row: dict[str, Any], truth: float, errors: float = 4.5) -> None:
    """The truth lies within so many standard errors."""
    error = (row["high"] - row["low"]) / 2 / 1.96
    assert abs(row["estimate"] - truth) <= errors * error, (row, truth)


def test_estimates_find_the_truth(known: Sample) -> None:
    """Mean payoff of a seat: 4 · skill less the sum of the table's skills; wins by strength."""
    for row in matrix_frame(known).to_dict("records"):
        a, b = row["strategy"], row["opponent"]
        seats = 1 if row["kind"] == "1v3" else 2
        payoff = (4 - seats) * (SKILL[a] - SKILL[b])
        share = STRENGTH[a] / (seats * STRENGTH[a] + (4 - seats) * STRENGTH[b])
        within(row, payoff if row["measure"] == "payoff" else share)  # type: ignore[arg-type]
    for a, b in combinations("ABCD", 2):
        mixed = cell(difference_frame(known, "mixed"), first=a, second=b, measure="payoff")
        within(mixed, 4 * (SKILL[a] - SKILL[b]))
        # fields of each of the four: 3 · (skill - mean skill)
        alone = cell(difference_frame(known, "1v3"), first=a, second=b, measure="payoff")
        within(alone, 3 * (SKILL[a] - SKILL[b]))


def test_overall_is_the_mean_of_the_kinds(known: Sample) -> None:
    frame = score_frame(known)
    for name in known.names:
        for measure in MEASURES:
            own = frame[(frame["strategy"] == name) & (frame["measure"] == measure)]
            kinds = own[own["kind"] != "overall"]["estimate"]
            assert len(kinds) == 3
            assert cell(own, kind="overall")["estimate"] == pytest.approx(kinds.mean())


def test_the_order_of_entrants_changes_nothing(known: Sample) -> None:
    turned = Sample(all_tables("DCBA", 4000, skill=SKILL, strength=STRENGTH)[1:])
    straight = Sample(known.tables[1:])
    one = cell(difference_frame(straight, "1v3"), first="A", second="D", measure="payoff")
    other = cell(difference_frame(turned, "1v3"), first="D", second="A", measure="payoff")
    assert one["estimate"] == pytest.approx(-other["estimate"])
    assert one["p_holm"] == pytest.approx(other["p_holm"])


def test_verdict_names_the_best(known: Sample) -> None:
    text = compare(known).verdict
    assert text.startswith("A is the best of 4: ahead of B by ")
    two = Sample([scored("2v2", "ABAB", 500, skill={"A": 0, "B": 2})])
    # fields of A and of B: (4 + 0) / 2 against (0 - 4) / 2
    assert compare(two).verdict.startswith("B is better than A by 3.93 points a playout (3.7")
    even = Sample([scored("2v2", "ABAB", 50, skill={"A": 0, "B": 0})])
    assert "cannot be told apart" in compare(even).verdict
    close_by = Sample(all_tables("ABCD", 200, skill={"A": 9, "B": 9, "C": 0, "D": 0}))
    assert "leads, but cannot be told apart from" in compare(close_by).verdict


def test_verdict_claims_nothing_that_its_interval_denies() -> None:
    """Holm's p may be small where the simultaneous interval still holds 0."""
    rows = difference_frame(Sample([scored("2v2", "ABAB", 50, skill={"A": 1, "B": 0})]))
    assert "better" in verdict(rows, ["A", "B"])
    assert "cannot be told apart" in verdict(rows.assign(low=-1.0, high=9.0), ["A", "B"])
    assert "cannot be told apart" in verdict(rows.assign(p_holm=0.06), ["A", "B"])


def test_verdict_says_when_wins_rank_otherwise() -> None:
    tables = [scored("2v2", "ABAB", 2000, skill={"A": 2, "B": 0}, strength={"A": 1.0, "B": 2.0})]
    text = compare(Sample(tables)).verdict
    assert text.startswith("A is better than B by 3.98 points")
    assert "By wins B is ahead of A: " in text


# ------------------------------------------------------------------ cycles


def paper_scissors_stone(deals: int, edge: int, seed: int = 1) -> Sample:
    """Three strategies, each of which beats the next one by `edge`."""
    tables = [
        scored("2v2", 2 * (a + b), deals, skill={a: edge, b: 0}, seed=seed)
        for a, b in ("AB", "BC", "CA")
    ]
    return Sample(tables)


def test_cycles_are_named_when_significant() -> None:
    found = compare(paper_scissors_stone(500, 2))
    assert found.cycles == [["A", "B", "C"]]
    assert cycles(found.duels, "win_rate") == []
    ladder = Sample(all_tables("ABCD", 300, skill=SKILL))
    assert compare(ladder).cycles == []


def test_longer_cycles_and_their_direction() -> None:
    def frame(*edges: str) -> pd.DataFrame:
        """Edges AB: A beats B; every row is written with its names in alphabetical order."""
        rows = []
        for a, b in edges:
            first, second = sorted((a, b))
            value = 1.0 if first == a else -1.0
            rows.append((first, second, "payoff", value, 0.001))
        return pd.DataFrame(rows, columns=["first", "second", "measure", "estimate", "p_holm"])

    assert cycles(frame("AB", "BC", "CD", "DA")) == [["A", "B", "C", "D"]]
    assert cycles(frame("BA", "CB", "AC")) == [["A", "C", "B"]]
    assert cycles(frame("AB", "BC", "AC")) == []
    weak = frame("AB", "BC", "CA")
    weak.loc[0, "p_holm"] = 0.06
    assert cycles(weak) == []


# ------------------------------------------------------------------ other people's estimators


def test_holm_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 30):
        p = rng.uniform(0, 0.2, n) ** 2
        assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1])


def test_clustered_error_is_that_of_statsmodels(known: Sample) -> None:
    """Regression on a constant, errors clustered by deal, over single playouts."""
    table = cut(known.tables[1], 0, 200)
    playouts = made_up(("A", "B", "B", "B"), 4000, SKILL, STRENGTH).slice(0, 800)
    seat = (ORDERS[playouts["seating"].to_numpy()] == 0).argmax(axis=1)
    payoff = np.column_stack([playouts[f"payoff_{s}"].to_numpy() for s in range(4)])
    y = payoff[np.arange(800), seat].astype(float)
    fit = sm.OLS(y, np.ones(800)).fit(
        cov_type="cluster", cov_kwds={"groups": playouts["deal"].to_numpy()}
    )
    row = cell(matrix_frame(Sample([table])), strategy="A", measure="payoff")
    close(row, fit.params[0], stats.t.ppf(0.975, 199) * fit.bse[0])


def test_paired_t_is_that_of_scipy(known: Sample) -> None:
    sample = Sample([cut(t, 0, 60) for t in known.tables])
    rows = difference_frame(sample, "mixed")
    a, b = (sample.values(score(sample, n, "payoff", "mixed"), "payoff") for n in "AC")
    found = stats.ttest_rel(a, b)
    row = cell(rows, first="A", second="C", measure="payoff")
    assert row["p"] == pytest.approx(found.pvalue, rel=1e-9)
    each = 0.95 ** (1 / 6)  # Šidák over six pairs
    half = stats.t.ppf((1 + each) / 2, 59) * np.std(a - b, ddof=1) / math.sqrt(60)
    close(row, (a - b).mean(), half)


def test_clustered_variance_is_that_of_a_bootstrap(known: Sample) -> None:
    sample = Sample([cut(t, 0, 400) for t in known.tables])
    values = sample.values(score(sample, "A", "payoff") - score(sample, "B", "payoff"), "payoff")
    rng = np.random.default_rng(1)
    means = values[rng.integers(0, 400, (4000, 400))].mean(axis=1)
    found = mean_with_interval(values)
    error = (found.high - found.low) / 2 / stats.t.ppf(0.975, 399)
    assert error == pytest.approx(means.std(), rel=0.05)


def test_p_is_that_of_a_permutation_test() -> None:
    """Under no difference the sign of each deal's difference is a coin's."""
    rng = np.random.default_rng(5)
    sample = Sample([scored("2v2", "ABAB", 60, skill={"A": 0, "B": 0}, seed=8)])
    values = sample.values(score(sample, "A", "payoff") - score(sample, "B", "payoff"), "payoff")
    signs = rng.choice([-1, 1], (20_000, len(values)))
    p = (np.abs((signs * values).mean(axis=1)) >= abs(values.mean()) - 1e-12).mean()
    assert p_value(values) == pytest.approx(p, abs=0.015)


# ------------------------------------------------------------------ control variates


def test_control_variates_narrow_the_interval_and_keep_the_truth() -> None:
    rng = np.random.default_rng(2)
    sets = []
    for deals in (400, 400):
        x = rng.normal(size=(deals, 2))
        payoffs = np.round(100 * (2 + 3 * x[:, 0] + rng.normal(size=deals))).astype(int)
        table = by_hand("2v2", "ABAB", [[2 * v, -2 * v] for v in payoffs], [[1, 0]] * deals)
        sets.append((table, x))
    (pilot, pilot_x), (table, x) = sets
    plain = Sample([table])
    used = Sample([table], x, Sample([pilot], pilot_x))
    rows = [cell(difference_frame(s), measure="payoff") for s in (plain, used)]
    widths = [row["high"] - row["low"] for row in rows]
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(10), rel=0.1)
    within(rows[1], 200)
    gain = cell(gain_frame(used), measure="payoff")["control"]
    assert gain == pytest.approx((widths[0] / widths[1]) ** 2)


def test_coefficients_come_from_the_pilot_alone() -> None:
    table = by_hand("2v2", "ABAB", [[2, -2], [4, -4], [6, -6]], [[1, 0]] * 3)
    pilot = by_hand("2v2", "ABAB", [[0, 0], [20, -20], [40, -40]], [[1, 0]] * 3)
    x = np.array([[-1.0], [0.0], [1.0]])
    sample = Sample([table], x, Sample([pilot], x))
    contrast = Contrast({(0, 0): 1.0})
    assert sample.values(contrast, "payoff").tolist() == pytest.approx([11, 2, -7])


# ------------------------------------------------------------------ twins


def test_twins_have_no_false_winner_beyond_the_level() -> None:
    """The same strategy under two names, 200 times 40 real deals: 5 % of the p below 0.05."""
    twins = [Entrant(name, load_strategy("random"), ()) for name in ("A", "B")]
    a, b = twins
    lineups = [("1v3", (a, b, b, b)), ("1v3", (b, a, a, a)), ("2v2", (a, b, a, b))]
    tables = [Table(k, make_setup("lockout", who, 3, None, "balanced")) for k, who in lineups]
    scores = play_tables(tables, 200 * 40)
    false = dict.fromkeys(MEASURES, 0)
    for i in range(200):
        sample = Sample([cut(s, 40 * i, 40 * (i + 1)) for s in scores])
        for row in difference_frame(sample).to_dict("records"):
            false[row["measure"]] += row["p_holm"] < 0.05
    for count in false.values():
        between(stats.binom.ppf(0.001, 200, 0.05), count, stats.binom.ppf(0.999, 200, 0.05))


def test_identical_strategies_under_all_seatings_differ_by_exactly_nothing() -> None:
    twins = [Entrant(name, load_strategy("dump"), ()) for name in ("A", "B")]
    table = Table("2v2", make_setup("maceplay", twins * 2, 0, None, "all"))
    sample = Sample(play_tables([table], 20))
    found = compare(sample)
    assert (found.differences[["estimate", "low", "high"]] == 0).all(axis=None)
    assert (found.differences["p_holm"] == 1).all() and found.gains.empty
    assert "cannot be told apart" in found.verdict


# ------------------------------------------------------------------ small and strange


def test_one_deal_has_means_and_no_interval() -> None:
    sample = Sample([cut(t, 0, 1) for t in all_tables("ABCD", 3, skill=SKILL)])
    found = compare(sample)
    assert found.differences["low"].isna().all() and (found.differences["p_holm"] == 1).all()
    assert found.verdict.startswith("One deal cannot tell strategies apart")
    assert found.cycles == [] and found.gains.empty
    assert found.as_dict()["scores"][0]["low"] is None


def test_deals_that_agree_exactly_are_judged_by_their_signs() -> None:
    assert p_value(np.array([2.0, 2.0, 2.0])) == 0.25
    assert p_value(np.zeros(5)) == 1.0
    assert p_value(np.array([1.0])) == 1.0
    one = by_hand("2v2", "ABAB", [[2, -2]] * 3, [[1, 0]] * 3)
    assert "cannot be told apart" in compare(Sample([one])).verdict


def test_a_comparison_is_one_tidy_table_too(known: Sample) -> None:
    found = compare(known)
    tidy = found.tidy()
    assert set(tidy["frame"]) == {"scores", "matrix", "differences", "duels", "gains"}
    assert len(tidy) == sum(len(f) for f in found.frames().values())
    assert verdict(found.differences, known.names) in found._repr_html_()


def test_win_rates_of_few_deals_stay_inside_0_to_1() -> None:
    """Where nothing was won, or everything, the interval has a width and no impossible end."""
    skill, strength = {"A": 1, "B": 0}, {"A": 1e9, "B": 1.0}
    lineups = ("1v3", "ABBB"), ("1v3", "BAAA")
    found = compare(Sample([scored(*one, 6, skill=skill, strength=strength) for one in lineups]))
    for frame in (found.scores, found.matrix):
        rates = frame[frame["measure"] == "win_rate"]
        assert len(rates) and (rates["low"] >= 0).all() and (rates["high"] <= 1).all()
        assert (rates["low"] <= rates["estimate"]).all()
        assert (rates["high"] >= rates["estimate"]).all()
    duels = found.duels[found.duels["measure"] == "win_rate"]
    assert (duels["low"] >= -1).all() and (duels["high"] <= 1).all()
    none = share_with_interval(np.zeros(6), 4)
    assert none.low == none.mean == 0 and 0.05 < none.high < 1


@pytest.mark.parametrize("share", [0.02, 0.25])
def test_share_intervals_over_deals_cover(share: float) -> None:
    """At 20 deals of four playouts each, which agree more than chance."""
    chance = np.random.default_rng(7)
    trials, hits = 1500, 0
    for _ in range(trials):
        of_deal = chance.beta(2 * share, 2 * (1 - share), size=20)
        values = chance.binomial(4, of_deal) / 4
        found = share_with_interval(values, 4)
        hits += found.low <= share <= found.high
    assert hits / trials > 0.93, hits / trials
