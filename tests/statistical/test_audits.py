"""Audits of many shuffles: how often a fair one is suspected, how soon a fault is found.

`pytest tests/statistical/test_audits.py -m slow -s` prints both tables.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analyses.audit import findings, holm
from tests import shuffles
from tests.shuffles import as_deals

ALPHA = 0.01


def flagged(deals: Any, tails: Counter[str] | None = None) -> bool:
    """Whether an audit finds anything; counts p-values of 1 % or less in `tails`."""
    found = findings(deals)
    if tails is not None:
        tails.update(finding.test for finding in found if finding.p <= 0.01)
    return min(holm([finding.p for finding in found])) <= ALPHA


@pytest.mark.slow
@pytest.mark.parametrize(("deals", "audits"), [(20, 5000), (60, 5000)])
def test_fair_deals_are_flagged_in_one_of_a_hundred_files(deals: int, audits: int) -> None:
    """With all tests, those of turns and of order too; 10,000 audits together."""
    rng = np.random.default_rng(deals)
    tails: Counter[str] = Counter()
    alarms = 0
    for _ in range(audits):
        hands = shuffles.fair(deals, rng)
        pile = rng.permuted(hands.reshape(deals, 52), axis=1)
        pile[:, 40:] = -1
        alarms += flagged(as_deals(hands, pile=pile), tails)
    print(f"{deals} deals: {alarms} of {audits} flagged; p of 1 % or less:", dict(tails))
    assert alarms <= stats.binom.ppf(0.999, audits, ALPHA)
    assert max(tails.values()) <= stats.binom.ppf(0.9999, audits, 0.01)


# name, maker, whether the order within hands is known, deals at which 95 of 100 are to be found
FAULTS: list[tuple[str, Callable[..., Any], bool, int]] = [
    ("cut", shuffles.cut, True, 20),
    ("cut", shuffles.cut, False, 20),
    ("three riffles", shuffles.riffles(3), True, 20),
    ("five riffles", shuffles.riffles(5), True, 20),
    ("comparator sort", shuffles.comparator, True, 400),
    ("comparator sort", shuffles.comparator, False, 6000),
    ("Sattolo", shuffles.sattolo, True, 25),
    ("Sattolo", shuffles.sattolo, False, 2500),
    ("naive swaps", shuffles.naive, True, 1000),
    ("last place forgotten", shuffles.short, False, 20),
    ("16-bit seed", shuffles.seeded(16), False, 900),
    ("tricks, three riffles", shuffles.tricks(3), False, 60),
    ("tricks, five riffles", shuffles.tricks(5), False, 1500),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "make", "in_order", "deals"), FAULTS)
def test_faults_are_found_in_so_many_deals(
    name: str, make: Callable[..., Any], in_order: bool, deals: int
) -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(40):
        made = make(deals, rng)
        hands, pile = made if isinstance(made, tuple) else (made, None)
        found += flagged(as_deals(hands, in_order, pile))
    print(f"{name}, {'in order' if in_order else 'sorted'}, {deals} deals: {found} of 40 found")
    assert found >= stats.binom.ppf(0.001, 40, 0.95)


@pytest.mark.slow
def test_a_32_bit_seed_is_found_by_recurring_deals() -> None:
    """160,400 deals hold a pair in 95 of 100 files; twice as many in nearly all."""
    rng = np.random.default_rng(4)
    assert flagged(as_deals(shuffles.seeded(32)(320_000, rng), False))
