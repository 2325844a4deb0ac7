"""Guards what is said about rules: hand-worked deals, known truth, plain recomputation."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analyses.rules_compared import MEASURES, QUANTILES, linearised, rules_frame
from simcore import simulate
from simcore.errors import InputError
from simcore.game.ruleset import load_rules
from simcore.runs.result import Run
from simcore.samples.measures import DealMeasures, join_measures, measure_deals
from simcore.samples.rule_variants import rule_variants, split_outside_brackets
from tests.samples import ORDERS, cut_measures, made_up

SKILL = {"A": 2, "B": 0, "C": 0, "D": -1}


def made(deals: int, seed: int = 1, **how: Any) -> DealMeasures:
    return measure_deals("ABCD", made_up(tuple("ABCD"), deals, SKILL, seed=seed, **how))


def by_hand() -> DealMeasures:
    """Two deals, two players, two seatings: payoffs of seat 0 are 3, 1 and -4, -4."""
    columns = {
        "starter_win_rate": np.array([1.0, 0.5]),
        "starter_payoff": np.array([2.0, 0.0]),
        "plays": np.array([20.0, 30.0]),
        "turns": np.array([30.0, 50.0]),
        "tricks": np.array([5.0, 7.0]),
        "square": np.array([5.0, 16.0]),  # (9 + 1) / 2 and 16
        "within": np.array([2.0, 0.0]),  # variance of 3, 1
    }
    payoffs = np.array([[3, -3, 1, -1], [-4, 4, -4, 4]], np.int32)
    return DealMeasures(columns, payoffs, np.array([[1.0, -1.0], [0.0, 0.0]]))


def row_of(frame: pd.DataFrame, rules: str, measure: str) -> dict[str, Any]:
    (row,) = frame[(frame["rules"] == rules) & (frame["measure"] == measure)].to_dict("records")
    return {str(k): v for k, v in row.items()}


def test_measures_by_hand() -> None:
    frame = rules_frame({"one": by_hand()}, big_loss=3).set_index("measure")["estimate"]
    expected = {
        "starter_win_rate": 0.75, "starter_payoff": 1, "plays": 25, "turns": 40, "tricks": 6,
        "payoff_sd": math.sqrt(10.5), "payoff_q05": -4, "payoff_q95": 4, "big_losses": 3 / 8,
        "luck": 1 - (1 - 0.25) / 10.5,  # the slots' means are 0.5 and -0.5
    }  # fmt: skip
    assert frame.to_dict() == pytest.approx(expected)
    assert set(expected) == set(MEASURES)


def test_luck_is_all_where_seatings_change_nothing_and_none_where_deals_do_not() -> None:
    same = by_hand()
    same.columns["within"][:] = 0
    same.slots[:] = 0
    assert linearised(same, "luck").estimate == 1
    none = made(3000, hand=0)
    assert abs(linearised(none, "luck").estimate) < 0.05


def test_luck_is_the_share_of_the_hands() -> None:
    """Hands of ±6 have variance 14, noise of ±3 has 4, both times n(n - 1); skills the rest."""
    skills = np.array(list(SKILL.values()))
    hand, noise = 12 * 14.0, 12 * 4.0
    square = hand + noise + ((4 * skills - skills.sum()) ** 2).mean()
    assert linearised(made(20_000), "luck").estimate == pytest.approx(hand / square, abs=0.01)
    sd = linearised(made(20_000), "payoff_sd").estimate
    assert sd == pytest.approx(math.sqrt(square), rel=0.01)


def test_errors_are_those_of_a_bootstrap() -> None:
    measured = made(300)
    rng = np.random.default_rng(1)
    draws = rng.integers(0, 300, (1500, 300))
    frame = rules_frame({"one": measured})
    for measure in MEASURES:
        again = []
        for draw in draws[: 300 if measure in QUANTILES else 1500]:
            columns = {name: values[draw] for name, values in measured.columns.items()}
            one = DealMeasures(columns, measured.payoffs[draw], measured.slots[draw])
            if measure in QUANTILES:
                again.append(np.quantile(one.payoffs, QUANTILES[measure], method="inverted_cdf"))
            else:
                again.append(linearised(one, measure).estimate)
        row = row_of(frame, "one", measure)
        error = (row["high"] - row["low"]) / 2 / stats.t.ppf(0.975, 299)
        # Quantiles jump, and a score interval is wider where little was seen.
        tolerance = 0.35 if measure in QUANTILES or measure == "big_losses" else 0.1
        assert error == pytest.approx(np.std(again), rel=tolerance), measure


def test_differences_are_paired() -> None:
    """The same deals with one more play each: the difference is certain to the last digit."""
    one, other = made(200), made(200)
    other.columns["plays"] += 1
    frame = rules_frame({"one": one, "other": other})
    row = row_of(frame, "other", "plays")
    for key in ("difference", "difference_low", "difference_high"):
        assert row[key] == pytest.approx(1)
    assert row["high"] - row["low"] > 0.5
    for measure in MEASURES:
        if measure != "plays":
            same = row_of(frame, "other", measure)
            assert same["difference"] == same["difference_low"] == same["difference_high"] == 0
        assert math.isnan(row_of(frame, "one", measure)["difference"])


def test_quantiles_are_those_of_numpy() -> None:
    measured = made(150)
    frame = rules_frame({"one": measured})
    for measure, q in QUANTILES.items():
        expected = np.quantile(measured.payoffs, q, method="inverted_cdf")
        assert row_of(frame, "one", measure)["estimate"] == expected


@pytest.fixture(scope="module")
def played() -> dict[str, Run]:
    lineup = "random,lowest,dump,keep"
    return {name: simulate(name, lineup, 60, seed=3) for name in ("douque", "lockout")}


def test_measures_of_real_playouts_by_plain_loops(played: dict[str, Run]) -> None:
    for run in played.values():
        rows = run.playouts()
        parts = sorted(run.tables, key=lambda part: part["deal"][0].as_py())
        measured = join_measures([measure_deals("ABCD", part) for part in parts])
        deals = rows.groupby("deal")
        payoffs = rows[[f"payoff_{s}" for s in range(4)]].to_numpy()
        starter = payoffs[np.arange(len(rows)), rows["starter"]]
        columns = measured.columns
        by_deal = rows["deal"]
        wins = (rows["winner"] == rows["starter"]).groupby(by_deal).mean()
        assert columns["starter_win_rate"] == pytest.approx(wins.to_numpy())
        payoff = pd.Series(starter).groupby(by_deal).mean()
        assert columns["starter_payoff"] == pytest.approx(payoff.to_numpy())
        assert columns["plays"] == pytest.approx(deals["plays"].mean().to_numpy())
        turns = deals["plays"].mean() + deals["passes"].mean()
        assert columns["turns"] == pytest.approx(turns.to_numpy())
        assert columns["tricks"] == pytest.approx(deals["tricks"].mean().to_numpy())
        within = deals[[f"payoff_{s}" for s in range(4)]].var(ddof=1).mean(axis=1)
        assert columns["within"] == pytest.approx(within.to_numpy())
        tidy = np.empty((len(rows), 4))
        for i, seating in enumerate(rows["seating"]):
            for seat, slot in enumerate(ORDERS[seating]):
                tidy[i, slot] = payoffs[i, seat]
        assert measured.slots == pytest.approx(tidy.reshape(60, 4, 4).mean(axis=1))
        square = (rows[[f"payoff_{s}" for s in range(4)]] ** 2).groupby(by_deal).mean()
        assert columns["square"] == pytest.approx(square.mean(axis=1).to_numpy())


def test_one_deal_and_one_seating_leave_gaps_and_no_warnings() -> None:
    frame = rules_frame({"a": cut_measures(made(3), 0, 1), "b": cut_measures(made(3), 1, 2)})
    assert frame["low"].isna().all() and frame["estimate"].notna().all()
    run = simulate("douque", "dump", 5)
    fixed = rules_frame({"a": measure_deals("ABCD", run.tables[0])})
    assert math.isnan(row_of(fixed, "a", "luck")["estimate"])
    flat = made(4)
    flat.columns["square"][:] = 0
    flat.columns["within"][:] = 0
    flat.payoffs[:] = 0
    still = rules_frame({"a": flat})
    assert row_of(still, "a", "payoff_sd")["high"] == 0
    assert math.isnan(row_of(still, "a", "luck")["estimate"])


def test_what_does_not_belong_together_is_refused() -> None:
    with pytest.raises(InputError, match="no rule set"):
        rules_frame({})
    with pytest.raises(InputError, match="same deals"):
        rules_frame({"a": made(3), "b": made(4)})
    with pytest.raises(InputError, match="unknown measure 'x'"):
        linearised(made(3), "x")


def test_parts_join() -> None:
    whole = made(10)
    joined = join_measures([cut_measures(whole, 0, 4), cut_measures(whole, 4, 10)])
    assert (joined.payoffs == whole.payoffs).all()
    assert all((joined.columns[k] == whole.columns[k]).all() for k in whole.columns)


# ------------------------------------------------------------------ one rule at a time


@pytest.mark.parametrize(
    ("base", "vary", "field", "value"),
    [
        ("douque", "opening.must_include", "opening_must_include", True),
        ("lockout", "opening_must_include", "opening_must_include", False),
        ("lockout", "pass_lock", "passing_locks_on", []),
        ("douque", "passing.locks_on", "passing_locks_on", [1, 2, 3, 4, 5]),
        ("douque", "passing_locks_on=[5]", "passing_locks_on", [5]),
        ("douque", "last_card.highest_single", "last_card_highest_single", True),
        ("douque", "deal=10", "deal", 10),
        ("douque", "payoff.settlement=pairwise", "payoff_settlement", "pairwise"),
    ],
)
def test_one_rule_is_changed(base: str, vary: str, field: str, value: object) -> None:
    first, changed = rule_variants(base, vary)
    assert first == base
    rules, other = load_rules(base).as_dict(), load_rules(changed).as_dict()
    assert other[field] == value
    assert {k for k in rules if rules[k] != other[k]} == {field, "name"}


def test_a_payoff_item_is_switched_off() -> None:
    _, changed = rule_variants("douque", "payoff.two_left")
    assert load_rules(changed).payoff_two_left == (1, 0)


def test_several_rules_give_one_rule_set_each() -> None:
    found = rule_variants("lockout", "pass_lock,payoff.tiers=[[1, 1], [10, 2]],deal=10")
    assert len(found) == 4 and len({load_rules(name).name for name in found}) == 4


def test_splitting_leaves_brackets_whole() -> None:
    text = "a=[1, 2],b={ times = 2, points = 1 } , c"
    assert split_outside_brackets(text) == ["a=[1, 2]", "b={ times = 2, points = 1 }", "c"]


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ("opening.must_includ", "did you mean opening.must_include"),
        ("deal", "give a value, as in deal=…"),
        ("deal=all", "changes nothing"),
        ("payoff.two_left={times=2}", "changes nothing"),
        ("name=x", "'name' is no rule of the game"),
        ("deal=99", "99 cards"),
        ("", "unknown key ''"),
    ],
)
def test_changes_that_are_refused(vary: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        rule_variants("douque", vary)
    assert words in str(error.value)
