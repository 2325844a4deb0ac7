"""Guards comparisons: hand-worked tables, known truth, other people's estimators, twins."""

import math
from dataclasses import replace
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
    cycles,
    difference_frame,
    duel_frame,
    gain_frame,
    matrix_frame,
    score,
    score_frame,
    swap_frame,
    verdict,
)
from analyses.contrasts import Contrast, Sample, critical, holm, mean_with_interval, p_value
from simcore.errors import InputError
from simcore.samples.matches import Table, play_tables
from simcore.samples.scores import MEASURES, Scores
from simcore.simulation.setup import make_setup
from simcore.strategies.registry import Entrant, load_strategy
from tests.samples import ORDERS, all_tables, between, cut, made_up, scored

SKILL = {"A": 3, "B": 1, "C": 0, "D": -1}
STRENGTH = {"A": 2.0, "B": 1.0, "C": 1.0, "D": 0.5}


def by_hand(kind: str, lineup: str, payoffs: list[list[int]], wins: list[list[int]]) -> Scores:
    """A table with given sums per deal and group; one seating a deal."""
    sums = np.array([payoffs, wins], np.int64)
    products = np.zeros((2, *(2 * [sums.shape[2]])))
    return Scores(kind, tuple(lineup), 0, np.zeros((sums.shape[1], 1), np.int8), sums, products)


def cell(frame: pd.DataFrame, **where: str) -> dict[str, Any]:
    """The one row with these values."""
    found = frame
    for column, value in where.items():
        found = found[found[column] == value]
    (row,) = found.to_dict("records")
    return {str(k): v for k, v in row.items()}


def close(row: dict[str, Any], mean: float, half: float) -> None:
    assert row["estimate"] == pytest.approx(mean, abs=1e-12)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=1e-9, abs=1e-12)
    assert (row["high"] + row["low"]) / 2 == pytest.approx(mean, abs=1e-9)


# ------------------------------------------------------------------ by hand

# A alone against three B: +6, 0, +3 for A; B alone against three A: -3, +3, -3 for B.
HAND = [
    by_hand("1v3", "ABBB", [[6, -6], [0, 0], [3, -3]], [[1, 0], [0, 1], [1, 0]]),
    by_hand("1v3", "BAAA", [[-3, 3], [3, -3], [-3, 3]], [[0, 1], [1, 0], [0, 1]]),
]


def test_matrix_by_hand() -> None:
    """Means (6 + 0 + 3) / 3 and (-3 + 3 - 3) / 3, standard deviations 3 and √12, t of 2: 4.3027."""
    frame = matrix_frame(Sample(HAND))
    t = 4.302652729696142
    close(cell(frame, strategy="A", measure="payoff"), 3.0, t * 3 / math.sqrt(3))
    close(cell(frame, strategy="B", measure="payoff"), -1.0, t * math.sqrt(12) / math.sqrt(3))
    assert cell(frame, strategy="A", measure="win_share")["estimate"] == pytest.approx(2 / 3)
    assert set(frame["opponent"]) == {"A", "B"} and set(frame["deals"]) == {3}


def test_scores_by_hand_count_the_field_of_oneself() -> None:
    """A meets fields of A (exactly 0) and of B: half of 3; wins half of 1/4 + 2/3."""
    frame = score_frame(Sample(HAND))
    assert cell(frame, strategy="A", measure="payoff")["estimate"] == 1.5
    assert cell(frame, strategy="B", measure="payoff")["estimate"] == -0.5
    wins = cell(frame, strategy="A", measure="win_share")["estimate"]
    assert wins == pytest.approx((1 / 4 + 2 / 3) / 2)


def test_differences_by_hand_are_paired() -> None:
    """Deal by deal (6 + 3) / 2, (0 - 3) / 2, (3 + 3) / 2: mean 2, variance 9.75."""
    row = cell(difference_frame(Sample(HAND)), measure="payoff")
    close(row, 2.0, 4.302652729696142 * math.sqrt(9.75 / 3))
    assert row["p"] == pytest.approx(stats.ttest_1samp([4.5, -1.5, 3.0], 0).pvalue, rel=1e-9)
    assert row["p_holm"] == row["p"]


def test_swaps_by_hand() -> None:
    """Beside three B: A got 3, B gets 0. Beside three A: A gets 0, B got -1."""
    frame = swap_frame(Sample(HAND), "A", "B")
    assert cell(frame, opponents="B, B, B", measure="payoff")["estimate"] == 3.0
    assert cell(frame, opponents="A, A, A", measure="payoff")["estimate"] == 1.0
    assert cell(frame, opponents="mean", measure="payoff")["estimate"] == 2.0
    assert len(frame) == 6


def test_swap_needs_the_same_opponents() -> None:
    """ABCD and EBCD differ in one seat, ABCD and EBCC in two."""
    one = by_hand("mixed", "ABCD", [[6, -2, -2, -2]] * 2, [[1, 0, 0, 0]] * 2)
    other = by_hand("mixed", "EBCD", [[2, -2, 2, -2]] * 2, [[1, 0, 0, 0]] * 2)
    wrong = by_hand("mixed", "EBCC", [[2, -1, -1]] * 2, [[1, 0, 0]] * 2)
    frame = swap_frame(Sample([one, other, wrong]), "A", "E")
    assert frame["opponents"].tolist() == ["B, C, D"] * 2
    assert frame["estimate"].tolist() == [4.0, 0.0]
    assert swap_frame(Sample([one, wrong]), "A", "E").empty


def test_mixed_score_is_the_mean_over_its_tables() -> None:
    tables = [
        by_hand("mixed", "ABCD", [[4, 0, 0, -4], [0, 0, 0, 0]], [[1, 0, 0, 0]] * 2),
        by_hand("mixed", "ABCE", [[8, -8, 0, 0], [4, 0, 0, -4]], [[1, 0, 0, 0]] * 2),
    ]
    sample = Sample(tables)
    assert sample.names == list("ABCDE")
    assert score_frame(sample).query("measure == 'payoff'")["estimate"].tolist() == [
        4,
        -2,
        0,
        -2,
        -2,
    ]
    shared = duel_frame(sample)
    assert cell(shared, first="A", second="D", measure="payoff")["estimate"] == 4.0
    assert not ((shared["first"] == "D") & (shared["second"] == "E")).any()


def test_duels_are_at_tables_of_two_where_there_are_any() -> None:
    mixed = by_hand("mixed", "ABCD", [[9, -3, -3, -3]] * 2, [[1, 0, 0, 0]] * 2)
    two = by_hand("2v2", "ABAB", [[4, -4], [8, -8]], [[1, 0]] * 2)
    for tables, expected in (([mixed], 12), ([mixed, two], 6)):
        frame = duel_frame(Sample(tables))
        assert cell(frame, first="A", second="B", measure="payoff")["estimate"] == expected


def test_a_field_is_its_own_baseline() -> None:
    tables = [
        by_hand("field", "AFFF", [[3, -3], [9, -9]], [[1, 0], [0, 1]]),
        by_hand("field", "BFFF", [[3, -3], [3, -3]], [[1, 0], [1, 0]]),
    ]
    sample = Sample(tables)
    assert sample.names == ["A", "B", "F"]
    frame = score_frame(sample)
    assert frame.query("measure == 'payoff'")["estimate"].tolist() == [6, 3, 0]
    assert frame.query("measure == 'win_share'")["estimate"].tolist() == [0.5, 1, 0.25]
    differences = difference_frame(sample)
    assert cell(differences, first="A", second="B", measure="payoff")["estimate"] == 3


def test_gains_by_hand() -> None:
    """2v2 with two seatings a deal: playouts -1, 3, 3, 3 for A, so deals of 1 and 3.

    Difference A - B = 2 A: variance of deals 8, of playouts 4 · 3 = 12: 12 / 8 = 1.5 times fewer
    deals, each of two playouts: 0.75.
    """
    payoff = np.array([-1, 3, 3, 3])
    products = np.zeros((2, 2, 2))
    products[0] = [[(payoff**2).sum(), -(payoff**2).sum()], [-(payoff**2).sum(), (payoff**2).sum()]]
    sums = np.zeros((2, 2, 2), np.int64)
    sums[0] = [[4, -4], [12, -12]]  # two seats and two seatings each
    table = Scores("2v2", tuple("ABAB"), 0, np.zeros((2, 2), np.int8), sums, products)
    row = cell(gain_frame(Sample([table])), measure="payoff")
    assert row["deals"] == pytest.approx(1.5) and row["playouts"] == pytest.approx(0.75)
    assert row["seatings"] == pytest.approx(0.75) and row["pairing"] == pytest.approx(1)


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
    assert cycles(found.duels, "win_share") == []
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


def test_nothing_and_different_deals_are_refused() -> None:
    with pytest.raises(InputError, match="no table"):
        Sample([])
    with pytest.raises(InputError, match="same deals"):
        Sample([HAND[0], replace(HAND[1], first=7)])


def test_simultaneous_bounds() -> None:
    assert critical(0.95, 10) == pytest.approx(stats.t.ppf(0.975, 10))
    assert critical(0.95, 10, 6) == pytest.approx(stats.t.ppf((1 + 0.95 ** (1 / 6)) / 2, 10))


def test_a_comparison_is_one_tidy_table_too(known: Sample) -> None:
    found = compare(known)
    tidy = found.tidy()
    assert set(tidy["frame"]) == {"scores", "matrix", "differences", "duels", "gains"}
    assert len(tidy) == sum(len(f) for f in found.frames().values())
    assert verdict(found.differences, known.names) in found._repr_html_()
