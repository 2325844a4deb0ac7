"""What was dealt: exact probabilities through a run, the reference, regressions elsewhere."""

import math
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from analyses import hand_regression, hand_values, load
from analyses.hands import FEATURES, R2
from simcore import InputError, RunError, replay, simulate
from simcore.samples.hands import dealt_hands
from tests.test_partition import least_plays

DEALS = 12_000
LIMIT = 4  # standard errors
HANDS = comb(52, 13)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of many deals, and what was dealt in it."""
    folder = tmp_path_factory.mktemp("run")
    run = simulate("douque", "random,lowest,dump,highest", DEALS, 2026, out=folder)
    return run, dealt_hands(str(folder))


def z(values: Any, expected: float) -> float:
    """Standard errors between a mean over deals and what it should be."""
    values = np.asarray(values, float)
    return float((values.mean() - expected) / (values.std(ddof=1) / math.sqrt(len(values))))


def test_exact_probabilities_of_dealt_hands(played: Any) -> None:
    """Means over deals of one seat's hand, against combinatorics."""
    _, hands = played
    seat = hands[hands["seat"] == 1]
    starter = hands[hands["starts"]]
    others = hands[~hands["starts"]].groupby("deal")
    assert len(starter) == DEALS and (hands["cards"] == 13).all()
    for values, expected in [
        (seat["twos"], 1), (seat["aces"], 1), (starter["twos"], 48 / 51),
        (others["twos"].mean(), 52 / 51),
        (seat["twos"] == 0, 0.3038175270), (starter["twos"] == 0, 0.3291356543),
        (seat["pairs"], 3.345354), (seat["pairs"] == 3, 0.40991574),
        (seat["triples"], 0.5699400), (seat["triples"] > 0, 0.4903995094),
        (seat["bombs"] > 0, 32_135_585_392 / HANDS),
        (seat["least_plays"], 7.14014), (seat["least_plays"] == 4, 0.03729),
        (hands.groupby("deal")["twos"].max() == 4, 0.0105642257),
    ]:  # fmt: skip
        assert abs(z(values, expected)) < LIMIT, (expected, np.mean(values))
    assert (hands.groupby("deal")["twos"].sum() == 4).all()
    # A dragon anywhere: one deal in 2,366, so a Poisson count.
    dragons = hands.groupby("deal")["dragon"].any().sum()
    assert abs(dragons - DEALS * 0.0004225996) < LIMIT * math.sqrt(DEALS * 0.0004225996)
    assert dragons == (hands["pairs"] == 0).sum()


@pytest.mark.parametrize("rules", ["douque", "lockout", "royal", "hongkong"])
@pytest.mark.parametrize("players", [3, 4])
def test_features_are_those_of_the_replayed_hands(rules: str, players: int, tmp_path: Path) -> None:
    if players == 3 and rules == "douque":
        return  # is for four
    simulate(rules, "lowest", 20, 9, players=players, out=tmp_path, first_deal=5)
    hands = dealt_hands(str(tmp_path)).set_index(["deal", "seat"])
    assert len(hands) == 20 * players and hands.index[0] == (5, 0)
    for deal in range(5, 25):
        found = replay(rules, "lowest", 9, deal, players=players)
        for seat, cards in enumerate(found.hands):
            row = hands.loc[(deal, seat)]
            ranks = [card[0] for card in cards]
            counts = pd.Series(ranks).value_counts()
            assert row["cards"] == len(cards) and row["starts"] == (seat == found.starter)
            assert (row["twos"], row["aces"]) == (ranks.count("2"), ranks.count("A"))
            assert (row["pairs"], row["triples"]) == ((counts >= 2).sum(), (counts >= 3).sum())
            suited = [{c[0] for c in cards if c[1] == suit} for suit in "cdhs"]
            straights = ["A2345", "23456", *("3456789TJQKA"[i : i + 5] for i in range(8))]
            flushes = sum(any(set(s) <= held for s in straights) for held in suited)
            if rules != "hongkong":  # whose straights are others
                assert row["bombs"] == (counts == 4).sum() + flushes


def test_least_plays_are_the_kernel_s(played: Any) -> None:
    from simcore.game.cards import parse_mask
    from simcore.game.ruleset import load_rules

    _, hands = played
    suits = load_rules("douque").suits
    for deal in (0, 17, 11_999):
        found = replay("douque", "lowest", 2026, deal)
        mine = hands[hands["deal"] == deal]["least_plays"].tolist()
        masks = [parse_mask(cards, suits) for cards in found.hands]
        assert mine == [least_plays("douque", mask) for mask in masks]


def test_the_run_s_own_twos_bound_those_left(played: Any) -> None:
    """The hands belong to the run's playouts: nobody is left with more 2s than were dealt."""
    run, hands = played
    left = load(run, ["deal", "seat", "twos_left", "seat_from_starter"])
    both = left.merge(hands, on=["deal", "seat"])
    assert len(both) == 16 * DEALS
    assert (both["twos_left"] <= both["twos"]).all() and (both["twos_left"] > 0).any()
    assert ((both["seat_from_starter"] == 0) == both["starts"]).all()


def test_values_are_means_by_feature(played: Any) -> None:
    run, hands = played
    values = hand_values(run, hands)
    tidy = load(run, ["deal", "seat", "payoff", "won"]).merge(hands, on=["deal", "seat"])
    assert set(values["feature"]) == set(FEATURES)
    for row in values.to_dict("records"):
        own = tidy[tidy[row["feature"]] == row["value"]]
        assert row["payoff"] == pytest.approx(own["payoff"].mean())
        assert row["win_rate"] == pytest.approx(own["won"].mean())
        assert row["hands"] == len(own) // 4 and row["deals"] == own["deal"].nunique()


@pytest.mark.parametrize("metric", ["payoff", "win_rate"])
def test_regression_is_that_of_statsmodels(played: Any, metric: str) -> None:
    run, hands = played
    hands = hands[hands["deal"] < 200]
    found = hand_regression(run, hands, metric).set_index("term")
    tidy = load(run, ["deal", "seat", "payoff", "won"]).rename(columns={"won": "win_rate"})
    means = tidy.groupby(["deal", "seat"])[metric].mean().reset_index()
    rows = hands.merge(means, on=["deal", "seat"]).astype({"starts": int})
    rows = rows[~rows.groupby("deal")["dragon"].transform("any")]
    numbers = rows["deal"].unique()
    seen = rows["deal"].isin(numbers[::2])
    formula = f"{metric} ~ starts + twos + aces + pairs + triples + bombs + least_plays"
    fit = smf.ols(formula, rows[seen]).fit(
        cov_type="cluster", cov_kwds={"groups": rows[seen]["deal"]}, use_t=True
    )
    names = ["Intercept", *found.index[1:-1]]
    assert found["estimate"].iloc[:-1].tolist() == pytest.approx(fit.params[names].tolist())
    half = (found["high"] - found["low"]).iloc[:-1] / 2
    t = stats.t.ppf(0.975, rows[seen]["deal"].nunique() - 1)
    # The leverage of each deal taken out (test_edges.py has that exactly): wider, not by much.
    assert (half.to_numpy() / (t * fit.bse[names])).between(0.98, 1.35).all()
    rest = rows[~seen]
    left = ((rest[metric] - fit.predict(rest)) ** 2).sum()
    whole = ((rest[metric] - rows[seen][metric].mean()) ** 2).sum()
    assert found.loc[R2, "estimate"] == pytest.approx(1 - left / whole)
    assert found.loc[R2, "low"] < found.loc[R2, "estimate"] < found.loc[R2, "high"]


def test_a_sum_of_sums_has_hands_but_no_payoffs(tmp_path: Path) -> None:
    simulate("maceplay", "random", 50, out=tmp_path, summary_only=True)
    hands = dealt_hands(str(tmp_path), 30)
    assert len(hands) == 120
    with pytest.raises(RunError, match="keeps sums only"):
        hand_values(tmp_path, hands)


def test_too_few_deals(tmp_path: Path) -> None:
    run = simulate("maceplay", "random", 6, out=tmp_path)
    assert len(hand_values(run, dealt_hands(str(tmp_path))))
    with pytest.raises(RunError, match="6 deals are too few for a regression"):
        hand_regression(run, dealt_hands(str(tmp_path)))
    with pytest.raises(InputError, match="0 deals are out of bounds"):
        dealt_hands(str(tmp_path), 0)


def test_progress_is_told(tmp_path: Path) -> None:
    simulate("maceplay", "random", 700, out=tmp_path)
    told: list[tuple[int, int]] = []
    dealt_hands(str(tmp_path), 600, lambda done, wanted: told.append((done, wanted)))
    assert told == [(512, 600), (600, 600)]
