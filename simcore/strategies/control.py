"""`control`: cuts the hand into plays, knows which of them nobody can beat, and plans with them."""

import numpy as np

from simcore.foundation.bits import FULL, gather_bits, highest_index, popcount
from simcore.game import kinds as K
from simcore.game.groups import PLAY
from simcore.game.payoffs import loser_pays
from simcore.game.turns import STATE
from simcore.strategies.endgame import DEPTH, MOST_SOLVED, WIDTH, search_endgame
from simcore.strategies.estimate import estimate_plays
from simcore.strategies.features import height, stands
from simcore.strategies.helpers import (
    cards_in,
    is_bomb_on_another_kind,
    least_opponent,
    most_opponent,
)
from simcore.strategies.interface import strategy
from simcore.strategies.partition import MOST_CARDS, least_cost, partition_of

UNIT = 100.0  # costs are whole hundredths
MOST_SURE = 10  # cards with which a sure win is looked for


@strategy(
    weights=("control",),
    bounds={"solve": (0, MOST_SOLVED), "draws": (1, 10_000)},
    boss=0.3,
    near=0.7,
    low=0.4,
    middle=0.0,
    group=0.0,
    five=-0.2,
    height=0.1,
    lead=0.3,
    shed=0.0,
    danger=2.0,
    dump=0.1,
    late=0.0,
    bomb=0.5,
    gift=1.0,
    owner=0.0,
    upstream=0.0,
    solve=0.0,
    draws=12.0,
)
def control(view, plays, n_plays, params, rng):
    """Play so that the rest of the hand is cheap to get rid of, counting what nobody can beat.

    Cuts the hand into plays, exactly (partition.py), where a play costs
      boss: if no unseen cards beat it, or no opponent holds as many cards (bombs apart);
      near: a single that one or two unseen cards beat;
      1 + low (ranks 3 to 7), 1 + middle (8 to Q), 1: another single;
      1 + group - height x its highest rank's share of 12: another pair or triple;
      1 + five - height x its kind's place among the kinds, by ninths: another larger play.
    The value of a play is minus the cost of the hand that it leaves,
      + lead if it stands (that is, if it is a boss), shed for each of its cards,
      + dump for each point that it takes off what one would pay now (tiers, multipliers), and late
        x its height, while an opponent has at most `danger` cards: the stop-loss,
      - bomb for a bomb on another kind while every opponent has more than four cards,
      - gift x (1 - height) for a single that does not stand while the next player has one card.
    A pass is worth owner more if who made the standing play has at most four cards, and upstream
    more if the player before made it. With at most ten cards in hand, a play that stands, after
    which at most one play is no boss, is a sure win and is made. A play that empties the hand is
    made at once. With at most `solve` cards in all hands together (0: never; at most 12), it draws
    the hidden hands `draws` times (at least once), solves each to the end (endgame.py), and plays
    what pays most on average. Among equals the first in canonical order. Hands of more than 18
    cards (two players, every card dealt) are cut by estimate.py, and every play costs 1.

    Cost: about 1.6 µs. Source: planning with controls, bombs and a stop-loss as in the published
    notes on Big Two programs; the weighted exact partition is ours, and so are the tuned weights.
    """
    rules = view.rules
    hand = view.hand
    cards = popcount(hand)
    unseen = FULL & ~(view.seen | hand)
    least, most = least_opponent(view), most_opponent(view)
    exact = cards <= MOST_CARDS
    groups, members, places, starts, known = partition_of(rules, hand if exact else hand & 0)
    costs, losing = np.empty(len(members), np.int64), np.empty(len(members), np.int64)
    for m in range(len(members)):
        group = groups[places[m]]
        sure = stands(group, unseen, most)
        if sure:
            cost = params[0]
        elif group.kind == K.SINGLE:
            rank = group.strength >> 2
            cost = 1.0 + (params[2] if rank < 5 else params[3] if rank < 10 else 0.0)
            if popcount(unseen >> (group.strength + 1)) <= 2:
                cost = params[1]
        elif group.kind <= K.TRIPLE:
            cost = 1.0 + params[4] - params[6] * (highest_index(group.mask) >> 2) / 12.0
        else:
            cost = 1.0 + params[5] - params[6] * height(rules, group)
        costs[m] = min(max(np.int64(cost * UNIT), 1), 1000)
        losing[m] = 1 if sure else 100
    looks_for_win = cards <= MOST_SURE
    sure_known = np.full(1 << cards if looks_for_win else 1, -1, np.int16)
    sure_known[0] = 0
    in_danger = least <= params[9]
    due = loser_pays(rules, hand, False, 1, 0)
    best = n_plays - 1
    best_value = -1e300
    for i in range(n_plays):
        play = plays[i]
        rest = hand & ~play.mask
        if rest == 0:
            return i
        subset = gather_bits(rest, hand)
        if exact:
            value = least_cost(subset, members, starts, costs, known) / -UNIT
        else:
            value = -1.0 * estimate_plays(rules, rest)[0]
        if play.mask:
            high = height(rules, play)
            sure = stands(play, unseen, most)
            value += params[8] * cards_in(play)
            if sure:
                value += params[7]
                if looks_for_win:
                    if least_cost(subset, members, starts, losing, sure_known) < 200:
                        value += 1000.0
            if in_danger:
                value += params[10] * (due - loser_pays(rules, rest, False, 1, 0))
                value += params[11] * high
            if least > 4 and is_bomb_on_another_kind(view, play):
                value -= params[12]
            if play.kind == K.SINGLE and not sure and view.cards_left[1] == 1:
                value -= params[13] * (1.0 - high)
        else:
            if view.cards_left[view.to_beat_by] <= 4:
                value += params[14]
            if view.to_beat_by == view.players - 1:
                value += params[15]
        if value > best_value:
            best = i
            best_value = value
    total = cards
    for k in range(1, view.players):
        total += view.cards_left[k]
    if total <= params[16]:
        found = search_endgame(
            view, plays, n_plays, np.int64(params[17]), rng, np.empty(52, np.int64),
            np.empty(view.players, np.int64), np.empty(n_plays, np.int64), np.empty(DEPTH, STATE),
            np.empty(WIDTH, PLAY), np.empty((DEPTH, 4), np.int64),
        )  # fmt: skip
        if found >= 0:
            return found
    return best
