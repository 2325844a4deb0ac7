# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`rollout`: plays the deal out many times in its head, and takes what went best."""

import math

import numpy as np

from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import STREAM, next_word
from simcore.game.groups import PLAY, ZERO
from simcore.game.plays import buffer_size
from simcore.game.turns import STATE
from simcore.simulation.batch import SCRATCH_SHAPE
from simcore.simulation.drawn import draw_samples, play_samples
from simcore.simulation.playout import QUESTION, TURN
from simcore.strategies.control import control
from simcore.strategies.direct import DUMP, LINEAR, LOWEST, RANDOM
from simcore.strategies.endgame import DEPTH, MOST_SOLVED, WIDTH, played_seats
from simcore.strategies.features import context_of, play_value
from simcore.strategies.interface import MAX_PLAYERS, VIEW, strategy
from simcore.strategies.linear import linear
from simcore.strategies.parameters import Parameter

POLICIES = ("linear", "dump", "lowest", "random")
SHORTCUTS = np.array([LINEAR, DUMP, LOWEST, RANDOM], np.int64)
OWN = {
    "samples": Parameter(350.0, "playouts of all candidates together, at most", least=1, most=1e6),
    "candidates": Parameter(8.0, "plays that are tried", least=2, most=1e3),
    "round": Parameter(
        12.0, "playouts of each candidate before one may be dropped, and again", least=2, most=1e3
    ),
    "drop": Parameter(
        1.5, "standard errors behind the best with which a candidate is dropped", least=0, most=1e3
    ),
    "policy": Parameter(0.0, "what all seats play after the candidate", words=POLICIES),
    "endgame": Parameter(
        9.0, "with at most so many cards in all hands it solves", least=0, most=MOST_SOLVED
    ),
    "doubt": Parameter(
        1.5, "standard errors by which a play must be better than control's", least=0, most=1e3
    ),
}
N_OWN, N_LINEAR = len(OWN), len(linear.parameters)
control_play = control.function


@kernel
def choose_candidates(view, plays, n_plays, usual, weights, values, chosen):
    """Fill chosen (int64[candidates]) with indices of plays: `usual`, then by value to `linear`.

    weights: float64, those of `linear`; values: float64[n_plays], scratch space.
    """
    context = context_of(view)
    for i in range(n_plays):
        values[i] = play_value(view, plays[i], weights, context)
    values[usual] = math.inf
    for a in range(len(chosen)):
        best = ZERO
        for i in range(n_plays):
            if values[i] > values[best]:
                best = ZERO + i
        chosen[a] = best
        values[best] = -math.inf


@kernel
def add_round(payoffs, racing, sums, products):
    """Add payoffs (int32[racing, samples]) to their sums (float64[candidates]) and products.

    racing: int64, the candidates of the rows; products: float64[candidates, candidates].
    """
    for a in range(len(racing)):
        for j in range(payoffs.shape[1]):
            sums[racing[a]] += payoffs[a, j]
        for b in range(a + 1):
            total = 0.0
            for j in range(payoffs.shape[1]):
                total += np.float64(payoffs[a, j]) * payoffs[b, j]
            products[racing[a], racing[b]] += total


@inlined
def is_behind(a, b, n, sums, products, errors):
    """Whether a's mean is more standard errors of the paired difference below b's than `errors`."""
    total = sums[b] - sums[a]
    low, high = min(a, b), max(a, b)
    squares = products[a, a] + products[b, b] - 2.0 * products[high, low]
    variance = max(squares - total * total / n, 0.0) / max(n - 1, 1)
    return total > errors * math.sqrt(variance * n)


@kernel
def drop_beaten(n, sums, products, errors, racing):
    """(the best of racing on n samples each, how many race on): those move to the front.

    The best stays; of candidates that always bring the same the first.
    """
    best = racing[0]
    for a in racing:
        if sums[a] > sums[best]:
            best = a
    left = ZERO
    for a in racing:
        same = products[a, a] == products[best, best] == products[max(a, best), min(a, best)]
        if a == best or not (same or is_behind(a, best, n, sums, products, errors)):
            racing[left] = a
            left += 1
    return best, left


@strategy(
    version=2,
    weights=("linear", "control"),
    parameters=OWN | {p.name: p for p in (*linear.parameters, *control.parameters)},
)
def rollout(view, plays, n_plays, params, rng):
    """Draw the hidden cards, play the deal out after each candidate, and take the best on average.

    Candidates: what `control` would play, and the plays that `linear` values most, `candidates` in
    all. Each playout draws the cards of the others, uniformly among what one has not seen
    (sampling.py), makes the candidate play, and goes on with all seats playing `policy` (linear,
    dump, lowest or random); its payoff counts. With at most `endgame` cards in all hands after the
    play, the drawn hands are solved instead (endgame.py).
    The candidates race: all of them are tried on the same drawn hands, `round` of them at a time.
    After each round those are dropped that are `drop` standard errors of the paired difference
    behind the best, and those that always bring the same as it. It ends when one is left, or after
    `samples` playouts. What `control` would play is played unless the best is better by `doubt`
    standard errors. A play that empties the hand is made at once. The weights are those of `linear`
    and `control`.

    Cost: about 0.6 ms. Source: flat Monte Carlo with determinisation, as in published Big Two
    programs and in I. Frank and D. Basin, Artificial Intelligence 100, 1998, which also tells its
    weakness: it plays as if it would know the others' cards after this turn. Racing: O. Maron and
    A. Moore, Artificial Intelligence Review 11, 1997.
    """
    for i in range(n_plays):
        if plays[i].mask == view.hand:
            return i
    players = view.players
    weights = np.empty((MAX_PLAYERS, N_LINEAR), np.float64)
    weights[:] = params[N_OWN : N_OWN + N_LINEAR]
    usual = control_play(view, plays, n_plays, params[N_OWN + N_LINEAR :], rng)
    chosen = np.empty(min(n_plays, np.int64(params[AT.candidates])), np.int64)
    choose_candidates(
        view, plays, n_plays, usual, weights[0], np.empty(n_plays, np.float64), chosen
    )
    # What playouts need.
    largest = ZERO
    for k in range(players):
        largest = max(largest, view.cards_left[k])
    room = buffer_size(largest)
    inner, offered = np.empty(room, PLAY), np.empty(room, PLAY)
    inner_view = np.empty(1, VIEW)
    inner_view[0] = view
    direct = np.full(MAX_PLAYERS, SHORTCUTS[np.int64(params[AT.policy])])
    noise, streams = np.zeros(MAX_PLAYERS, np.float64), np.zeros(MAX_PLAYERS + 1, STREAM)
    scratch, cards = np.empty(SCRATCH_SHAPE, np.int64), np.empty(52, np.int64)
    states, question, trace = np.zeros(DEPTH, STATE), np.zeros(1, QUESTION), np.empty(0, TURN)
    search = (
        np.int64(params[AT.endgame]), states, np.empty(WIDTH, PLAY), np.empty((DEPTH, 4), np.int64),
    )  # fmt: skip
    seed, played = next_word(rng), played_seats(view)
    # The race.
    n_racing = len(chosen)
    racing, tried = np.arange(n_racing), np.empty(n_racing, PLAY)
    size = np.int64(params[AT.round])
    drawn, payoffs = np.empty((size, players), np.int64), np.empty((n_racing, size), np.int32)
    sums, products = np.zeros(n_racing), np.zeros((n_racing, n_racing))
    best, first, left = ZERO, ZERO, max(np.int64(params[AT.samples]), n_racing)
    while n_racing > 1 and left >= n_racing:
        n = min(size, left // n_racing)
        for a in range(n_racing):
            tried[a] = plays[chosen[racing[a]]]
        draw_samples(view, seed, first, streams[MAX_PLAYERS], cards, drawn[:n])
        play_samples(
            view, played, tried[:n_racing], drawn[:n], first, seed, None, direct, noise, weights,
            streams, inner_view[0], inner, offered, scratch, states[0], question[0], trace,
            payoffs[:n_racing, :n], None, search,
        )  # fmt: skip
        add_round(payoffs[:n_racing, :n], racing[:n_racing], sums, products)
        first += n
        left -= n * n_racing
        best, n_racing = drop_beaten(first, sums, products, params[AT.drop], racing[:n_racing])
    if racing[0] == 0 and not is_behind(ZERO, best, first, sums, products, params[AT.doubt]):
        best = ZERO
    return chosen[best]


AT = rollout.places
