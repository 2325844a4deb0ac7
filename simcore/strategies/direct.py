"""The engine's own shortcuts for the five simplest built-in strategies: kernels.

Each makes exactly the choice of the strategy of that name, without listing every legal play:
`random` counts and then lists one kind, the others need one kind's weakest or strongest play. Tests
compare both forms turn by turn. A seat's `possible` is the set of kinds that its dealt hand has not
yet been found unable to form: hands only shrink, so what is gone stays gone.
"""

import numpy as np

from simcore.foundation.bits import highest_index, lowest_index, popcount, select_bit
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import below
from simcore.game import kinds as K
from simcore.game.groups import ANY, put
from simcore.game.plays import ALL, ZERO, count_kind, kinds_to_try, list_kind, playable_singles
from simcore.game.turns import SIZE_OF

LISTED, RANDOM, LOWEST, HIGHEST, DUMP, TIMEOUT = 0, 1, 2, 3, 4, 5
ONE = np.int64(1)


@kernel
def _random_play(rules, hand, singles, kind, strength, kinds, seat, possible, rng, counts, plays):
    """Count the plays of each kind, draw one number, list that kind up to it."""
    total = ZERO
    rest = kinds
    while rest:
        p = lowest_index(rest)
        rest &= rest - 1
        tried = rules.kind_at[p]
        if tried == K.SINGLE:
            found = popcount(singles & (-1 << (strength + 1))) if kind == tried else popcount(singles)
        elif tried == kind:
            found = count_kind(rules, hand, tried, strength, plays)
        else:
            found = count_kind(rules, hand, tried, ANY, plays)
            if found == 0:
                possible[seat] &= ~(1 << p)
        counts[p] = found
        total += found
    if kind != K.PASS:
        total += 1
    index = below(rng, total) if total > 1 else ZERO
    rest = kinds
    while rest:
        p = lowest_index(rest)
        rest &= rest - 1
        if index < counts[p]:
            tried = rules.kind_at[p]
            above = strength if tried == kind else ANY
            if tried == K.SINGLE:
                card = select_bit(singles & (-1 << (above + 1)), index)
                put(plays, ZERO, card, tried, lowest_index(card))
                return ZERO
            list_kind(rules, hand, tried, above, plays, ZERO, index + 1)
            return index
        index -= counts[p]
    put(plays, ZERO, ZERO, K.PASS, ZERO)
    return ZERO


@inlined
def _weakest(rules, hand, singles, kind, strength, kinds, seat, possible, plays):
    """Put the first play of these kinds in canonical order at plays[0], if there is one."""
    while kinds:
        p = lowest_index(kinds)
        kinds &= kinds - 1
        tried = rules.kind_at[p]
        cards = singles if tried == K.SINGLE else hand
        above = strength if tried == kind else ANY
        if list_kind(rules, cards, tried, above, plays, ZERO, ONE):
            return True
        if tried != kind:
            possible[seat] &= ~(1 << p)
    return False


@inlined
def _bombs_held_back(rules, kinds, hand, kind):
    """The bombs among `kinds` that would not empty the hand; the standing kind is no such bomb."""
    bombs = kinds & rules.bombs & ~(1 << rules.position[kind])
    cards = popcount(hand)
    held_back = bombs
    while bombs and cards <= 5:
        p = lowest_index(bombs)
        bombs &= bombs - 1
        if SIZE_OF[rules.kind_at[p]] == cards:
            held_back &= ~(1 << p)
    return held_back


@kernel
def _dump_lead(rules, hand, singles, kinds, seat, possible, plays):
    """The weakest of the largest plays: sizes from large to small, kinds from weak to strong."""
    while kinds:
        size = SIZE_OF[rules.kind_at[highest_index(kinds)]]
        group = kinds
        while group and SIZE_OF[rules.kind_at[lowest_index(group)]] < size:
            group &= group - 1
        if _weakest(rules, hand, singles, K.PASS, ZERO, group, seat, possible, plays):
            return
        kinds &= ~group


@kernel
def _highest_play(rules, hand, singles, kind, strength, kinds, plays):
    """The first of the strongest plays of the last kind that has any; returns its index or -1."""
    while kinds:
        p = highest_index(kinds)
        kinds &= ~(1 << p)
        tried = rules.kind_at[p]
        cards = singles if tried == K.SINGLE else hand
        best = list_kind(rules, cards, tried, strength if tried == kind else ANY, plays, ZERO, ALL) - 1
        if best >= 0:
            while best > 0 and plays[best - 1].strength == plays[best].strength:
                best -= 1
            return best
    return -1


@kernel
def choose_directly(
    code, rules, hand, kind, strength, next_left, fresh, seat, possible, rng, counts, plays
):
    """The choice of the built-in strategy `code`: the index of its play in `plays`.

    rules: record RULES; hand: int64; kind, strength: the standing play (PASS, 0 to lead); fresh:
    the hand has played nothing yet; possible: int64 sets of kinds by seat, updated; counts: int64
    scratch space by kind; plays: records PLAY, overwritten.
    """
    kinds = kinds_to_try(rules, hand, kind, strength, fresh) & possible[seat]
    singles = playable_singles(rules, hand, next_left)
    if code == RANDOM:
        return _random_play(
            rules, hand, singles, kind, strength, kinds, seat, possible, rng, counts, plays
        )
    if code == TIMEOUT:
        if kind == K.PASS:
            put(plays, ZERO, singles & -singles, K.SINGLE, lowest_index(singles))
        else:
            put(plays, ZERO, ZERO, K.PASS, ZERO)
        return ZERO
    if code == HIGHEST:
        best = _highest_play(rules, hand, singles, kind, strength, kinds, plays)
        if best >= 0:
            return best
    elif kinds & rules.dragons:
        dragon = rules.kind_at[highest_index(kinds & rules.dragons)]
        if list_kind(rules, hand, dragon, ANY, plays, ZERO, ONE) == 0:
            list_kind(rules, hand, K.DRAGON, ANY, plays, ZERO, ONE)
        return ZERO
    elif kind == K.PASS:
        if code == LOWEST:
            put(plays, ZERO, singles & -singles, K.SINGLE, lowest_index(singles))
        else:
            _dump_lead(rules, hand, singles, kinds, seat, possible, plays)
        return ZERO
    else:
        kinds &= ~_bombs_held_back(rules, kinds, hand, kind)
        if _weakest(rules, hand, singles, kind, strength, kinds, seat, possible, plays):
            return ZERO
    put(plays, ZERO, ZERO, K.PASS, ZERO)
    return ZERO
