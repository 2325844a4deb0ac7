"""Guards the profile: the kernel that follows a record does the engine's work, phase by phase."""

from typing import Any

import numpy as np
import pytest

from simcore.foundation.calibration import calibrate
from simcore.simulation.phases import CHOICE, DEAL, LEGAL, PAYOFF, TURNS
from simcore.simulation.setup import Workspace, make_setup
from simcore.workshop.profile import Record, profile
from tests.support import RULE_SETS

DEALS = 60


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("lineup", ["random", "lowest", "dump", "highest", "keep"])
def test_following_a_record_ends_as_the_playouts_did(name: str, lineup: str) -> None:
    """With the choices made anew, and with those of the record."""
    setup = make_setup(name, lineup, seed=3, seatings="fixed")
    played = Workspace(setup).play(0, DEALS)
    record = Record(setup, DEALS)
    for phases in (TURNS | PAYOFF, DEAL | TURNS | LEGAL | CHOICE | PAYOFF):
        blocks: list[tuple[Any, Any]] = [
            (record.rows.block8, played.block8),
            (record.rows.block16, played.block16),
            (record.rows.block32, played.block32),
        ]
        for followed, _ in blocks:
            followed[2 if followed.dtype == np.int8 else 0 :] = 0
        record.follow(phases)
        for followed, wanted in blocks:
            assert np.array_equal(followed, wanted)


def test_a_profile_of_playouts_names_every_phase() -> None:
    found = profile(make_setup("douque", "keep"), rounds=3, seconds=0.02)
    assert list(found.phases) == ["deal", "bookkeeping", "payoff", "legal plays", "choice"]
    assert found.engine > 0 and found.total > 0 and found.sums > 0 and found.write > 0
    assert 15 < found.decisions < 30


def test_the_calibration_kernel_never_changes() -> None:
    assert calibrate(1000) == 32543
    assert calibrate(0) == 0
