# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The engine's own shortcuts for the simplest built-in strategies: kernels.

Each makes exactly the choice of the strategy of that name, without listing every legal play:
`random` counts and then lists one kind, `lowest` and `dump` need one kind's weakest play. `linear`
does look at the list, but is compiled in, not called through a pointer. Tests compare both forms
turn by turn. A seat's `possible` is the set of kinds that its dealt hand has not
yet been found unable to form: hands only shrink, so what is gone stays gone.
"""

import numpy as np

from simcore.foundation.bits import highest_index, lowest_index, popcount, select_bit
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import below
from simcore.game import kinds as K
from simcore.game.combinations import SINGLES, answering_singles
from simcore.game.groups import ALL, ANY, ONE, ZERO, count_pairs, pair_at
from simcore.game.plays import (
    count_kind,
    formable_kinds,
    is_dragon,
    list_any_kind,
    must_answer,
    playable_singles,
    weakest_of_kind,
)
from simcore.game.turns import SIZE_OF

TWO = np.int64(K.PAIR)
# Codes. LISTED: no shortcut, the strategy is asked; up to RANDOM they look at every kind.
LISTED, LINEAR, RANDOM, LOWEST, DUMP = range(5)


@inlined
def kinds_to_begin_with(rules, code, hand, fresh):
    """The set of kinds that a seat looks for until it is found unable to form one.

    fresh: the seat has played nothing yet; a Dragon needs that.
    """
    if code <= RANDOM:
        kinds = formable_kinds(rules, hand)
    else:
        kinds = ANY if is_dragon(hand) else ~rules.dragons
    return kinds if fresh else kinds & ~rules.dragons


@inlined
def has_shortcut(code, required):
    """Whether this choice needs no list of plays; `lowest` and `dump` need one for an opening."""
    return code == RANDOM or (code > RANDOM and not required)


@inlined
def shortcut_play(
    code, rules, hand, next_left, required, kind, strength, kinds, seat, possible, rng, counts,
    plays,
):  # fmt: skip
    """The choice of a shortcut: (mask, kind, strength) of the play, (0, PASS, 0) for the pass.

    next_left: cards of the next seat (0: unknown); required: card that the play must contain, 0 for
    none; kind, strength: the standing play; kinds: set of those that may answer it and that the
    seat may form; rng: record STREAM; counts, plays: scratch space.
    """
    singles = playable_singles(rules, hand, next_left)
    if required:
        return random_opening(
            rules, hand, singles, kinds, required, seat, possible, rng, counts, plays
        )
    if code == RANDOM:
        may_pass = kind != K.PASS and not must_answer(rules, hand, kind, strength, next_left)
        return random_play(
            rules, hand, singles, kind, strength, kinds, may_pass, seat, possible, rng, counts,
            plays,
        )  # fmt: skip
    return cheap_play(code, rules, hand, singles, kind, strength, kinds, seat, possible, plays)


@inlined
def random_play(
    rules, hand, singles, kind, strength, kinds, may_pass, seat, possible, rng, counts, plays
):  # fmt: skip
    """`random`: (mask, kind, strength) of its play; (0, PASS, 0) for the pass.

    Counts the plays of each kind of the set `kinds`, draws one number, and lists that one kind as
    far as the number says. singles: the cards that may be played alone; counts: scratch space.
    """
    # Singles and pairs without branches: they are most of what is played.
    simple = kinds & rules.simple
    cards = singles & (-1 << (strength + 1 if kind == K.SINGLE else 0)) & -(simple & 1)
    n_singles = popcount(cards)
    pairs_above = strength if kind == K.PAIR else ANY
    n_pairs = count_pairs(hand, pairs_above) & -(simple >> 1)
    if simple & 2 and n_pairs == 0 and kind != K.PAIR:
        possible[seat] &= ~2
    total = n_simple = n_singles + n_pairs
    others = kinds & ~simple
    rest = others
    while rest:
        p = lowest_index(rest)
        rest &= rest - 1
        tried = rules.kind_at[p]
        cards_of = answering_singles(rules, singles, kind) if tried == K.SINGLE else hand
        found = count_kind(rules, cards_of, tried, strength if tried == kind else ANY, plays)
        if found == 0 and tried != kind and tried != K.SINGLE:
            possible[seat] &= ~(1 << p)
        counts[p] = found
        total += found
    if may_pass:
        total += 1
    index = below(rng, total) if total > 1 else ZERO
    if index < n_singles:
        card = select_bit(cards, index)
        return card, ONE, lowest_index(card)
    if index < n_simple:
        pair = pair_at(hand, pairs_above, index - n_singles)
        return pair, TWO, highest_index(pair)
    index -= n_simple
    rest = others
    while rest:
        p = lowest_index(rest)
        rest &= rest - 1
        if index < counts[p]:
            tried = rules.kind_at[p]
            above = strength if tried == kind else ANY
            cards_of = answering_singles(rules, singles, kind) if tried == K.SINGLE else hand
            list_any_kind(rules, cards_of, tried, above, plays, ZERO, index + 1)
            play = plays[index]
            return play.mask, tried, np.int64(play.strength)
        index -= counts[p]
    return ZERO, ZERO, ZERO


@kernel
def random_opening(rules, hand, singles, kinds, required, seat, possible, rng, counts, plays):
    """`random` where the play must contain a card: as `random_play`, to lead.

    The plays with the card are those of the hand less those of the hand without it.
    """
    if rules.opening_alone:
        return required, ONE, lowest_index(required)
    total = ZERO
    rest = kinds
    while rest:
        p = lowest_index(rest)
        rest &= rest - 1
        tried = rules.kind_at[p]
        if tried == K.SINGLE:
            found = np.int64(singles & required != 0)
        else:
            found = count_kind(rules, hand, tried, ANY, plays)
            if found == 0:
                possible[seat] &= ~(1 << p)
            else:
                found -= count_kind(rules, hand & ~required, tried, ANY, plays)
        counts[p] = found
        total += found
    index = below(rng, total) if total > 1 else ZERO
    while index >= counts[lowest_index(kinds)]:
        index -= counts[lowest_index(kinds)]
        kinds &= kinds - 1
    tried = rules.kind_at[lowest_index(kinds)]
    if tried == K.SINGLE:
        return required, ONE, lowest_index(required)
    list_any_kind(rules, hand, tried, ANY, plays, ZERO, ALL)
    i = ZERO
    while plays[i].mask & required == 0 or index > 0:
        index -= np.int64(plays[i].mask & required != 0)
        i += 1
    return plays[i].mask, tried, np.int64(plays[i].strength)


@inlined
def weakest_play(rules, hand, singles, kind, strength, kinds, seat, possible, plays):
    """(mask, kind, strength) of the canonically first play of these kinds, else of a pass."""
    while kinds:
        p = lowest_index(kinds)
        kinds &= kinds - 1
        tried = rules.kind_at[p]
        above = strength if tried == kind else ANY
        if tried == K.SINGLE:
            cards = answering_singles(rules, singles, kind) & (-1 << (above + 1))
            if cards:
                return cards & -cards, tried, lowest_index(cards)
            continue
        mask, found = weakest_of_kind(rules, hand, tried, above, plays)
        if mask:
            return mask, tried, found
        if tried != kind:
            possible[seat] &= ~(1 << p)
    return ZERO, ZERO, ZERO


@kernel
def bombs_held_back(rules, kinds, hand, kind):
    """The bombs among `kinds` that would not empty the hand; the standing kind is no such bomb.

    A single on another kind is one too: a card that beats every play.
    """
    out_of_turn = rules.kinds_bombs | (SINGLES if kind > K.SINGLE else 0)
    bombs = kinds & out_of_turn & ~(1 << rules.position[kind])
    cards = popcount(hand)
    held_back = bombs
    while bombs and cards <= 5:
        p = lowest_index(bombs)
        bombs &= bombs - 1
        if SIZE_OF[rules.kind_at[p]] == cards:
            held_back &= ~(1 << p)
    return held_back


@inlined
def cheap_play(code, rules, hand, singles, kind, strength, kinds, seat, possible, plays):
    """`lowest` and `dump`: (mask, kind, strength) of the play, (0, PASS, 0) for the pass."""
    dragons = kinds & rules.dragons
    if dragons:
        flush = list_any_kind(rules, hand, K.FLUSH_DRAGON, ANY, plays, ZERO, ONE)
        return hand, np.int64(K.FLUSH_DRAGON if flush else K.DRAGON), ZERO
    if kind == K.PASS and code == LOWEST:
        return singles & -singles, ONE, lowest_index(singles)
    if kind != K.PASS:
        group = kinds & ~bombs_held_back(rules, kinds, hand, kind)
        kinds = group
    else:
        group = ZERO
    while True:
        if kind == K.PASS:  # the next smaller size, all its kinds
            size = SIZE_OF[rules.kind_at[highest_index(kinds)]]
            group = kinds
            while SIZE_OF[rules.kind_at[lowest_index(group)]] < size:
                group &= group - 1
        mask, tried, found = weakest_play(
            rules, hand, singles, kind, strength, group, seat, possible, plays
        )
        kinds &= ~group
        if mask or kinds == 0:
            return mask, tried, found
