# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Dealing many deals again, and the least number of plays of every hand: kernels."""

from simcore.foundation.bits import popcount
from simcore.foundation.jit import kernel
from simcore.game.dealing import deal, opening_seat
from simcore.strategies.estimate import estimate_plays
from simcore.strategies.partition import MOST_CARDS, least_plays


@kernel
def deal_hands(
    rules, players, seed, deals, rng, deck, hands, starters, groups, scratch, starts, known, plays
):
    """Fill hands, starters and plays of some deals.

    rules: record RULES; seed: uint64; deals: int64[d]; rng: record STREAM; deck: int64[52] scratch
    space; hands: int64[d, players], masks; starters: int64[d]; groups: records PLAY, at least
    `buffer_size` of the largest hand; scratch: int64[3, len(groups)]; starts: int64[53]; known:
    int16[2**cards] of the largest hand, up to MOST_CARDS (larger hands are estimated); plays:
    int8[d, players]. Some 10 µs for a hand of 13 cards.
    """
    for i in range(len(deals)):
        deal(rules, players, seed, deals[i], rng, deck, hands[i])
        starters[i], _ = opening_seat(rules, players, hands[i])
        for seat in range(players):
            hand = hands[i, seat]
            if popcount(hand) <= MOST_CARDS:
                plays[i, seat] = least_plays(
                    rules, hand, groups, scratch[0], scratch[1], starts, scratch[2], known
                )
            else:
                plays[i, seat] = estimate_plays(rules, hand)[0]
