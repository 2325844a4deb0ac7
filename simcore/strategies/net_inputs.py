# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Which inputs of a network a play sets (networks.INPUTS), kernels.

The same lists are used by `net` when it plays and by `bigtwo train` when it learns. Twin:
tests/test_net.py.
"""

from simcore.foundation.bits import (
    FULL,
    ONES,
    highest_index,
    lowest_index,
    popcount,
    rank_set,
    ranks_with_four,
    ranks_with_three,
    ranks_with_two,
)
from simcore.foundation.jit import inlined
from simcore.game import kinds as K
from simcore.game.straights import BY_SUIT
from simcore.strategies.estimate import estimate_groups
from simcore.strategies.features import LOW_RANKS, MIDDLE_RANKS, stands, top_unseen
from simcore.strategies.helpers import least_opponent, most_opponent
from simcore.strategies.networks import AT, COUNT, MOST_HAND, N_KINDS

MOST_SHARED = 1 + 52 + 1 + 3 + 1 + 2 + 3  # inputs of the position
MOST_PLAY = 160  # inputs of a play, cards kept not counted


@inlined
def shared_inputs(view, found, n):
    """Add the inputs that all plays of a position share to found (int64[…]) from place n on.

    Returns (inputs so far, what the other two functions need to know of the position).
    """
    unseen = FULL & ~(view.seen | view.hand)
    found[n] = AT.always
    found[n + 1] = AT.players + view.players - 2
    found[n + 2] = AT.least + min(least_opponent(view), MOST_HAND - 1)
    pairs, triples = ranks_with_two(unseen), ranks_with_three(unseen)
    found[n + 3] = AT.unseen_pairs + popcount(pairs)
    found[n + 4] = AT.unseen_triples + popcount(triples)
    n += 5
    for k in range(1, view.players):
        found[n] = AT.cards + (k - 1) * MOST_HAND + min(view.cards_left[k], MOST_HAND - 1)
        n += 1
        if view.locked >> k & 1:
            found[n] = AT.locked + k - 1
            n += 1
    rest = unseen
    while rest:
        found[n] = AT.unseen + lowest_index(rest)
        n += 1
        rest &= rest - 1
    boss, near = top_unseen(unseen)
    return n, (unseen, pairs, triples, boss, near, most_opponent(view))


@inlined
def card_inputs(cards, about, found, n):
    """Add the inputs of single cards that are kept; returns how many there are now."""
    unseen = about[0]
    while cards:
        card = lowest_index(cards)
        cards &= cards - 1
        found[n] = AT.card + card
        found[n + 1] = AT.above + min(popcount(unseen >> card), 39)
        n += 2
    return n


@inlined
def height_of(rules, kind, strength, mask):
    """0 to 12: the rank that a play goes by, a straight's place."""
    if kind == K.STRAIGHT or kind == K.STRAIGHT_FLUSH or kind == K.ROYAL_FLUSH:
        compare = rules.straights_compare if kind == K.STRAIGHT else rules.straights_compare_suited
        return min(strength & 15 if compare == BY_SUIT else strength >> 2, 12)
    if kind == K.FULL_HOUSE or kind == K.FOUR_OF_A_KIND:
        return min(strength, 12)
    return highest_index(mask) >> 2


@inlined
def count(value):
    """A count as an input's place."""
    return max(min(value, COUNT - 1), 0)


@inlined
def play_inputs(view, mask, kind, strength, about, found, n):
    """Add the inputs of a play (mask 0: the pass) that leaves cards; returns how many there are."""
    unseen, unseen_pairs, unseen_triples, boss, near, most = about
    rules = view.rules
    rest = view.hand & ~mask
    found[n] = AT.count + min(popcount(rest), MOST_HAND - 1)
    bosses = popcount(rest & boss)
    found[n + 1] = AT.boss + count(bosses)
    found[n + 2] = AT.near + count(popcount(rest & near) - bosses)
    plays, left = estimate_groups(rules, rest)
    one, two, three, four = left
    lone, twice, thrice = one & ~two, two & ~three, three & ~four
    found[n + 3] = AT.plays + count(plays)
    found[n + 4] = AT.lone + popcount(lone)
    high = rank_set(rest & boss) & lone
    found[n + 5] = AT.needs + count(plays - popcount(high))
    found[n + 6] = AT.weak + popcount(lone & LOW_RANKS)
    found[n + 7] = AT.middle + popcount(lone & MIDDLE_RANKS)
    held = ranks_with_two(rest)
    top_pairs = held & (-1 << (highest_index(unseen_pairs) + 1) if unseen_pairs else FULL)
    found[n + 8] = AT.top_pairs + popcount(top_pairs)
    straightened = popcount(rest) - popcount(one) - popcount(two) - popcount(three) - popcount(four)
    fives = straightened // 5 + min(popcount(twice), popcount(thrice))
    found[n + 9] = AT.fives + min(fives, 5)
    n += 10
    while twice:
        rank = lowest_index(twice)
        twice &= twice - 1
        found[n] = AT.own_pair + rank
        found[n + 1] = AT.own_pair_above + popcount(unseen_pairs >> (4 * rank))
        n += 2
    while thrice:
        found[n] = AT.own_triple + lowest_index(thrice)
        thrice &= thrice - 1
        n += 1
    while lone:
        rank = lowest_index(lone)
        lone &= lone - 1
        card = highest_index(rest & 15 << (4 * rank))
        found[n] = AT.lone_rank + rank
        found[n + 1] = AT.lone_above + min(popcount(unseen >> card), 39)
        n += 2
    while held:
        place = lowest_index(held)
        held &= held - 1
        found[n] = AT.pair + (place >> 2)
        found[n + 1] = AT.pair_above + popcount(unseen_pairs >> place)
        n += 2
    held = ranks_with_three(rest)
    while held:
        place = lowest_index(held)
        held &= held - 1
        found[n] = AT.triple + (place >> 2)
        found[n + 1] = AT.triple_above + popcount(unseen_triples >> place)
        n += 2
    held = ranks_with_four(rest)
    while held:
        found[n] = AT.four + (lowest_index(held) >> 2)
        held &= held - 1
        n += 1
    straights = rules.straights_of[rank_set(rest)]
    while straights:
        found[n] = AT.straight + lowest_index(straights)
        straights &= straights - 1
        n += 1
    for suit in range(4):
        if popcount(rest & ONES << suit) >= 5:
            found[n] = AT.suit + suit
            n += 1
    if mask:
        found[n] = AT.made + kind * 13 + height_of(rules, kind, strength, mask)
        n += 1
        if stands(kind, strength, mask, unseen, most):
            found[n] = AT.made_stands + kind
            n += 1
        if kind == K.SINGLE:
            found[n] = AT.made_above + min(popcount(unseen >> strength), 39)
            n += 1
        elif kind == K.PAIR:
            found[n] = AT.made_above_pair + popcount(unseen_pairs >> (strength & ~3))
            n += 1
        others = (1 << view.players) - 2
        if view.locked & others == others:
            found[n] = AT.leads_on
            n += 1
        return n
    kind, by = view.to_beat_kind, view.to_beat_by
    strength, mask = view.to_beat_strength, view.to_beat
    found[n] = AT.left + kind * 13 + height_of(rules, kind, strength, mask)
    found[n + 1] = AT.left_by + (by - 1) * N_KINDS + kind
    n += 2
    if stands(kind, strength, mask, unseen, most):
        found[n] = AT.left_stands + kind
        n += 1
    if kind == K.SINGLE:
        found[n] = AT.left_above + min(popcount(unseen >> strength), 39)
        n += 1
    elif kind == K.PAIR:
        found[n] = AT.left_above_pair + popcount(unseen_pairs >> (strength & ~3))
        n += 1
    between = (1 << by) - 2  # who is asked before the turn comes back to the standing play's maker
    if view.locked & between == between:
        found[n] = AT.yields
        n += 1
    return n
