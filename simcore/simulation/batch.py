"""Many deals, one after another, into column blocks: kernels.

A block holds one contiguous row of memory per column, so that a column becomes an Arrow array
without a copy. The row numbers below are the only layout; runs.schema names the columns.
"""

from simcore.foundation.bits import popcount
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import STRATEGY, start_stream
from simcore.game.dealing import deal, opening_seat
from simcore.game.payoffs import TWOS, settle
from simcore.game.turns import start_state
from simcore.simulation.playout import MAX_TURNS, play_through
from simcore.simulation.seatings import ORDER, choose_seatings

# int8 block: one row each, then `players` rows each for cards_left, twos_left, monster_left
SEATING_ROW, STARTER_ROW, WINNER_ROW, LAST_KIND_ROW, FIRST_SEAT_ROW_8 = range(5)
# int16 block
PLAYS_ROW, PASSES_ROW, TRICKS_ROW, N_ROWS_16 = range(4)
# int32 block: then `players` rows for payoff
MULTIPLIER_ROW, FIRST_SEAT_ROW_32 = range(2)


@inlined
def settle_row(rules, players, hands, stake, result, payoffs, row, block8, block16, block32):
    """Payoffs of a playout, and its result into a row of the blocks."""
    times, monsters = settle(
        rules, players, hands, result.winner, result.last, result.last_kind, result.grand_slam,
        payoffs,
    )  # fmt: skip
    block8[WINNER_ROW, row] = result.winner
    block8[LAST_KIND_ROW, row] = result.last_kind
    block16[PLAYS_ROW, row] = result.plays
    block16[PASSES_ROW, row] = result.passes
    block16[TRICKS_ROW, row] = result.tricks
    block32[MULTIPLIER_ROW, row] = times
    for seat in range(players):
        block8[FIRST_SEAT_ROW_8 + seat, row] = popcount(hands[seat])
        block32[FIRST_SEAT_ROW_32 + seat, row] = stake * payoffs[seat]
        if rules.monster_items:
            first = FIRST_SEAT_ROW_8 + players + seat
            block8[first, row] = popcount(hands[seat] & TWOS)
            block8[first + players, row] = monsters >> seat & 1


@kernel
def play_deals(
    rules, players, seed, first_deal, n_deals, plan, stake, strategies, direct, noise, params,
    streams, view, plays, offered, scratch, state, result, trace, deals, block8, block16, block32,
):  # fmt: skip
    """Play deals first_deal … first_deal + n_deals - 1, each under its seatings, in order.

    rules: record RULES; seed: uint64; plan: simulation.seatings; stake: int64; strategies, direct,
    noise, params: by slot (see playout.play_through); streams: records STREAM, one per slot and two
    more for dealing and seating; scratch: int64[8, 64]; state: record STATE, scratch space; trace:
    records TURN, MAX_TURNS for each row, or none; deals: int64[rows]; blocks: int8/int16/int32[*,
    rows] with rows = deals x seatings. Returns the number of rows filled: fewer than asked for
    means that the row after them had a strategy's fault, described in `result`.
    """
    dealt, hands, seats, possible, counts, chosen = (
        scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5],
    )  # fmt: skip
    payoffs = scratch[6]
    deck = scratch[7, :52]
    row = 0
    for deal_index in range(first_deal, first_deal + n_deals):
        deal(rules, players, seed, deal_index, streams[players], deck, dealt)
        starter, opening = opening_seat(rules, players, dealt)
        required = opening if rules.must_include else opening & 0
        n_seatings = choose_seatings(plan, players, seed, deal_index, streams[players + 1], chosen)
        for s in range(n_seatings):
            seating = chosen[s]
            for seat in range(players):
                hands[seat] = dealt[seat]
                seats[seat] = ORDER[players, seating, seat]
                start_stream(streams[seat], seed, deal_index, STRATEGY + seat)
            result.deal = deal_index
            result.seating = seating
            start_state(state, starter, required)
            play_through(
                rules, players, hands, seats, state, strategies, direct, noise, params, streams,
                view, plays, offered, possible, counts, result,
                trace[row * MAX_TURNS : (row + 1) * MAX_TURNS],
            )  # fmt: skip
            deals[row] = deal_index
            block8[SEATING_ROW, row] = seating
            block8[STARTER_ROW, row] = starter
            if result.fault:
                return row
            settle_row(rules, players, hands, stake, result, payoffs, row, block8, block16, block32)
            row += 1
    return row


def block_rows(players: int, leftovers: bool) -> tuple[int, int, int]:
    """Rows of the three blocks; leftovers: the payoff looks at 2s and Monsters left."""
    seats = players * (3 if leftovers else 1)
    return FIRST_SEAT_ROW_8 + seats, N_ROWS_16, FIRST_SEAT_ROW_32 + players


SCRATCH_SHAPE = (8, 64)
