# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The state of a playout and its one transition: kernels. Twin: reference.play_out.

A turn is a play or a pass; `take_turn` is the only place that says what it changes, and everything
that plays, searches or follows a record goes through it (simple_turns keeps a copy of its own for
speed, which tests compare). A trick ends when the turn comes back to the seat of the standing play:
everybody else has passed in a row, or is locked out. Locked-out seats are skipped, not asked.
"""

import numpy as np

from simcore.foundation.bits import highest_index, popcount
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.combinations import beats
from simcore.game.groups import ZERO
from simcore.game.kinds import SIZES

SIZE_OF = np.array(SIZES, np.int64)

STATE = np.dtype(
    [
        ("seat", np.int64),  # whose turn it is; at the end: who has gone out
        ("starter", np.int64),
        ("first_hand", np.int64),  # 1: the opening card decided who starts
        ("required", np.int64),  # card that this play must contain, as a one-card mask; 0: none
        ("standing", np.int64),  # mask of the play to beat, 0: none
        ("kind", np.int64),  # PASS: one leads
        ("strength", np.int64),
        ("by", np.int64),  # the seat that made it, -1: nobody
        ("passed", np.int64),  # bit set of seats: passed since then
        ("locked", np.int64),  # bit set of seats: locked out of this trick
        ("seen", np.int64),  # all cards played so far
        ("played", np.int64),  # bit set of seats: have played a card
        ("plays", np.int64),  # turns so far that were no pass
        ("turn", np.int64),  # turns so far
        ("trick", np.int64),  # number of the trick, from 1
        # last-card rule: who pays for all if the next seat goes out now; at the end: who does; -1
        ("payer", np.int64),
    ],
    align=True,
)


@kernel
def start_state(state, starter, required):
    """Before the first turn. required: the opening card that the first play must contain, or 0.

    Whoever begins a later hand of a session says so in `first_hand` afterwards.
    """
    state.seat = state.starter = starter
    state.first_hand = 1
    state.required = required
    state.by = state.payer = -1
    state.standing = state.kind = state.strength = state.passed = state.locked = 0
    state.seen = state.played = state.plays = state.turn = 0
    state.trick = 1


@inlined
def grand_slam(state):
    """At the end of a playout: whether nobody but the starter has played a card."""
    return state.played == 1 << state.starter


@inlined
def following_seat(seat, players):
    """The next seat in turn order, locked out or not."""
    return seat + 1 if seat + 1 < players else 0


@inlined
def next_cards(rules, players, hands, seat):
    """Cards of the seat behind this one where a rule looks at them, else 0."""
    if rules.looks_at_next:
        return popcount(hands[np.uint64(following_seat(seat, players))])
    return ZERO


@kernel
def pass_locks(rules, standing_kind):
    """Whether a pass on this standing play locks the seat out until the next lead."""
    return rules.passing_locks_on >> SIZE_OF[np.uint64(standing_kind)] & 1


@inlined
def beats_with_highest(rules, hand, kind, strength):
    """Whether a single stands that the highest card of a hand beats."""
    return kind == K.SINGLE and beats(rules, K.SINGLE, highest_index(hand), kind, strength)


@kernel
def breaks_last_card_rule(rules, hand, next_left, kind, strength, mask, tried):
    """Whether a turn is one that costs the payoff of all, if the next seat then goes out.

    hand: before the turn; kind, strength: the standing play; mask, tried: what is played.
    """
    if next_left != 1:
        return False
    if mask:
        return tried == K.SINGLE and mask != 1 << highest_index(hand)
    return beats_with_highest(rules, hand, kind, strength)


@inlined
def who_pays(players, state):
    """Who pays for all if the seat whose turn it is goes out in this turn, -1: nobody does."""
    if state.payer >= 0 and following_seat(state.payer, players) == state.seat:
        return state.payer
    return ZERO - 1


@inlined
def take_turn(rules, players, hands, state, mask, kind, strength):
    """The transition: the seat whose turn it is plays `mask`, of this kind and strength, or passes.

    hands: int64[players]; state: record STATE, both changed in place; mask: int64, 0 for the pass.
    Returns whether the playout is over: then `state.seat` has no cards left. Otherwise it is the
    next seat's turn, and a trick that is over has been cleared away.
    """
    seat = state.seat
    locked = state.locked
    state.turn += 1
    payer = ZERO - 1
    if rules.last_card_pays:
        payer = who_pays(players, state)
        next_left = popcount(hands[np.uint64(following_seat(seat, players))])
        state.payer = ZERO - 1
        if breaks_last_card_rule(
            rules, hands[np.uint64(seat)], next_left, state.kind, state.strength, mask, kind
        ):
            state.payer = seat
    if mask:
        hand = hands[np.uint64(seat)] & ~mask
        hands[np.uint64(seat)] = hand
        state.standing, state.kind, state.strength, state.by = mask, kind, strength, seat
        state.passed = state.required = 0
        state.seen |= mask
        state.played |= 1 << seat
        state.plays += 1
        if hand == 0:
            state.payer = payer
            return True
    else:
        state.passed |= 1 << seat
        if rules.passing_locks_on and pass_locks(rules, state.kind):
            locked |= 1 << seat
            state.locked = locked
    seat = following_seat(seat, players)
    while locked >> seat & 1:
        seat = following_seat(seat, players)
    state.seat = seat
    if seat == state.by:
        state.by = ZERO - 1
        state.standing = state.kind = state.strength = state.passed = state.locked = 0
        state.trick += 1
    return False


@kernel
def play_turn(rules, players, hands, state, mask, kind, strength):
    """`take_turn` for callers in Python."""
    return take_turn(rules, players, hands, state, mask, kind, strength)
