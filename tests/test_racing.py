"""Guards racing: the truly best candidate is dropped no more often than stated."""

import numpy as np
import pytest
from scipy.stats import binomtest

from simcore.racing import Race


def race(rng: np.random.Generator, gaps: list[float], alpha: float, heavy: bool) -> Race:
    """To 4,000 samples, with a look after each round; candidate 0 is the best."""
    found = Race(len(gaps), alpha)
    while found.samples < 4000:
        n = max(64, found.samples // 4)
        common = rng.standard_normal(n)
        own = rng.standard_normal((len(gaps), n))
        if heavy:  # as payoffs are: small losses, rare large wins
            own = rng.exponential(1.0, (len(gaps), n)) ** 2
        values = common + own - np.array(gaps)[:, None]
        found.add(np.round(10 * values).astype(np.int32)[found.active])
        found.drop()
    return found


@pytest.mark.parametrize("heavy", [False, True])
def test_the_best_is_dropped_no_more_often_than_stated(heavy: bool) -> None:
    """Eight candidates, all but equal, alpha 0.2 so that it shows; a false alarm in a thousand."""
    rng = np.random.default_rng(7)
    dropped = sum(0 in race(rng, [0.0] + 7 * [1e-6], 0.2, heavy).worse for _ in range(250))
    assert binomtest(dropped, 250, 0.2, "greater").pvalue > 1e-3


def test_what_is_clearly_worse_stops_soon_and_the_runner_up_goes_on() -> None:
    rng = np.random.default_rng(8)
    found = race(rng, [0.0, 0.3, 1.0, 1.0], 0.05, False)
    assert found.worse == {1, 2, 3} and found.active == [0, 1]
    assert len(found.values[2]) < 600 and len(found.values[1]) == found.samples
    assert found.difference(0, 1)[0] == pytest.approx(3, abs=1)


def test_candidates_that_always_score_the_same_are_no_runner_up() -> None:
    found = Race(3, 0.05)
    scores = np.arange(300) % 7
    found.add(np.array([scores, scores, scores[::-1] - 5]))
    assert found.drop() == (0, 2)
    assert found.worse == {2} and found.active == [0, 1, 2]
