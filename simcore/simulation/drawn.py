# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Playing on from a position with the hidden cards drawn: kernels.

A sample is one arrangement of the cards that a seat has not seen, with a number: everything that
is drawn for it comes from the streams of (seed, number), so that every candidate play meets the
same hands and the same chance, and no question depends on how samples are shared out.
"""

import numpy as np

from simcore.foundation.bits import popcount, ranks_with_two
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import DEALING, STRATEGY, start_stream
from simcore.game import kinds as K
from simcore.game.groups import ZERO
from simcore.game.payoffs import TWOS, pay_for_all, settle
from simcore.game.plays import kinds_to_try, list_legal
from simcore.game.turns import grand_slam, take_turn
from simcore.simulation.playout import play_out
from simcore.strategies.endgame import solve_after, write_state
from simcore.strategies.sampling import deal_hidden, hidden_cards

HOLDINGS = ("beats", "two", "pair", "bomb")  # the columns of `count_holdings`


@inlined
def play_after(
    view, played, play, hands, seats, state, strategies, direct, noise, params, streams, inner_view,
    inner, offered, possible, counts, question, trace, payoffs,
):  # fmt: skip
    """One's own play, and everybody's on to the end: fills payoffs (int64[players]).

    view: record VIEW of the position; played: of `played_seats`; play: a legal play of it; hands:
    int64[players], seats counted from oneself, [0] before the play, left as they are at the end;
    the rest as in playout.play_through. With a fault (question.fault) there are no payoffs.
    """
    rules, players = view.rules, view.players
    write_state(state, view, played)
    kind, strength = np.int64(play.kind), np.int64(play.strength)
    question.fault = 0
    if not take_turn(rules, players, hands, state, play.mask, kind, strength):
        play_out(
            rules, players, hands, seats, state, strategies, direct, noise, params, streams,
            inner_view, inner, offered, possible, counts, question, trace,
        )  # fmt: skip
    if question.fault == 0:
        settle(
            rules, players, hands, state.seat, state.standing, state.kind, grand_slam(state),
            state.played, payoffs,
        )  # fmt: skip
        pay_for_all(players, state.payer, payoffs)


@inlined
def has_drawn(stream):
    """Whether a word of a stream was drawn since `start_stream`."""
    return stream.block != 0 and stream.used != 0


@kernel
def draw_samples(view, seed, first, stream, cards, drawn):
    """Deal the hidden cards of samples first … into drawn (int64[samples, players]).

    view: record VIEW; seed: uint64; stream: record STREAM, cards: int64[52]: scratch space.
    """
    for j in range(len(drawn)):
        n, opening = hidden_cards(view.rules, view, cards)
        start_stream(stream, seed, first + j, DEALING)
        deal_hidden(view, cards, n, opening, stream, drawn[j])


@kernel
def play_samples(
    view, played, plays, drawn, first, seed, strategies, direct, noise, params, streams, inner_view,
    inner, offered, scratch, state, question, trace, payoffs, left, search=None,
):  # fmt: skip
    """Play on from every play of a position with every drawn arrangement.

    plays: records PLAY; drawn: int64[samples, players], numbered from `first` on; scratch: int64[8,
    64]; payoffs: int32[plays, samples], left: int8[plays, samples], or None: one's own payoff at
    stake 1 and cards left; the rest as in `play_after`. search: None, or (cards, states, plays,
    values): with at most so many cards in all hands after a play the rest is solved; the others as
    in `endgame.solve_after`. Returns (samples played, whether a strategy drew a random number):
    fewer than there are mean a strategy's fault, described in `question`.
    """
    hands, seats, possible, counts, settled = (
        scratch[1], scratch[2], scratch[3], scratch[4], scratch[6],
    )  # fmt: skip
    players = view.players
    drew = False
    total = ZERO
    question.seating = 0
    for k in range(players):
        seats[k] = k
        total += view.cards_left[k]
    for j in range(len(drawn)):
        question.deal = first + j
        for i in range(len(plays)):
            for k in range(players):
                hands[k] = drawn[j, k]
                start_stream(streams[k], seed, first + j, STRATEGY + k)
            if search is not None:
                cards, states, search_plays, values = search
                if total - popcount(plays[i].mask) <= cards:
                    payoff, nodes = solve_after(
                        view, plays[i], hands, played, states, search_plays, values
                    )
                    if nodes >= 0:
                        payoffs[i, j] = payoff
                        continue
            play_after(
                view, played, plays[i], hands, seats, state, strategies, direct, noise, params,
                streams, inner_view, inner, offered, possible, counts, question, trace, settled,
            )  # fmt: skip
            if question.fault:
                return j, drew
            payoffs[i, j] = settled[0]
            if left is not None:
                left[i, j] = popcount(hands[0])
            for k in range(players):
                drew |= has_drawn(streams[k])
    return len(drawn), drew


@kernel
def solve_samples(view, played, plays, drawn, hands, states, search_plays, values, solved):
    """As `play_samples`, with all seats at their best and all hands known (endgame.solve).

    solved: int32[plays, samples], one's own payoff; hands: int64[players], values: int64[DEPTH, 4],
    states: records STATE[DEPTH], search_plays: records PLAY[WIDTH]: scratch space. Returns whether
    every search came to its end.
    """
    rules, players = view.rules, view.players
    for j in range(len(drawn)):
        for i in range(len(plays)):
            for k in range(players):
                hands[k] = drawn[j, k]
            play, state = plays[i], states[0]
            if play.mask == view.hand:
                write_state(state, view, played)
                kind, strength = np.int64(play.kind), np.int64(play.strength)
                take_turn(rules, players, hands, state, play.mask, kind, strength)
                settle(
                    rules, players, hands, ZERO, play.mask, kind, grand_slam(state), state.played,
                    values[0],
                )  # fmt: skip
            else:
                nodes = solve_after(view, play, hands, played, states, search_plays, values)[1]
                if nodes < 0:
                    return False
            solved[i, j] = values[0, 0]
    return True


@kernel
def count_holdings(view, played, drawn, plays, held):
    """Add to held (int64[players, 4]) how many arrangements give a seat each of HOLDINGS.

    That is: it may beat the standing play (not where it is locked out, or there is none), holds a
    2, a pair, a bomb. plays: records PLAY, scratch space.
    """
    rules = view.rules
    kind, strength = view.to_beat_kind, view.to_beat_strength
    for j in range(len(drawn)):
        for k in range(1, view.players):
            hand = drawn[j, k]
            if kind != K.PASS and view.locked >> k & 1 == 0:
                fresh = played >> k & 1 ^ 1
                kinds = kinds_to_try(rules, hand, kind, strength, fresh)
                n = list_legal(rules, hand, kind, strength, kinds, ZERO, ZERO, plays)[0]
                held[k, 0] += np.int64(n > 1)
            held[k, 1] += np.int64(hand & TWOS != 0)
            held[k, 2] += np.int64(ranks_with_two(hand) != 0)
            bombs = rules.kinds_bombs
            if bombs:
                n = list_legal(rules, hand, ZERO, ZERO, bombs, ZERO, ZERO, plays)[0]
                held[k, 3] += np.int64(n > 0)
