"""Payoff rules: kernels. Twin: reference.payoffs.

loser pays = (cards left x tier x loser multipliers + loser points) x winner multipliers
+ winner points, at stake 1; stakes scale the result.
"""

from simcore.foundation.bits import lowest_index, nibble, popcount, ranks_with_four
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.groups import ANY
from simcore.game.rule_table import ITEM
from simcore.game.straights import straights_in, suits_of_straight

TWOS = 15 << 48
TWO_LEFT, MONSTER_LEFT = ITEM["two_left"], ITEM["monster_left"]
FINISH_TWO, FINISH_MONSTER = ITEM["finish_two"], ITEM["finish_monster"]
FINISH_FLUSH_DRAGON = ITEM["finish_flush_dragon"]
FINISH_OPENING_CARD, GRAND_SLAM = ITEM["finish_opening_card"], ITEM["grand_slam"]


@inlined
def is_monster(rules, kind):
    """Whether a kind counts as a Monster in the payoff."""
    return rules.monsters >> kind & 1


@kernel
def holds_monster(rules, hand):
    """Whether cards left hold a Monster; four of a kind needs a fifth card."""
    four = ranks_with_four(hand)
    if four and is_monster(rules, K.BARE_FOUR):
        return True
    if popcount(hand) < 5:
        return False
    if four and is_monster(rules, K.FOUR_OF_A_KIND):
        return True
    held = straights_in(rules, hand, ANY)
    if not is_monster(rules, K.STRAIGHT_FLUSH):
        held &= rules.royal
    if not is_monster(rules, K.ROYAL_FLUSH):
        held &= ~rules.royal
    while held:
        i = lowest_index(held)
        held &= held - 1
        if suits_of_straight(rules, hand, i, nibble(hand, rules.straight_ranks[i, 0])):
            return True
    return False


@inlined
def power(base, exponent):
    """base ** exponent for small integers."""
    result = 1
    for _ in range(exponent):
        result *= base
    return result


@inlined
def winner_terms(rules, last, last_kind, grand_slam):
    """(multiplier, points) that the winner's last play brings for every loser."""
    twos = popcount(last & TWOS)
    times = power(rules.times[FINISH_TWO], twos)
    points = twos * rules.points[FINISH_TWO]
    if last_kind == K.FLUSH_DRAGON:
        times *= rules.times[FINISH_FLUSH_DRAGON]
        points += rules.points[FINISH_FLUSH_DRAGON]
    elif last_kind == K.DRAGON or is_monster(rules, last_kind):
        times *= rules.times[FINISH_MONSTER]
        points += rules.points[FINISH_MONSTER]
    if last >> rules.opening_card & 1:
        times *= rules.times[FINISH_OPENING_CARD]
        points += rules.points[FINISH_OPENING_CARD]
    if grand_slam:
        times *= rules.times[GRAND_SLAM]
        points += rules.points[GRAND_SLAM]
    return times, points


@inlined
def loser_pays(rules, hand, monster, times, points):
    """What one loser pays; times, points: the winner's terms; monster: an unplayed one is left."""
    left = popcount(hand)
    due = left * rules.tier[left]
    own = 0
    if rules.monster_items:
        twos = popcount(hand & TWOS)
        due *= power(rules.times[TWO_LEFT], twos)
        own = twos * rules.points[TWO_LEFT]
        if monster:
            due *= rules.times[MONSTER_LEFT]
            own += rules.points[MONSTER_LEFT]
    return (due + own) * times + points


@kernel
def settle(rules, players, hands, winner, last, last_kind, grand_slam, payoffs):
    """Fill payoffs[:players] (int64, zero-sum, stake 1); returns (winner multiplier, monsters).

    hands: int64 masks of the cards left; monsters: bit set of the seats with an unplayed Monster
    (0 where the payoff does not ask).
    """
    times, points = winner_terms(rules, last, last_kind, grand_slam)
    monsters = 0
    total = times & 0
    for seat in range(players):
        payoffs[seat] = 0
        if seat != winner:
            monster = rules.monster_items and holds_monster(rules, hands[seat])
            if monster:
                monsters |= 1 << seat
            payoffs[seat] = -loser_pays(rules, hands[seat], monster, times, points)
            total -= payoffs[seat]
    if rules.pairwise:  # every pair of players settles the difference
        for seat in range(players):
            payoffs[seat] = players * payoffs[seat] + total
    else:
        payoffs[winner] = total
    return times, monsters
