# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Payoff rules: kernels. Twin: reference.payoffs.

loser pays = (worth of cards left x tier x loser multipliers + loser points) x winner multipliers
+ winner points, at stake 1; stakes scale the result. An item that counts n times multiplies n
times and adds its points n times; which items there are is said by simcore.game.ruleset.
"""

from collections import namedtuple

import numpy as np

from simcore.foundation.bits import lowest_index, nibble, popcount, ranks_with_four
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.groups import ANY
from simcore.game.rule_table import LOSER_ITEMS, WINNER_ITEMS
from simcore.game.straights import straights_in, suits_of_straight

TWOS = 15 << 48
# How often each item counts.
Left = namedtuple("Left", LOSER_ITEMS)  # type: ignore[misc]
Last = namedtuple("Last", WINNER_ITEMS)  # type: ignore[misc]
FIRST_LEFT, FIRST_LAST = 0, len(LOSER_ITEMS)  # their first rows of rules.times and rules.points


@inlined
def is_monster(rules, kind):
    """Whether a kind counts as a Monster in the payoff."""
    return rules.payoff_monsters >> kind & 1


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
    held = straights_in(rules, hand, 0, ANY)
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
def usual_left(hand, monster):
    """How often the first two of a loser's items count."""
    return popcount(hand & TWOS), np.int64(monster)


@kernel
def counts_left(hand, monster, idle):
    """How often each of a loser's items counts.

    monster: an unplayed one is left; idle: the loser has played no card.
    """
    twos, monsters = usual_left(hand, monster)
    return Left(
        two_left=twos,
        monster_left=monsters,
        any_two_left=np.int64(twos > 0),
        highest_two_left=hand >> 51 & 1,
        nothing_played=np.int64(idle != 0),
    )


@kernel
def counts_last(rules, last, last_kind, grand_slam):
    """How often each of the winner's items counts."""
    flush_dragon = last_kind == K.FLUSH_DRAGON
    monster = last_kind == K.DRAGON or is_monster(rules, last_kind) != 0
    return Last(
        finish_two=popcount(last & TWOS),
        finish_monster=np.int64(monster and not flush_dragon),
        finish_flush_dragon=np.int64(flush_dragon),
        finish_opening_card=last >> rules.opening_card & 1,
        grand_slam=np.int64(grand_slam != 0),
    )


@inlined
def effect(rules, first, counts):
    """(multiplier, points) of items that count so often; first: the row of the first of them."""
    times, points = np.int64(1), np.int64(0)
    for i in range(len(counts)):
        times *= power(rules.times[first + i], counts[i])
        points += counts[i] * rules.points[first + i]
    return times, points


@inlined
def loser_pays(rules, hand, monster, idle, times, points):
    """What one loser pays; monster, idle: of `counts_left`; times, points: the winner's effect."""
    if rules.leftovers > 1:  # apart: most rules ask for less
        return owed_by_cards(rules, hand, monster, idle) * times + points
    left = popcount(hand)
    due = left * rules.payoff_tiers[left]
    if rules.leftovers:
        own_times, own_points = effect(rules, FIRST_LEFT, usual_left(hand, monster))
        due = due * own_times + own_points
    return due * times + points


@kernel
def owed_by_cards(rules, hand, monster, idle):
    """What a loser pays without the winner's effect: every item, and cards by their ranks."""
    worth = np.int64(0)
    for rank in range(13):
        worth += rules.payoff_card_values[rank] * popcount(nibble(hand, rank))
    times, points = effect(rules, FIRST_LEFT, counts_left(hand, monster, idle))
    return worth * rules.payoff_tiers[popcount(hand)] * times + points


@kernel
def settle(rules, players, hands, winner, last, last_kind, grand_slam, played, payoffs):
    """Fill payoffs[:players] (int64, zero-sum, stake 1); returns (winner multiplier, monsters).

    hands: int64 masks of the cards left; played: bit set of the seats that have played a card;
    monsters: bit set of the seats with an unplayed Monster (0 where the payoff does not ask).
    """
    times, points = effect(rules, FIRST_LAST, counts_last(rules, last, last_kind, grand_slam))
    monsters = 0
    total = times & 0
    for seat in range(players):
        payoffs[seat] = 0
        if seat != winner:
            monster = rules.leftovers and holds_monster(rules, hands[seat])
            if monster:
                monsters |= 1 << seat
            idle = played >> seat & 1 ^ 1
            payoffs[seat] = -loser_pays(rules, hands[seat], monster, idle, times, points)
            total -= payoffs[seat]
    if rules.payoff_settlement_pairwise:  # every pair of players settles the difference
        for seat in range(players):
            payoffs[seat] = players * payoffs[seat] + total
    else:
        payoffs[winner] = total
    return times, monsters


@kernel
def pay_for_all(players, payer, payoffs):
    """One seat pays what the others lost (int64[players], changed in place); payer -1: nobody."""
    if payer >= 0:
        for seat in range(players):
            if seat != payer and payoffs[seat] < 0:
                payoffs[payer] += payoffs[seat]
                payoffs[seat] = 0
