# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`rollout`: plays the deal out many times in its head, and takes what went best."""

import math

import numpy as np

from simcore.foundation.bits import popcount
from simcore.foundation.rng import STRATEGY, STREAM, next_word, start_stream
from simcore.game.groups import PLAY, ZERO
from simcore.game.plays import buffer_size
from simcore.game.turns import STATE
from simcore.simulation.drawn import play_after
from simcore.simulation.playout import QUESTION, TURN
from simcore.strategies.control import control
from simcore.strategies.direct import DUMP, LINEAR, LOWEST, RANDOM
from simcore.strategies.endgame import (
    DEPTH,
    MOST_SOLVED,
    WIDTH,
    played_seats,
    solve_after,
)
from simcore.strategies.features import context_of, play_value
from simcore.strategies.interface import VIEW, strategy
from simcore.strategies.linear import linear
from simcore.strategies.parameters import Parameter
from simcore.strategies.sampling import deal_hidden, hidden_cards

POLICIES = ("linear", "dump", "lowest", "random")
SHORTCUTS = np.array([LINEAR, DUMP, LOWEST, RANDOM], np.int64)
OWN = {
    "samples": Parameter(400.0, "playouts of all candidates together", least=1, most=1e6),
    "candidates": Parameter(8.0, "plays that are tried", least=2, most=1e3),
    "ucb": Parameter(1.0, "how much playouts go to what was tried least", least=0, most=1e3),
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


@strategy(
    weights=("linear", "control"),
    parameters=OWN | {p.name: p for p in (*linear.parameters, *control.parameters)},
)
def rollout(view, plays, n_plays, params, rng):
    """Draw the hidden cards, play the deal out after each candidate, and take the best on average.

    Candidates: what `control` would play, and the plays that `linear` values most, `candidates` in
    all. Each playout draws the cards of the others, uniformly among what one has not seen
    (sampling.py), makes the candidate play, and goes on with all seats playing `policy` (linear,
    dump, lowest or random); its payoff counts.
    The j-th playouts of all candidates draw the same cards. Which candidate gets the next of the
    `samples` playouts is chosen by UCB1 (P. Auer et al., Machine Learning 47, 2002), with `ucb`
    times the spread of the payoffs as its constant. With at most `endgame` cards in all hands
    after the play, the drawn hands are solved instead (endgame.py). What `control` would play is
    played unless the best candidate is better by `doubt` standard errors. A play that empties the
    hand is made at once. The weights are those of `linear` and `control`.

    Cost: about 1.2 ms. Source: flat Monte Carlo with determinisation, as in published Big Two
    programs and in I. Frank and D. Basin, Artificial Intelligence 100, 1998, which also tells its
    weakness: it plays as if it would know the others' cards after this turn.
    """
    for i in range(n_plays):
        if plays[i].mask == view.hand:
            return i
    rules, players = view.rules, view.players
    weights = np.empty((1, N_LINEAR), np.float64)
    weights[0] = params[N_OWN : N_OWN + N_LINEAR]
    # The best candidates, by the value that `linear` gives them.
    context = context_of(view)
    values = np.empty(n_plays, np.float64)
    for i in range(n_plays):
        values[i] = play_value(view, plays[i], weights[0], context)
    usual = control_play(view, plays, n_plays, params[N_OWN + N_LINEAR :], rng)
    values[usual] = 1e300
    n_arms = min(n_plays, np.int64(params[AT.candidates]))
    arms = np.argsort(-values)[:n_arms]
    samples = max(np.int64(params[AT.samples]), n_arms)
    code = SHORTCUTS[np.int64(params[AT.policy])]
    total = ZERO
    largest = ZERO
    for k in range(players):
        total += view.cards_left[k]
        largest = max(largest, view.cards_left[k])
    solves = params[AT.endgame]
    cards = np.empty(52, np.int64)
    n_hidden, opening = hidden_cards(rules, view, cards)
    played = played_seats(view)
    inner_view = np.empty(1, VIEW)
    inner_view[0] = view
    drawn = np.empty((samples, players), np.int64)
    n_drawn = ZERO
    hands = np.empty(players, np.int64)
    seats = np.zeros(players, np.int64)
    direct = np.full(1, code)
    noise = np.zeros(1, np.float64)
    streams = np.zeros(1, STREAM)
    seed = next_word(rng)
    states, question = np.zeros(DEPTH, STATE), np.zeros(1, QUESTION)
    room = buffer_size(largest)
    inner, offered = np.empty(room, PLAY), np.empty(room, PLAY)
    possible, counts = np.empty(64, np.int64), np.empty(64, np.int64)
    trace = np.empty(0, TURN)
    payoffs = np.empty(players, np.int64)
    solved = np.empty((DEPTH, 4), np.int64)
    search_plays = np.empty(WIDTH, PLAY)
    sums, tried = np.zeros(n_arms), np.zeros(n_arms, np.int64)
    all_sum = all_squares = 0.0
    for t in range(samples):
        a = t
        if t >= n_arms:  # UCB1, its constant in units of the spread of payoffs
            spread = math.sqrt(max(all_squares / t - (all_sum / t) ** 2, 1e-9))
            bonus = params[AT.ucb] * spread * math.sqrt(math.log(t))
            a = 0
            highest = -1e300
            for b in range(n_arms):
                bound = sums[b] / tried[b] + bonus / math.sqrt(tried[b])
                if bound > highest:
                    a = b
                    highest = bound
        # The same hidden hands for the j-th playout of every candidate: they are compared on those.
        j = tried[a]
        while n_drawn <= j:
            deal_hidden(view, cards, n_hidden, opening, rng, drawn[n_drawn])
            n_drawn += 1
        play = plays[arms[a]]
        mask = play.mask
        hands[:] = drawn[j]
        nodes = ZERO - 1
        payoff = ZERO
        if total - popcount(mask) <= solves:
            payoff, nodes = solve_after(view, play, hands, played, states, search_plays, solved)
        if nodes < 0:
            start_stream(streams[0], seed, j, STRATEGY)
            play_after(
                view, played, play, hands, seats, states[0], None, direct, noise, weights, streams,
                inner_view[0], inner, offered, possible, counts, question[0], trace, payoffs,
            )  # fmt: skip
            payoff = payoffs[0]
        sums[a] += payoff
        tried[a] += 1
        all_sum += payoff
        all_squares += np.float64(payoff) * payoff
    best = 0
    for b in range(n_arms):
        if sums[b] / tried[b] > sums[best] / tried[best]:
            best = b
    variance = max(all_squares / samples - (all_sum / samples) ** 2, 0.0)
    error = math.sqrt(variance * (1.0 / tried[best] + 1.0 / tried[0]))
    if sums[best] / tried[best] - sums[0] / tried[0] < params[AT.doubt] * error:
        best = 0
    return arms[best]


AT = rollout.places
