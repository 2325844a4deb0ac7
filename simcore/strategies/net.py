# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`net`: a network values what every play leaves, and the best is played; kernels.

Integers all the way, so that it plays the same on every machine. Of the first layer a decision
needs the sums of the position once; a play adds the columns of what it sets, and takes away those
of the cards that it lays down.
"""

import numpy as np

from simcore.foundation.jit import inlined, kernel, record_at
from simcore.game.groups import ZERO
from simcore.strategies.interface import strategy
from simcore.strategies.net_inputs import (
    MOST_PLAY,
    MOST_SHARED,
    card_inputs,
    play_inputs,
    shared_inputs,
)
from simcore.strategies.networks import ACTIVE, HIDDEN, NETWORK, SCALES, WIDTH

LEAST, MOST = np.int16(0), np.int16(ACTIVE * SCALES[0])  # between these a sum counts
SHIFT = SCALES[1].bit_length() - 1  # from sums of the second layer to the scale of the first
OUTPUT = float(SCALES[0] * SCALES[2])  # an output of 1 as the whole number that comes out

network_at = record_at(NETWORK)


@kernel
def add_columns(first, inputs, n, sums):
    """Add the columns of inputs[:n] to sums (int16[WIDTH]); first: int16[inputs, WIDTH].

    Four at a time: sums are read and written once for them.
    """
    i = ZERO
    while i + 4 <= n:
        a, b = np.uint64(inputs[i]), np.uint64(inputs[i + 1])
        c, d = np.uint64(inputs[i + 2]), np.uint64(inputs[i + 3])
        for j in range(WIDTH):
            sums[j] += first[a, j] + first[b, j] + first[c, j] + first[d, j]
        i += 4
    while i < n:
        a = np.uint64(inputs[i])
        for j in range(WIDTH):
            sums[j] += first[a, j]
        i += 1


@kernel
def without_columns(first, inputs, n, base, sums):
    """Fill sums with base less the columns of inputs[:n], which are two a card."""
    for j in range(WIDTH):
        sums[j] = base[j]
    for i in range(0, n, 2):
        a, b = np.uint64(inputs[i]), np.uint64(inputs[i + 1])
        for j in range(WIDTH):
            sums[j] -= first[a, j] + first[b, j]


@kernel
def output_of(network, sums, active):
    """The output (int64) for sums of the first layer; active: int16[WIDTH], scratch space.

    In 32 bits at every step: then compilers find the instruction that is made for such sums.
    """
    for j in range(WIDTH):
        active[j] = min(max(sums[j], LEAST), MOST)
    total = np.int64(network.third_bias)
    for h in range(HIDDEN):
        found = np.int32(0)
        for j in range(WIDTH):
            product = np.int32(np.int32(active[j]) * np.int32(network.second[h, j]))
            found = np.int32(found + product)
        value = (np.int64(found) + network.second_bias[h]) >> SHIFT
        total += min(max(value, ZERO), np.int64(MOST)) * np.int64(network.third[h])
    return total


@inlined
def value_plays(network, view, plays, n_plays, inputs, base, sums, active, values):
    """Fill values (int64[n_plays]) with the outputs for plays that leave cards.

    inputs: int64[MOST_INPUTS]; base, sums, active: int16[WIDTH]: scratch space.
    """
    n, about = shared_inputs(view, inputs, ZERO)
    n = card_inputs(view.hand, about, inputs, n)
    for j in range(WIDTH):
        base[j] = 0
    add_columns(network.first, inputs, n, base)
    for i in range(n_plays):
        play = plays[i]
        mask = play.mask
        n = card_inputs(mask, about, inputs, ZERO)
        without_columns(network.first, inputs, n, base, sums)
        kind, strength = np.int64(play.kind), np.int64(play.strength)
        n = play_inputs(view, mask, kind, strength, about, inputs, ZERO)
        add_columns(network.first, inputs, n, sums)
        values[i] = output_of(network, sums, active)


MOST_INPUTS = max(MOST_SHARED + 2 * 52, MOST_PLAY)


@kernel
def net_play(address, view, plays, n_plays, inputs, base, sums, active, values):
    """The choice of `net`; address: of its record NETWORK, the others as in `value_plays`."""
    for i in range(n_plays):
        if plays[i].mask == view.hand:
            return ZERO + i
    value_plays(network_at(address), view, plays, n_plays, inputs, base, sums, active, values)
    best = ZERO
    for i in range(1, n_plays):
        if values[i] > values[best]:
            best = ZERO + i
    return best


@strategy(networks=True)
def net(view, plays, n_plays, params, rng):
    """Play what leaves the most by the judgement of a small network.

    The network (networks.py) is asked once for each legal play, and the pass, and the highest
    value is played; among equals the first in canonical order. A play that empties the hand is
    played at once. What it sees: the cards that are kept, how they fall into plays, the cards that
    are unseen, how many everybody holds, the play itself and whether anything can beat it, who made
    the play that stands, who is locked out. The weights that ship, one file for each rule set, were
    made by `bigtwo train` out of playouts against itself; `weights=FILE` takes others.

    Cost: about 2 µs. Source: the first layer is that of Y. Nasu's efficiently updatable networks
    for shogi (2018), the learning Monte Carlo returns as in D. Zha et al., DouZero, ICML 2021.
    """
    inputs = np.empty(MOST_INPUTS, np.int64)
    base, sums = np.empty(WIDTH, np.int16), np.empty(WIDTH, np.int16)
    active, values = np.empty(WIDTH, np.int16), np.empty(n_plays, np.int64)
    return net_play(np.int64(params[0]), view, plays, n_plays, inputs, base, sums, active, values)
