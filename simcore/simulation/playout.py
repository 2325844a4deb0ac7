# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""One deal to its end: the one place where a strategy is called. Twin: reference.play_out."""

import numpy as np

from simcore.foundation.bits import popcount
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import below, uniform, words_drawn
from simcore.game import kinds as K
from simcore.game.combinations import answers
from simcore.game.groups import ZERO, put
from simcore.game.plays import legal_plays, list_legal
from simcore.game.turns import following_seat, next_cards, take_turn
from simcore.strategies.direct import LINEAR, has_shortcut, kinds_to_begin_with, shortcut_play
from simcore.strategies.linear import linear_play
from simcore.strategies.simple_turns import has_simple_turns, simple_turns

MAX_TURNS = 52 * 4  # at most 52 plays, each followed by at most 3 passes
NOT_ASKED = -1  # in place of the turn of a question: nobody is being asked

QUESTION = np.dtype(
    [
        # what a strategy is asked last, for the message if it fails
        ("deal", np.int64),
        ("seating", np.int64),
        ("slot", np.int64),
        ("turn", np.int64),
        # and its fault: the index that it returned among n_plays
        ("fault", np.int64),
        ("index", np.int64),
        ("n_plays", np.int64),
    ],
    align=True,
)

TURN = np.dtype(
    [
        ("seat", np.int64),
        ("mask", np.int64),
        ("kind", np.int64),
        ("strength", np.int64),
        ("trick", np.int64),
        ("n_plays", np.int64),  # options the seat had, 0: not counted
        ("drawn", np.int64),  # words of the slot's stream used before it
    ],
    align=True,
)


@inlined
def write_view(view, players, hands, state):
    """What the seat whose turn it is may know; seats are counted from itself."""
    seat = state.seat
    view.hand = hands[seat]
    view.to_beat = state.standing
    view.to_beat_kind = state.kind
    view.to_beat_strength = state.strength
    view.to_beat_by = (state.by - seat + players) % players if state.kind != K.PASS else 0
    view.seen = state.seen
    view.starter = (state.starter - seat + players) % players
    view.first_hand = state.first_hand
    view.fresh = state.played >> seat & 1 ^ 1
    view.required = state.required
    view.turn = state.turn
    view.trick = state.trick
    view.players = players
    passed, locked = state.passed, state.locked
    view.passed = 0
    view.locked = 0
    other = seat
    for k in range(players):
        view.cards_left[k] = popcount(hands[other])
        view.passed |= (passed >> other & 1) << k
        view.locked |= (locked >> other & 1) << k
        other = following_seat(other, players)


@kernel
def fill_view(view, players, hands, state):
    """`write_view` for callers in Python."""
    write_view(view, players, hands, state)


@kernel
def list_view(view, plays):
    """List the legal plays of a view (plays.legal_plays); returns their number."""
    return legal_plays(
        view.rules, view.hand, view.to_beat_kind, view.to_beat_strength, view.required,
        view.cards_left[1], view.fresh, plays,
    )  # fmt: skip


@kernel
def ask(strategies, slot, view, plays, n_plays, params, stream):
    """The choice of one slot's strategy. Without strategies every slot has a shortcut."""
    if strategies is None:  # nothing else is compiled then
        return ZERO - 1
    return strategies[slot](view, plays, n_plays, params, stream)


@inlined
def choose(code, strategies, slot, view, plays, n, offered, noise, params, streams):
    """Index of the listed play that a slot's strategy chooses, or chance in its place."""
    if code == LINEAR:
        return linear_play(view, plays, n, params[slot])
    for i in range(n):
        play = plays[i]
        put(offered, i, play.mask, play.kind, play.strength)
    if noise[slot] > 0 and uniform(streams[slot]) < noise[slot]:
        return below(streams[slot], n)
    return ask(strategies, slot, view, offered, n, params[slot], streams[slot])


@inlined
def play_through(
    rules, players, hands, seats, state, strategies, direct, noise, params, streams, view, plays,
    offered, possible, counts, question, trace,
):  # fmt: skip
    """Play one deal to its end; hands (int64[players]) and state are left as they are at the end.

    rules: record RULES; seats: int64[players], the slot at each seat; state: record STATE, where to
    begin; strategies: tuple of functions by slot, None if all have shortcuts; direct: int64 by
    slot, its shortcut (direct.LISTED: none); noise: float64 by slot, how often it plays at random
    instead (0 where there is a shortcut); params: float64[slots, n]; streams: records STREAM by
    slot, at their beginning; view: record VIEW whose rules are set; plays, offered: records PLAY,
    the engine's list and the copy that strategies get (one may scribble on it); possible, counts:
    int64 scratch space; question: record QUESTION; trace: records TURN, filled if it has items.
    """
    question.fault = 0
    # Slots and shortcuts by seat, four bits each: quicker than two dependent look-ups every turn.
    slots = codes = ZERO
    for seat in range(players):
        slots |= seats[seat] << (4 * seat)
        code = direct[seats[seat]]
        codes |= code << (4 * seat)
        fresh = state.played >> seat & 1 ^ 1
        possible[seat] = kinds_to_begin_with(rules, code, hands[seat], fresh)
    no_dragons = ~rules.dragons
    quick = len(trace) == 0 and has_simple_turns(rules)
    over = False
    while not over:
        if quick and not state.required and state.kind <= K.PAIR:
            over = simple_turns(rules, players, hands, slots, codes, streams, possible, state)
            if over:
                break
        seat = state.seat
        slot = np.uint64(slots >> (4 * seat) & 15)
        code = codes >> (4 * seat) & 15
        place = np.uint64(seat)  # unsigned: numba need not ask whether it counts from the end
        hand = hands[place]
        next_left = next_cards(rules, players, hands, seat)
        kind, strength, required = state.kind, state.strength, state.required
        kinds = answers(rules, kind, strength) & possible[place]
        if len(trace):
            trace[state.turn].drawn = words_drawn(streams[slot])
        n = ZERO
        if has_shortcut(code, required):
            mask, tried, found = shortcut_play(
                code, rules, hand, next_left, required, kind, strength, kinds, place, possible,
                streams[slot], counts, plays,
            )  # fmt: skip
        else:
            n, not_formed = list_legal(
                rules, hand, kind, strength, kinds, required, next_left, plays
            )
            possible[place] &= ~not_formed
            index = ZERO
            if n > 1:
                write_view(view, players, hands, state)
                question.slot = np.int64(slot)
                question.turn = state.turn
                index = choose(
                    code, strategies, slot, view, plays, n, offered, noise, params, streams
                )
                if index < 0 or index >= n:
                    question.fault = 1
                    question.index = index
                    question.n_plays = n
                    return
                question.turn = NOT_ASKED
            mask = plays[index].mask
            tried = np.int64(plays[index].kind)
            found = np.int64(plays[index].strength)
        if len(trace):
            done = trace[state.turn]
            done.seat, done.mask, done.kind, done.strength = seat, mask, tried, found
            done.trick, done.n_plays = state.trick, n
        if mask:
            possible[place] &= no_dragons
        over = take_turn(rules, players, hands, state, mask, tried, found)


@kernel
def play_out(
    rules, players, hands, seats, state, strategies, direct, noise, params, streams, view, plays,
    offered, possible, counts, question, trace,
):  # fmt: skip
    """`play_through` as a kernel of its own, for those who play single deals."""
    play_through(
        rules, players, hands, seats, state, strategies, direct, noise, params, streams, view,
        plays, offered, possible, counts, question, trace,
    )  # fmt: skip
