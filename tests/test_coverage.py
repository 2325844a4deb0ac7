"""Guards that 95 % intervals hold the truth in 95 % of small experiments; long: statistical/."""

import pytest

from tests.experiments import EXPERIMENTS, Covered, check


@pytest.mark.parametrize(
    ("name", "experiments"),
    [("compare", 80), ("swap", 200), ("control", 200), ("rate", 20), ("nash", 20), ("rules", 20)],
)
def test_intervals_hold_the_truth(name: str, experiments: int) -> None:
    coverage, deals = EXPERIMENTS[name]
    check(coverage(experiments, deals), 0.94, 0.96)


def test_the_check_can_fail() -> None:
    """Intervals that are 20 % too narrow, or 30 % too wide, are found out in a long run."""
    for rate in (0.883, 0.989):
        found: Covered = {"x": [i < rate * 3000 for i in range(3000)]}
        with pytest.raises(AssertionError, match="x: 0"):
            check(found, 0.94, 0.96)
