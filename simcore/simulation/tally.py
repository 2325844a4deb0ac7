# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Additive integer results of many playouts: kernel. Sums over deals, exact and order-free.

Groups are the distinct strategies of a lineup. The unit of every square and product is the deal: a
deal's value is the sum over all its playouts and over the group's slots, at stake 1. Where hands
are played in sessions, the unit is the session, and all its deals count as one.
"""

import numpy as np

from simcore.columns import ROW
from simcore.foundation.jit import kernel
from simcore.game.seatings import ORDER

WIN, PAYOFF, CARDS_LEFT = range(3)


@kernel
def tally_rows(
    players, groups, stake, hands, deals, block8, block16, block32, value, count, wins,
    small, sums, products, seat_count, seat_wins, seat_products, left, kinds, lengths,
):  # fmt: skip
    """Add rows (complete deals, in order) to the tallies, all int64 arrays, updated in place.

    hands: deals of a session, of which there are only whole ones;
    groups: int64 by slot, its group; value int64[metric, group], count and wins int64[group, seat]:
    zeroed scratch space for one deal, left zeroed; small: [group, seat, payoff + n] counts of
    payoffs from -n to n; sums: [metric, group]; products: [metric, group,
    group], sums over deals of products of two groups' deal values; seat_count, seat_wins: [group,
    seat counted from the starter]; seat_products: [3, group, seat], sums over deals of count²,
    count x wins and wins²; left: [group, seat, cards left]; kinds: [kind] of the winning play;
    lengths: sums of plays, passes, tricks. Returns (number of deals, payoffs beyond `small`).
    """
    n_groups = sums.shape[1]
    n_deals = n_large = 0
    reach = small.shape[2] // 2
    rows = len(deals)
    for row in range(rows):
        starter, winner = np.int64(block8[ROW.starter, row]), np.int64(block8[ROW.winner, row])
        kinds[block8[ROW.last_kind, row]] += 1
        lengths[0] += block16[ROW.plays, row]
        lengths[1] += block16[ROW.passes, row]
        lengths[2] += block16[ROW.tricks, row]
        for seat in range(players):
            g = groups[ORDER[players, block8[ROW.seating, row], seat]]
            position = (seat - starter + players) % players
            won = np.int64(seat == winner)
            cards = np.int64(block8[ROW.cards_left + seat, row])
            value[WIN, g] += won
            payoff = np.int64(block32[ROW.payoff + seat, row])
            if stake != 1:  # a division takes longer than all the rest
                payoff //= stake
            value[PAYOFF, g] += payoff
            if -reach <= payoff <= reach:
                small[g, position, payoff + reach] += 1
            else:
                n_large += 1
            value[CARDS_LEFT, g] += cards
            count[g, position] += 1
            wins[g, position] += won
            left[g, position, cards] += 1
        if row + 1 == rows or deals[row + 1] != deals[row]:
            n_deals += 1
            if hands > 1 and n_deals % hands:
                continue
            for g in range(n_groups):
                for metric in range(3):
                    sums[metric, g] += value[metric, g]
                    for h in range(n_groups):
                        products[metric, g, h] += value[metric, g] * value[metric, h]
                for position in range(players):
                    c, w = count[g, position], wins[g, position]
                    seat_count[g, position] += c
                    seat_wins[g, position] += w
                    seat_products[0, g, position] += c * c
                    seat_products[1, g, position] += c * w
                    seat_products[2, g, position] += w * w
                    count[g, position] = 0
                    wins[g, position] = 0
            for g in range(n_groups):
                for metric in range(3):
                    value[metric, g] = 0
    return n_deals, n_large
