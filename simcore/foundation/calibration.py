# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""A fixed piece of integer work that says how fast a machine is: kernel.

Figures of different machines compare as ratios to it. It never changes: whatever else the engine
learns, a round today is a round tomorrow.
"""

import numpy as np

from simcore.foundation.bits import lowest_index, popcount
from simcore.foundation.jit import kernel

_LEFT, _RIGHT, _BACK, _CUT = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(12)


@kernel
def calibrate(rounds):
    """Do so many rounds; returns a checksum (int64), so that nothing can be left out.

    A round draws two words of xorshift64 (Marsaglia, Journal of Statistical Software 2003), takes
    their common bits as a hand of about thirteen cards, and walks through its cards with a branch
    for those that have a higher one of their rank: unpredictable branches, short loops and bit
    work, as a playout has them.
    """
    x = np.uint64(88172645463325252)
    total = np.int64(0)
    for _ in range(rounds):
        x ^= x << _LEFT
        x ^= x >> _RIGHT
        x ^= x << _BACK
        first = x >> _CUT
        x ^= x << _LEFT
        x ^= x >> _RIGHT
        x ^= x << _BACK
        hand = np.int64(first & (x >> _CUT))
        while hand:
            card = lowest_index(hand)
            hand &= hand - 1
            if hand & (15 << (card & 60)):
                total += popcount(hand)
            else:
                total ^= card
    return total
