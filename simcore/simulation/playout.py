"""One deal to its end: the one place where a strategy is called. Twin: reference.play_out."""

import numpy as np
from numba import types
from numba.extending import overload

from simcore.foundation.bits import highest_index, popcount
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import below, uniform
from simcore.game import kinds as K
from simcore.game.combinations import answers
from simcore.game.groups import ANY, ZERO, put
from simcore.game.plays import formable_kinds, is_dragon, list_legal, playable_singles
from simcore.game.turns import following_seat, next_seat, pass_locks
from simcore.simulation.simple_turns import has_simple_turns, simple_turns
from simcore.strategies.direct import LISTED, RANDOM, cheap_play, random_opening, random_play
from simcore.strategies.linear import linear

MAX_TURNS = 52 * 4  # at most 52 plays, each followed by at most 3 passes

PLAYOUT = np.dtype(
    [
        ("winner", np.int64),
        ("plays", np.int64),
        ("passes", np.int64),
        ("tricks", np.int64),
        ("last", np.int64),  # mask of the last play
        ("last_kind", np.int64),
        ("grand_slam", np.int64),  # 1: the starter won and nobody else played a card
        # the last question to a strategy, for the message if it fails
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

STATE = np.dtype(
    [
        ("seat", np.int64),  # whose turn it is
        ("starter", np.int64),
        ("required", np.int64),  # card that this play must contain, as a one-card mask; 0: none
        ("standing", np.int64),  # mask of the play to beat, 0: none
        ("kind", np.int64),
        ("strength", np.int64),
        ("by", np.int64),  # the seat that made it, -1: nobody yet
        ("passed", np.int64),  # bit set of seats: passed since then
        ("locked", np.int64),  # bit set of seats: locked out of this trick
        ("seen", np.int64),  # all cards played so far
        ("played", np.int64),  # bit set of seats: have played a card
        ("turn", np.int64),
        ("trick", np.int64),
    ],
    align=True,
)

TURN = np.dtype(
    [
        ("seat", np.int64),
        ("mask", np.int64),
        ("kind", np.int64),
        ("strength", np.int64),
        ("n_plays", np.int64),  # options the seat had, 0: not counted
    ],
    align=True,
)


@inlined
def kinds_to_begin_with(rules, code, hand):
    """The set of kinds that a seat looks for until it is found unable to form one."""
    if code in (LISTED, RANDOM):  # they look at every kind, the others at few
        return formable_kinds(rules, hand)
    return ANY if is_dragon(hand) else ~rules.dragons


@inlined
def write_view(
    view, players, hands, seat, standing, kind, strength, by, in_play, passed, locked, starter,
    fresh, required, turn, trick,
):  # fmt: skip
    """What the seat may know; seats are counted from itself."""
    view.hand = hands[seat]
    view.to_beat = standing
    view.to_beat_kind = kind
    view.to_beat_strength = strength
    view.to_beat_by = (by - seat + players) % players if kind != K.PASS else 0
    view.starter = (starter - seat + players) % players
    view.fresh = fresh
    view.required = required
    view.turn = turn
    view.trick = trick
    view.players = players
    view.passed = 0
    view.locked = 0
    other = seat
    held = ZERO
    for k in range(players):
        held |= hands[other]
        view.cards_left[k] = popcount(hands[other])
        view.passed |= (passed >> other & 1) << k
        view.locked |= (locked >> other & 1) << k
        other = following_seat(other, players)
    view.seen = in_play & ~held


def ask(strategies, slot, view, plays, n_plays, params, stream):
    """The choice of one slot's strategy; without strategies, `linear` plays every slot."""
    if strategies is None:
        return linear.function(view, plays, n_plays, params, stream)
    return strategies[slot](view, plays, n_plays, params, stream)


@overload(ask)
def _ask(strategies, slot, view, plays, n_plays, params, stream):
    if isinstance(strategies, types.BaseTuple):
        return lambda strategies, slot, view, plays, n_plays, params, stream: strategies[slot](
            view, plays, n_plays, params, stream
        )
    # Compiled in, not called through a pointer, which could not be kept in the cache of kernels.
    compiled_in = linear.function
    return lambda strategies, slot, view, plays, n_plays, params, stream: compiled_in(
        view, plays, n_plays, params, stream
    )


@kernel
def start_state(state, starter, required):
    """Before the first turn. required: the opening card that the first play must contain, or 0."""
    state.seat = state.starter = starter
    state.required = required
    state.by = -1
    state.standing = state.kind = state.strength = state.passed = state.locked = 0
    state.seen = state.played = state.turn = 0
    state.trick = 1


@kernel
def fill_view(view, players, hands, state):
    """The view of the seat whose turn it is, once a trick that is over has been cleared away."""
    in_play = state.seen
    for seat in range(players):
        in_play |= hands[seat]
    write_view(
        view, players, hands, state.seat, state.standing, state.kind, state.strength, state.by,
        in_play, state.passed, state.locked, state.starter, state.played >> state.seat & 1 ^ 1,
        state.required, state.turn, state.trick,
    )  # fmt: skip


@inlined
def play_through(
    rules, players, hands, seats, state, strategies, direct, noise, params, streams, view, plays,
    offered, possible, counts, result, trace,
):  # fmt: skip
    """Play one deal to its end; hands (int64[players]) are left as they are at the end.

    rules: record RULES; seats: int64[players], the slot at each seat; state: record STATE, where to
    begin (read only); strategies: tuple of functions by slot; direct: int64 by slot, the engine's
    shortcut for it (0: none); noise: float64 by slot, how often it plays at random instead (0 where
    there is a shortcut); params: float64[slots, n]; streams: records STREAM by slot, at their
    beginning; view: record VIEW whose rules are set; plays, offered: records PLAY, the engine's
    list and the copy that strategies get (one may scribble on it); possible, counts: int64 scratch
    space; result: record PLAYOUT; trace: records TURN, filled if it has items.
    """
    result.fault = 0
    # Slots and shortcuts by seat, four bits each: quicker than two dependent look-ups every turn.
    slots = codes = ZERO
    in_play = state.seen
    for seat in range(players):
        in_play |= hands[seat]
        slots |= seats[seat] << (4 * seat)
        code = direct[seats[seat]]
        codes |= code << (4 * seat)
        possible[seat] = kinds_to_begin_with(rules, code, hands[seat])
        if state.played >> seat & 1:  # begun halfway: a large hand may have become thirteen ranks
            possible[seat] &= ~rules.dragons
    may_lock, no_dragons = rules.locks != 0, ~rules.dragons
    n_played = ZERO
    seat, starter, required = state.seat, state.starter, state.required
    standing, kind, strength, by = state.standing, state.kind, state.strength, state.by
    passed, locked, played = state.passed, state.locked, state.played
    turn, trick = state.turn, state.trick
    quick = len(trace) == 0 and has_simple_turns(rules)
    while True:
        if quick and not required and kind <= K.PAIR:
            before = turn
            seat, by, standing, kind, passed, played, turn, trick, n_played = simple_turns(
                rules, players, hands, slots, codes, streams, possible, seat, by, standing, kind,
                passed, played, turn, trick, n_played,
            )  # fmt: skip
            if turn > before and hands[np.uint64(seat)] == 0:
                break
            strength = highest_index(standing) if standing else ZERO
        if seat == by:  # everybody else has passed or is locked out: a new trick
            standing = kind = strength = locked = passed = ZERO
            trick += 1
        slot = np.uint64(slots >> (4 * seat) & 15)
        code = codes >> (4 * seat) & 15
        place = np.uint64(seat)  # unsigned: numba need not ask whether it counts from the end
        hand = hands[place]
        next_left = popcount(hands[following_seat(seat, players)]) if rules.last_card_rule else ZERO
        n = ZERO
        kinds = answers(rules, kind, strength) & possible[place]
        if code == RANDOM or (code != LISTED and not required):
            singles = playable_singles(rules, hand, next_left)
            if required:
                mask, tried, found = random_opening(
                    rules, hand, singles, kinds, required, place, possible, streams[slot], counts,
                    plays,
                )  # fmt: skip
                required = ZERO
            elif code == RANDOM:
                mask, tried, found = random_play(
                    rules, hand, singles, kind, strength, kinds, place, possible, streams[slot],
                    counts, plays,
                )  # fmt: skip
            else:
                mask, tried, found = cheap_play(
                    code, rules, hand, singles, kind, strength, kinds, place, possible, plays
                )
        else:
            n, not_formed = list_legal(
                rules, hand, kind, strength, kinds, required, next_left, plays
            )
            possible[place] &= ~not_formed
            index = ZERO
            if n > 1:
                write_view(
                    view, players, hands, seat, standing, kind, strength, by, in_play, passed,
                    locked, starter, played >> seat & 1 ^ 1, required, turn, trick,
                )  # fmt: skip
                result.slot = np.int64(slot)
                result.turn = turn
                for i in range(n):
                    play = plays[i]
                    put(offered, i, play.mask, play.kind, play.strength)
                if noise[slot] > 0 and uniform(streams[slot]) < noise[slot]:
                    index = below(streams[slot], n)
                else:
                    index = ask(strategies, slot, view, offered, n, params[slot], streams[slot])
                if index < 0 or index >= n:
                    result.fault = 1
                    result.index = index
                    result.n_plays = n
                    return
            required = ZERO
            mask = plays[index].mask
            tried = np.int64(plays[index].kind)
            found = np.int64(plays[index].strength)
        if len(trace):
            trace[turn].seat = seat
            trace[turn].mask = mask
            trace[turn].kind = tried
            trace[turn].strength = found
            trace[turn].n_plays = n
        turn += 1
        if mask == 0:
            passed |= 1 << seat
            if may_lock and pass_locks(rules, kind):
                locked |= 1 << seat
        else:
            n_played += 1
            played |= 1 << seat
            possible[place] &= no_dragons
            passed = ZERO
            hand &= ~mask
            hands[place] = hand
            standing, kind, strength = mask, tried, found
            by = seat
            if hand == 0:
                break
        seat = next_seat(seat, players, locked)
    result.winner = seat
    result.plays = n_played
    result.passes = turn - state.turn - n_played
    result.tricks = trick
    result.last = standing
    result.last_kind = kind
    result.grand_slam = seat == starter and played == 1 << seat


@kernel
def play_out(
    rules, players, hands, seats, state, strategies, direct, noise, params, streams, view, plays,
    offered, possible, counts, result, trace,
):  # fmt: skip
    """`play_through` as a kernel of its own, for those who play single deals."""
    play_through(
        rules, players, hands, seats, state, strategies, direct, noise, params, streams, view,
        plays, offered, possible, counts, result, trace,
    )  # fmt: skip
