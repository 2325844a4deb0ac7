# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Turns in which only singles and pairs come into question: the engine's inner loop, a kernel.

Four of five turns of the simplest strategies are of this sort. A loop of its own keeps in registers
what it needs, and so has its own copy of the transition, as far as singles and pairs go; whatever
it cannot do is left to the general turn in playout.play_through, which makes the same choices
(tests compare playouts with and without this loop).
"""

import numpy as np

from simcore.foundation.bits import highest_index, popcount, select_bit
from simcore.foundation.jit import inlined, kernel, stay_apart
from simcore.foundation.rng import LOW, WORDS, below
from simcore.game import kinds as K
from simcore.game.groups import ANY, ZERO, count_pairs, pair_at, weakest_pair
from simcore.game.plays import formable_kinds, playable_singles
from simcore.game.turns import following_seat, next_cards, pass_locks
from simcore.strategies.direct import LINEAR, LOWEST, RANDOM, bombs_held_back

BUT_TOP = (1 << 51) - 1  # all cards but the highest


@inlined
def has_simple_turns(rules):
    """Whether the loop suits a rule set: what it takes for granted of singles and pairs."""
    only_top_stands = not rules.kinds_unbeatable_singles & BUT_TOP
    return (
        rules.simple == 3
        and rules.answers[K.SINGLE] & 3 == 1
        and rules.answers[K.PAIR] & 3 == 2
        and only_top_stands
        and not pass_locks(rules, K.SINGLE)
        and not rules.last_card_no_pass
        and not rules.last_card_pays
    )


@kernel
def simple_turns(
    rules, players, hands, slots, codes, streams, possible, state
):  # fmt: skip
    """Play on as long as seats play by a shortcut and need no kind but singles and pairs.

    slots, codes: four bits a seat; the rest as in `play_through`. Nothing must be required, and
    a single, a pair or nothing stand. It ends before a turn that it cannot do, or with the playout;
    returns whether the playout is over, as `turns.take_turn` does.
    """
    stay_apart()
    seat, by, standing, kind = state.seat, state.by, state.standing, state.kind
    passed, seen, played = state.passed, state.seen, state.played
    turn, trick, n_played = state.turn, state.trick, state.plays
    over = False
    pairs_lock = pass_locks(rules, K.PAIR) != 0
    while True:
        place = np.uint64(seat)
        code = codes >> (4 * seat) & 15
        hand = hands[place]
        if code <= LINEAR or (kind == K.PAIR and pairs_lock):
            break
        # The kinds besides singles and pairs that come into question for this turn.
        leads = kind == K.PASS
        if leads and code == LOWEST:
            wanted = rules.dragons
        else:
            wanted = rules.answers[np.uint64(kind)] & ~rules.simple
        others = wanted & possible[place]
        if others and leads:
            possible[place] &= formable_kinds(rules, hand)
            others = wanted & possible[place]
        if others and (leads or code == RANDOM or others & rules.dragons):
            break
        singles = hand
        if rules.looks_at_next:
            singles = playable_singles(rules, hand, next_cards(rules, players, hands, seat))
        if kind == K.SINGLE:
            singles &= -(standing << 1)
            index = ZERO
            if code == RANDOM:
                n = popcount(singles)
                rng = streams[np.uint64(slots >> (4 * seat) & 15)]
                used = np.uint64(rng.used)
                if used >= np.uint64(WORDS):
                    break
                product = np.uint64(rng.words[used]) * np.uint64(n + 1)
                if (product & LOW) <= np.uint64(n):  # `below` may have to draw again
                    break
                rng.used += np.int64(n > 0)
                index = np.int64(product >> np.uint64(32))
            # No branch depends on what is played: it could not be predicted.
            mask = select_bit(singles, index)  # none left: the pass
            if others and mask == 0 and others & ~bombs_held_back(rules, others, hand, kind):
                break
            took, bit = np.int64(mask == 0) - 1, 1 << seat  # took: all bits or none
            turn += 1
            n_played -= took
            played |= bit & took
            passed = (passed | bit) & ~took
            hand ^= mask
            hands[place] = hand
            standing = mask | (standing & ~took)
            seen |= mask
            by = (seat & took) | (by & ~took)
            if hand == 0:
                over = True
                break
        else:
            above = highest_index(standing) if kind == K.PAIR else ANY
            if code == RANDOM:
                n = popcount(singles) & -np.int64(kind == K.PASS)
                n_pairs = count_pairs(hand, above)
                total = n + n_pairs + np.int64(kind == K.PAIR)
                index = ZERO
                if total > 1:
                    index = below(streams[np.uint64(slots >> (4 * seat) & 15)], total)
                if index < n:
                    mask = select_bit(singles, index)
                elif index < n + n_pairs:
                    mask = pair_at(hand, above, index - n)
                else:
                    mask = ZERO
            else:
                mask = ZERO
                if kind == K.PAIR or code != LOWEST:
                    mask = weakest_pair(hand, above)
                if mask == 0 and kind == K.PASS:
                    mask = singles & -singles
                if others and mask == 0 and others & ~bombs_held_back(rules, others, hand, kind):
                    break
            turn += 1
            if mask == 0:
                passed |= 1 << seat
            else:
                n_played += 1
                played |= 1 << seat
                passed = ZERO
                hand ^= mask
                hands[place] = hand
                standing = mask
                seen |= mask
                kind = popcount(mask)
                by = seat
                if hand == 0:
                    over = True
                    break
        seat = following_seat(seat, players)
        # The trick is over where the turn comes back: again without a branch.
        back = np.int64(seat == by)
        standing, kind, passed = standing & back - 1, kind & back - 1, passed & back - 1
        trick += back
    if standing == 0:
        by = ZERO - 1
    state.seat, state.by, state.standing, state.kind = seat, by, standing, kind
    state.strength = highest_index(standing) if standing else ZERO
    state.passed, state.seen, state.played = passed, seen, played
    state.turn, state.trick, state.plays = turn, trick, n_played
    return over
