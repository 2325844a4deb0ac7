# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""What a network learns from, and how: kernels.

Positions come out of turns that were played (simulation.turn_rows): one for each choice, with the
inputs that the play set, and what the seat was paid in the end. Learning is by the mean square of
the difference, with Adam (D. Kingma and J. Ba, ICLR 2015) over small batches. Floating numbers are
used here only; what plays is made of whole numbers (`quantised`).
"""

import math

import numpy as np

from simcore.foundation.jit import fast, kernel
from simcore.game.groups import ZERO
from simcore.strategies.net_inputs import card_inputs, play_inputs, shared_inputs
from simcore.strategies.networks import ACTIVE, HIDDEN, N_INPUTS, WIDTH

TOP = np.float32(ACTIVE)
NONE, ONE = np.float32(0.0), np.float32(1.0)

FLOATS = np.dtype(
    [
        ("first", np.float32, (N_INPUTS, WIDTH)),
        ("second", np.float32, (HIDDEN, WIDTH)),
        ("second_bias", np.float32, (HIDDEN,)),
        ("third", np.float32, (HIDDEN,)),
        ("third_bias", np.float32, (1,)),
    ]
)
MOST_OF_POSITION = 160  # inputs that one position sets, at most: room in a buffer


@kernel
def view_turn(players, turn, seen, view):
    """What the seat of a turn knew (record VIEW, as far as inputs ask), out of its row TURN_ROW."""
    seat = np.int64(turn.seat)
    view.hand, view.seen, view.players = turn.hand, seen, players
    view.to_beat, view.to_beat_kind = turn.to_beat, np.int64(turn.to_beat_kind)
    view.to_beat_strength = np.int64(turn.to_beat_strength)
    view.to_beat_by = (np.int64(turn.to_beat_by) - seat + players) % players
    view.locked = 0
    for k in range(players):
        other = (seat + k) % players
        view.cards_left[k] = np.int64(turn.cards_left[other])
        view.locked |= (np.int64(turn.locked) >> other & 1) << k


@kernel
def write_positions(players, turns, view, found, inputs, ends, payoffs):
    """Fill inputs, ends, payoffs with the positions that the choices in some turns led to.

    turns: records TURN_ROW, whole playouts; view: record VIEW with its rules, found:
    int64[MOST_INPUTS]: scratch space; inputs: int16[…], ends: int64[turns], where the inputs of
    each position end; payoffs: float32[turns]. Returns the number of positions.
    """
    n = used = seen = ZERO
    for i in range(len(turns)):
        turn = turns[i]
        if turn.turn == 0:
            seen = ZERO
        if turn.legal_plays > 1 and turn.play != turn.hand:
            view_turn(players, turn, seen, view)
            k, about = shared_inputs(view, found, ZERO)
            k = card_inputs(turn.hand & ~turn.play, about, found, k)
            kind, strength = np.int64(turn.kind), np.int64(turn.strength)
            k = play_inputs(view, turn.play, kind, strength, about, found, k)
            for j in range(k):
                inputs[used + j] = found[j]
            used += k
            ends[n] = used
            payoffs[n] = np.float32(turn.payoff)
            n += 1
        seen |= turn.play
    return n


@fast
def forward(floats, inputs, sums, active, hidden):
    """The output for the set inputs; sums, active: float32[WIDTH], hidden: float32[HIDDEN]."""
    for j in range(WIDTH):
        sums[j] = NONE
    for i in range(len(inputs)):
        row = floats.first[np.uint64(inputs[i])]
        for j in range(WIDTH):
            sums[j] += row[j]
    for j in range(WIDTH):
        active[j] = min(max(sums[j], NONE), TOP)
    output = floats.third_bias[0]
    for h in range(HIDDEN):
        row = floats.second[h]
        value = floats.second_bias[h]
        for j in range(WIDTH):
            value += row[j] * active[j]
        hidden[h] = value
        output += min(max(value, NONE), TOP) * floats.third[h]
    return output


@fast
def add_gradient(floats, inputs, error, sums, active, hidden, back, gradient):
    """Add what half the square of an error changes, by the last `forward`; back: float32[WIDTH]."""
    gradient.third_bias[0] += error
    for j in range(WIDTH):
        back[j] = NONE
    for h in range(HIDDEN):
        value = hidden[h]
        gradient.third[h] += error * min(max(value, NONE), TOP)
        if NONE < value < TOP:
            slope = error * floats.third[h]
            gradient.second_bias[h] += slope
            row, changed = floats.second[h], gradient.second[h]
            for j in range(WIDTH):
                changed[j] += slope * active[j]
                back[j] += slope * row[j]
    for j in range(WIDTH):
        back[j] = back[j] if NONE < sums[j] < TOP else NONE
    for i in range(len(inputs)):
        changed = gradient.first[np.uint64(inputs[i])]
        for j in range(WIDTH):
            changed[j] += back[j]


@fast
def step(values, gradient, mean, square, average, size, rate, fade_mean, fade_square, share):
    """One step of Adam over flat float32 arrays; the gradient is cleared, `average` follows.

    size: positions of the batch; fade_mean, fade_square: corrections for the first steps.
    """
    part = ONE / size
    for i in range(len(values)):
        g = gradient[i] * part
        gradient[i] = NONE
        mean[i] += np.float32(0.1) * (g - mean[i])
        square[i] += np.float32(0.001) * (g * g - square[i])
        move = mean[i] * fade_mean / (np.sqrt(square[i] * fade_square) + np.float32(1e-8))
        values[i] -= rate * move
        average[i] += share * (values[i] - average[i])


@kernel
def learn(
    floats, gradient, flat, steps, inputs, ends, payoffs, order, unit, rate, share, batch, sums,
    active, hidden, back,
):  # fmt: skip
    """Learn from positions once, in the order `order` (int64); returns the mean squared error.

    floats, gradient: records FLOATS; flat: the same memory and more as float32[5, n]: values,
    gradient, Adam's two means, averaged values; steps: those made before; unit: payoff of an output
    of 1; rate: of learning; share: of the newest values in the average; the others: scratch space.
    """
    total, in_batch = 0.0, 0
    for k in range(len(order)):
        i = order[k]
        begin = ends[i - 1] if i > 0 else ZERO
        mine = inputs[begin : ends[i]]
        output = forward(floats, mine, sums, active, hidden)
        error = output - payoffs[i] / unit
        total += np.float64(error) * error
        add_gradient(floats, mine, error, sums, active, hidden, back, gradient)
        in_batch += 1
        if in_batch == batch or k + 1 == len(order):
            steps += 1
            fade_mean = np.float32(1.0 / (1.0 - math.pow(0.9, steps)))
            fade_square = np.float32(1.0 / (1.0 - math.pow(0.999, steps)))
            step(
                flat[0], flat[1], flat[2], flat[3], flat[4], np.float32(in_batch), rate, fade_mean,
                fade_square, share,
            )  # fmt: skip
            in_batch = 0
    return total / max(len(order), 1)


@kernel
def mean_error(floats, inputs, ends, payoffs, unit, sums, active, hidden):
    """Mean squared error on positions that are not learnt from; arguments as in `learn`."""
    total, begin = 0.0, ZERO
    for i in range(len(ends)):
        error = forward(floats, inputs[begin : ends[i]], sums, active, hidden) - payoffs[i] / unit
        total += np.float64(error) * error
        begin = ends[i]
    return total / max(len(ends), 1)
