"""Whose turn it is, and what a pass costs: kernels. Twin: reference.play_out.

A trick ends when the turn comes back to the seat of the standing play: everybody else has passed in
a row, or is locked out. Locked-out seats are skipped, not asked.
"""

import numpy as np

from simcore.foundation.jit import inlined
from simcore.game.kinds import SIZES

SIZE_OF = np.array(SIZES, np.int64)


@inlined
def following_seat(seat, players):
    """The next seat in turn order, locked out or not."""
    return seat + 1 if seat + 1 < players else 0


@inlined
def next_seat(seat, players, locked):
    """The seat that takes the next turn; locked: bit set of the seats locked out of this trick."""
    seat = following_seat(seat, players)
    while locked >> seat & 1:
        seat = following_seat(seat, players)
    return seat


@inlined
def pass_locks(rules, standing_kind):
    """Whether a pass on this standing play locks the seat out until the next lead."""
    return rules.locks >> SIZE_OF[np.uint64(standing_kind)] & 1
