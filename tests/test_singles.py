"""Guards the engine's loop for singles: a traced playout goes turn by turn, without it."""

import numpy as np
import pytest

from simcore import strategy
from simcore.simulation.setup import Workspace, make_setup
from simcore.strategies.registry import Entrant
from tests.support import RULE_SETS

DEALS = 300


@strategy
def nosy(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """Choose by everything that the seat may know, so that no field can be wrong unseen."""
    mixed = view.hand ^ view.seen * 3 ^ view.to_beat * 5 ^ view.fresh * 7 ^ view.required
    mixed ^= view.passed * 11 ^ view.locked * 13 ^ view.turn * 17 ^ view.trick * 19
    mixed ^= view.to_beat_by * 23 ^ view.to_beat_kind * 29 ^ view.to_beat_strength * 31
    for k in range(view.players):
        mixed = mixed * 37 ^ view.cards_left[k]
    return (mixed >> 7 & 1023) % n_plays


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("first", ["random", "nosy", "dump", "lowest"])
def test_playouts_are_the_same_with_and_without_a_trace(name: str, first: str) -> None:
    own = Entrant("nosy", nosy, ())
    second = "lowest" if first == "dump" else "random"
    lineup = [own if first == "nosy" else first, second, own, "random"]
    players = 4 if first == "nosy" else max(make_setup(name, "random").rules.players)
    setup = make_setup(name, lineup[:players], seed=11, seatings="rotations")
    plain = Workspace(setup).play(0, DEALS)
    traced = Workspace(setup, traced=DEALS * players).play(0, DEALS)
    for block in ("deals", "block8", "block16", "block32"):
        assert np.array_equal(getattr(plain, block), getattr(traced, block))
