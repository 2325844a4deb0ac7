# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Trying plays with a network: everybody plays by it for a while, then it says what that is worth.

The kernels of `rollout` with policy=net. A playout to its end brings little of a play's worth and
much of chance; the value a few turns later brings the same with less.
"""

import numpy as np

from simcore.foundation.bits import popcount
from simcore.foundation.jit import kernel
from simcore.game.groups import ZERO
from simcore.game.payoffs import pay_for_all, settle
from simcore.game.plays import kinds_to_try, list_legal
from simcore.game.turns import grand_slam, next_cards, take_turn
from simcore.simulation.playout import write_view
from simcore.strategies.endgame import solve_after, write_state
from simcore.strategies.net import OUTPUT, value_plays


@kernel
def order_by_value(values, n_plays, chosen):
    """Fill chosen (int64[candidates]) with the plays of the highest values, highest first."""
    for a in range(len(chosen)):
        best = ZERO - 1
        for i in range(n_plays):
            taken = False
            for b in range(a):
                taken |= chosen[b] == i
            if not taken and (best < 0 or values[i] > values[best]):
                best = ZERO + i
        chosen[a] = best


@kernel
def worth_after(
    view, played, play, hands, turns, network, state, inner_view, inner, scratch, values, settled,
):  # fmt: skip
    """One's own payoff, expected, after a play and so many further turns of one's own.

    view: record VIEW of the position; play: a legal play of it; hands: int64[players], all known,
    changed; turns: how often one is asked again before the network says what the best is worth;
    network: record NETWORK; scratch: (inputs, base, sums, active) of `value_plays`, values:
    int64[plays], state, inner_view, inner, settled: scratch space.
    """
    inputs, base, sums, active = scratch
    rules, players = view.rules, view.players
    write_state(state, view, played)
    kind, strength = np.int64(play.kind), np.int64(play.strength)
    over = take_turn(rules, players, hands, state, play.mask, kind, strength)
    left = turns
    while not over:
        seat = state.seat
        hand = hands[seat]
        kind, strength = state.kind, state.strength
        kinds = kinds_to_try(rules, hand, kind, strength, state.played >> seat & 1 ^ 1)
        next_left = next_cards(rules, players, hands, seat)
        n = list_legal(rules, hand, kind, strength, kinds, state.required, next_left, inner)[0]
        best = ZERO
        if n > 1:
            best = ZERO - 1
            for i in range(n):
                if inner[i].mask == hand:
                    best = ZERO + i
            if best < 0:
                write_view(inner_view, players, hands, state)
                value_plays(network, inner_view, inner, n, inputs, base, sums, active, values)
                best = ZERO
                for i in range(1, n):
                    if values[i] > values[best]:
                        best = ZERO + i
                if seat == 0:
                    left -= 1
                    if left == 0:
                        return values[best] / OUTPUT * network.unit
        chosen = inner[best]
        kind, strength = np.int64(chosen.kind), np.int64(chosen.strength)
        over = take_turn(rules, players, hands, state, chosen.mask, kind, strength)
    settle(
        rules, players, hands, state.seat, state.standing, state.kind, grand_slam(state),
        state.played, settled,
    )  # fmt: skip
    pay_for_all(players, state.payer, settled)
    return np.float64(settled[0])


@kernel
def foresee(
    view, played, plays, drawn, turns, cards, network, states, search_plays, search_values,
    inner_view, inner, scratch, values, hands, worths,
):  # fmt: skip
    """Fill worths (float64[plays, samples]) with what each play brings on each arrangement.

    drawn: int64[samples, players]; cards: with at most so many cards in all hands after a play the
    rest is solved (endgame.solve_after); the rest as in `worth_after`.
    """
    players = view.players
    total = ZERO
    for k in range(players):
        total += view.cards_left[k]
    for j in range(len(drawn)):
        for i in range(len(plays)):
            for k in range(players):
                hands[k] = drawn[j, k]
            if total - popcount(plays[i].mask) <= cards:
                payoff, nodes = solve_after(
                    view, plays[i], hands, played, states, search_plays, search_values
                )
                if nodes >= 0:
                    worths[i, j] = payoff
                    continue
                for k in range(players):
                    hands[k] = drawn[j, k]
            worths[i, j] = worth_after(
                view, played, plays[i], hands, turns, network, states[0], inner_view, inner,
                scratch, values, search_values[0],
            )  # fmt: skip
