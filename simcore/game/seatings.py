"""Seating plans: which slot sits where, and which seatings each deal is played under.

Seating k is the k-th permutation p of the slots in lexicographic order; slot p[seat] sits at seat.
"""

from itertools import permutations

import numpy as np

PLANS = ("fixed", "rotations", "balanced", "all")
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
