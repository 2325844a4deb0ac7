# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The seatings that a deal is played under: kernel."""

import numpy as np

from simcore.foundation.jit import kernel
from simcore.foundation.rng import SEATING, below, start_stream
from simcore.game.seatings import N_ORDERS, SHIFTED

FIXED, ROTATIONS, BALANCED, EVERY = range(4)  # places in game.seatings.PLANS


@kernel
def choose_seatings(plan, players, seed, deal_index, rng, chosen):
    """Fill chosen (int64[24]) with the seatings of one deal; returns how many.

    A negative plan is the one seating -1 - plan, for a replay.
    `balanced` takes the shifts of a cyclic order drawn from (seed, deal_index): the permutations
    that begin with slot 0 are the first (players - 1)! ones, one for each cyclic order.
    """
    if plan <= FIXED:
        chosen[0] = 0 if plan == FIXED else -1 - plan
        return 1
    if plan == EVERY:
        for k in range(N_ORDERS[players]):
            chosen[k] = k
        return N_ORDERS[players]
    base = 0
    if plan == BALANCED:
        start_stream(rng, seed, deal_index, SEATING)
        base = below(rng, N_ORDERS[players - 1])
    for s in range(players):
        chosen[s] = SHIFTED[players, base, s]
    return np.int64(players)
