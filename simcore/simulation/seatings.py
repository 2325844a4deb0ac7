"""Seating plans: which slot sits where, and which seatings each deal is played under.

Seating k is the k-th permutation p of the slots in lexicographic order; slot p[seat] sits at seat.
"""

from itertools import permutations

import numpy as np

from simcore.foundation.jit import kernel
from simcore.foundation.rng import SEATING, below, start_stream

PLANS = ("fixed", "rotations", "balanced", "all")
FIXED, ROTATIONS, BALANCED, EVERY = range(4)
MAX_SEATINGS = 24

_ORDERS = [list(permutations(range(n))) for n in range(5)]
N_ORDERS = np.array([len(o) for o in _ORDERS], np.int64)
# ORDER[n, k, seat] = slot
ORDER = np.zeros((5, MAX_SEATINGS, 4), np.int64)
# SHIFTED[n, k] = the seatings in which everybody has moved 0 … n - 1 seats on from k, ascending
SHIFTED = np.zeros((5, MAX_SEATINGS, 4), np.int64)
for _n in range(2, 5):
    for _k, _order in enumerate(_ORDERS[_n]):
        ORDER[_n, _k, :_n] = _order
        SHIFTED[_n, _k, :_n] = sorted(
            _ORDERS[_n].index(_order[_s:] + _order[:_s]) for _s in range(_n)
        )


def seatings_per_deal(plan: int, players: int) -> int:
    """How many seatings each deal is played under."""
    return (1, players, players, int(N_ORDERS[players]))[plan]


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
