"""Guards sequential stopping: its error rates under looking, simulated, and what it says."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analyses.contrasts import Sample
from analyses.sequential import Sequential, parse_sequential
from simcore.errors import InputError
from simcore.runs.stopping import looks
from simcore.statistics import always_valid_half_width
from tests.samples import all_tables, between, cut, scored

HORIZON = 40_000


def first_decisions(
    rule: Sequential, truth: float, paths: int, seed: int, skewed: bool = False
) -> dict[str, int]:
    """How often each decision is the first one, with differences of mean `truth` and variance 1."""
    rng = np.random.default_rng(seed)
    counts = {"better": 0, "worse": 0, "no difference": 0, "": 0, "covered": 0}
    for _ in range(paths):
        noise = rng.standard_exponential(HORIZON) - 1 if skewed else rng.standard_normal(HORIZON)
        values = noise + truth
        row: dict[str, Any] = {"decision": ""}
        for n in looks(HORIZON):
            row = rule.decide(values[:n])
            if row["decision"]:
                break
        counts[row["decision"]] += 1
        counts["covered"] += row["low"] <= truth <= row["high"]
    return counts


def at_most(rate: float, count: int, paths: int) -> None:
    """A count that a rate of at most `rate` gives with probability 99.9 %."""
    between(0, count, stats.binom.ppf(0.999, paths, rate))


@pytest.mark.parametrize("skewed", [False, True])
def test_error_rates(skewed: bool) -> None:
    check_error_rates(200, skewed)


def check_error_rates(paths: int, skewed: bool) -> None:
    """Also run with more paths by tests/statistical."""
    rule = Sequential(alpha=0.05, beta=0.1, delta=0.06)
    none = first_decisions(rule, 0.0, paths, 1, skewed)
    at_most(rule.alpha, none["better"] + none["worse"], paths)
    at_most(rule.alpha, paths - none["covered"], paths)
    assert none[""] == 0, "no decision within the horizon"
    some = first_decisions(rule, rule.delta, paths, 2, skewed)
    at_most(rule.beta, some["no difference"], paths)
    at_most(rule.alpha, some["worse"], paths)
    at_most(rule.alpha, paths - some["covered"], paths)
    assert some["better"] > 0.85 * paths


def test_looking_with_an_ordinary_interval_is_what_it_guards_against() -> None:
    """The same looks with a fixed-sample interval find a false winner far more often than 5 %."""
    rng = np.random.default_rng(1)
    false = 0
    for _ in range(200):
        sums = rng.standard_normal(HORIZON).cumsum()
        false += any(abs(sums[n - 1]) > 1.96 * math.sqrt(n) for n in looks(HORIZON))
    assert false > 25


def test_width_by_hand() -> None:
    """V = 4 / 400 = 0.01, δ = 0.1: V + δ² = 0.02, half² = 2 · 0.01 · 0.02 / 0.01 · ln(√2/0.05)."""
    half = math.sqrt(0.04 * math.log(math.sqrt(2) / 0.05))
    assert always_valid_half_width(4.0, 400, 0.05, 0.1) == pytest.approx(half)
    assert always_valid_half_width(0.0, 400, 0.05, 0.1) == 0


def test_width_shrinks_to_nothing_and_is_wider_than_ordinary() -> None:
    widths = [always_valid_half_width(1.0, n, 0.05, 0.1) for n in (100, 1000, 10**4, 10**6, 10**8)]
    assert widths == sorted(widths, reverse=True) and widths[-1] < 0.001
    for n, half in zip((100, 1000, 10**4, 10**6, 10**8), widths, strict=True):
        assert half > 1.96 / math.sqrt(n)


def test_decisions() -> None:
    rule = Sequential(delta=0.5)
    noise = np.random.default_rng(1).normal(size=1000)
    noise -= noise.mean()
    assert rule.decide(noise + 0.4)["decision"] == "better"
    assert rule.decide(noise - 0.4)["decision"] == "worse"
    assert rule.decide(noise)["decision"] == "no difference"
    assert rule.decide(noise[:255] * 0.0)["decision"] == ""
    assert rule.decide(noise[:1])["decision"] == "" and math.isnan(rule.decide(noise[:1])["low"])


def test_deals_that_all_agree_decide_only_that_there_is_nothing() -> None:
    rule = Sequential(delta=0.5)
    assert rule.decide(np.zeros(300))["decision"] == "no difference"
    assert rule.decide(np.ones(300))["decision"] == ""


def test_more_pairs_are_judged_more_carefully() -> None:
    rule = Sequential()
    values = np.random.default_rng(1).normal(size=500)
    one, six = rule.decide(values), rule.decide(values, 6)
    assert six["high"] - six["low"] > one["high"] - one["low"]
    even = values - values.mean()
    loose = next(
        d / 100 for d in range(1, 99) if Sequential(delta=d / 100).decide(even)["decision"]
    )
    assert Sequential(delta=loose).decide(even, 6)["decision"] == ""
    state = rule.look(Sample(all_tables("ABCD", 50, skill=dict.fromkeys("ABCD", 0))))
    assert len(state) == 6
    pair = Sample([scored("2v2", "ABAB", 256, skill={"A": 5, "B": 0})])
    assert rule.look(pair).iloc[0]["decision"] == "better"


def test_sentences() -> None:
    rule = Sequential(delta=0.25)
    tables = [scored("2v2", "ABAB", 4000, skill={"A": 0, "B": 1})]
    (row,) = rule.look(Sample(tables)).to_dict("records")
    assert rule.sentence(row).startswith("B is better than A by 2.03 points a playout (1.9")
    assert "always valid), after 4,000 deals." in rule.sentence(row)
    (row,) = rule.look(Sample([cut(tables[0], 0, 3)])).to_dict("records")
    assert "not certain yet after 3 deals" in rule.sentence(row)
    even = [scored("2v2", "ABAB", 9000, skill={"A": 0, "B": 0})]
    (row,) = rule.look(Sample(even)).to_dict("records")
    assert rule.sentence(row).startswith("A and B: no difference larger than 0.25, after 9,000")


def test_reading_a_rule() -> None:
    rule = parse_sequential("alpha=0.01:delta=0.2")
    assert rule == Sequential(0.01, 0.05, 0.2, "payoff")
    assert parse_sequential("measure=win_rate").delta == 0.01


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "none of alpha"),
        ("alpha", "none of alpha"),
        ("gamma=1", "'gamma=1' is none of"),
        ("alpha=0", "alpha is '0'; give a number between 0 and 0.5"),
        ("alpha=0.5", "between 0 and 0.5"),
        ("beta=x", "beta is 'x'"),
        ("delta=-1", "delta is '-1'; give a number above 0"),
        ("delta=nan", "give a number above 0"),
        ("delta=inf", "give a number above 0"),
        ("alpha=0.1:alpha=0.2", "given twice"),
        ("measure=plays", "unknown measure 'plays'"),
    ],
)
def test_rules_that_cannot_be_read(text: str, words: str) -> None:
    with pytest.raises(InputError, match="--sequential") as error:
        parse_sequential(text)
    assert words in str(error.value)
