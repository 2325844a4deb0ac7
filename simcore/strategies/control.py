# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
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
from simcore.strategies.parameters import Parameter
from simcore.strategies.partition import MOST_CARDS, least_cost, partition_of

UNIT = 100.0  # costs are whole hundredths
MOST_SURE = 10  # cards with which a sure win is looked for


@strategy(
    weights=("control",),
    boss=Parameter(0.3, "the cost of a play that nobody can beat"),
    near=Parameter(0.7, "the cost of a single that one or two unseen cards beat"),
    low=Parameter(0.4, "what a single of rank 3 to 7 costs above 1"),
    middle=Parameter(0.0, "what a single of rank 8 to Q costs above 1"),
    group=Parameter(0.0, "what a pair or triple costs above 1"),
    five=Parameter(-0.2, "what a larger play costs above 1"),
    height=Parameter(
        0.1, "what the highest pair, triple or larger play costs less than the lowest"
    ),
    lead=Parameter(0.3, "the value of a play that nobody can beat"),
    shed=Parameter(0.0, "the value of each card that it sheds"),
    danger=Parameter(2.0, "an opponent with at most so many cards makes it stop its loss"),
    dump=Parameter(0.1, "in danger, the value of each point less that it would pay now"),
    late=Parameter(0.0, "in danger, the value of a play's height"),
    bomb=Parameter(
        0.5, "the cost of a bomb on another kind while every opponent has more than four cards"
    ),
    gift=Parameter(
        1.0, "the cost of a low single that can be beaten while the next player has one card"
    ),
    owner=Parameter(
        0.0, "the value of a pass if who made the standing play has at most four cards"
    ),
    upstream=Parameter(0.0, "the value of a pass if the player before made the standing play"),
    solve=Parameter(
        0.0,
        "with at most so many cards in all hands it solves the end; 0: never",
        least=0,
        most=MOST_SOLVED,
    ),
    draws=Parameter(
        12.0, "how often it draws the hidden hands to solve them", least=1, most=10_000
    ),
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
        sure = stands(group.kind, group.strength, group.mask, unseen, most)
        if sure:
            cost = params[AT.boss]
        elif group.kind == K.SINGLE:
            rank = group.strength >> 2
            cost = 1.0 + (params[AT.low] if rank < 5 else params[AT.middle] if rank < 10 else 0.0)
            if popcount(unseen >> (group.strength + 1)) <= 2:
                cost = params[AT.near]
        elif group.kind <= K.TRIPLE:
            cost = (
                1.0 + params[AT.group] - params[AT.height] * (highest_index(group.mask) >> 2) / 12.0
            )
        else:
            cost = 1.0 + params[AT.five] - params[AT.height] * height(rules, group)
        costs[m] = min(max(np.int64(cost * UNIT), 1), 1000)
        losing[m] = 1 if sure else 100
    looks_for_win = cards <= MOST_SURE
    sure_known = np.full(1 << cards if looks_for_win else 1, -1, np.int16)
    sure_known[0] = 0
    in_danger = least <= params[AT.danger]
    due = loser_pays(rules, hand, False, 0, 1, 0)
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
            sure = stands(play.kind, play.strength, play.mask, unseen, most)
            value += params[AT.shed] * cards_in(play)
            if sure:
                value += params[AT.lead]
                if looks_for_win:
                    if least_cost(subset, members, starts, losing, sure_known) < 200:
                        value += 1000.0
            if in_danger:
                value += params[AT.dump] * (due - loser_pays(rules, rest, False, 0, 1, 0))
                value += params[AT.late] * high
            if least > 4 and is_bomb_on_another_kind(view, play):
                value -= params[AT.bomb]
            if play.kind == K.SINGLE and not sure and view.cards_left[1] == 1:
                value -= params[AT.gift] * (1.0 - high)
        else:
            if view.cards_left[view.to_beat_by] <= 4:
                value += params[AT.owner]
            if view.to_beat_by == view.players - 1:
                value += params[AT.upstream]
        if value > best_value:
            best = i
            best_value = value
    total = cards
    for k in range(1, view.players):
        total += view.cards_left[k]
    if total <= params[AT.solve]:
        found = search_endgame(
            view, plays, n_plays, np.int64(params[AT.draws]), rng, np.empty(52, np.int64),
            np.empty(view.players, np.int64), np.empty(n_plays, np.int64), np.empty(DEPTH, STATE),
            np.empty(WIDTH, PLAY), np.empty((DEPTH, 4), np.int64),
        )  # fmt: skip
        if found >= 0:
            return found
    return best


AT = control.places
