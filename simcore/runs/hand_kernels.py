"""Dealing many deals again, and the least number of plays of every hand: kernels."""

from simcore.foundation.jit import kernel
from simcore.game.dealing import deal, opening_seat
from simcore.strategies.partition import fill_least_plays, list_groups


@kernel
def deal_hands(
    rules, players, seed, deals, rng, deck, hands, starters, groups, members, least, plays
):
    """Fill hands, starters and plays of some deals.

    rules: record RULES; seed: uint64; deals: int64[d]; rng: record STREAM; deck: int64[52] scratch
    space; hands: int64[d, players], masks; starters: int64[d]; groups: records PLAY, members:
    int64, both at least `buffer_size` of the largest hand; least: int8[2**cards] of it; plays:
    int8[d, players]. About 0.1 ms for a hand of 13 cards.
    """
    for i in range(len(deals)):
        deal(rules, players, seed, deals[i], rng, deck, hands[i])
        starters[i], _ = opening_seat(rules, players, hands[i])
        for seat in range(players):
            n_groups = list_groups(rules, hands[i, seat], groups)
            fill_least_plays(hands[i, seat], groups, n_groups, members, least)
            whole = 0
            rest = hands[i, seat]
            while rest:
                rest &= rest - 1
                whole = 2 * whole + 1
            plays[i, seat] = least[whole]
