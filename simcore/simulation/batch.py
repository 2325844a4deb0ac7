# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Many deals, one after another, into column blocks: kernels.

A block holds one contiguous row of memory per column, so that a column becomes an Arrow array
without a copy. simcore.columns says which row is which.
"""

from simcore.columns import ROW
from simcore.foundation.bits import popcount
from simcore.foundation.jit import inlined, kernel
from simcore.foundation.rng import LEADING, STRATEGY, below, start_stream
from simcore.game.dealing import deal, opening_seat
from simcore.game.groups import ZERO
from simcore.game.payoffs import TWOS, pay_for_all, settle
from simcore.game.rule_table import SESSION_LEADS
from simcore.game.seatings import ORDER
from simcore.game.turns import grand_slam, start_state
from simcore.simulation.playout import MAX_TURNS, play_through
from simcore.simulation.seatings import choose_seatings

RANDOM_LEAD = SESSION_LEADS.index("random")


@inlined
def settle_row(rules, players, hands, stake, state, payoffs, row, block8, block16, block32):
    """Payoffs of a playout whose last state this is, and how it ended, into a row of the blocks."""
    times, monsters = settle(
        rules, players, hands, state.seat, state.standing, state.kind, grand_slam(state),
        state.played, payoffs,
    )  # fmt: skip
    pay_for_all(players, state.payer, payoffs)
    block8[ROW.payer, row] = state.payer
    block8[ROW.winner, row] = state.seat
    block8[ROW.last_kind, row] = state.kind
    block16[ROW.plays, row] = state.plays
    block16[ROW.passes, row] = state.turn - state.plays
    block16[ROW.tricks, row] = state.trick
    block32[ROW.winner_multiplier, row] = times
    for seat in range(players):
        block8[ROW.cards_left + seat, row] = popcount(hands[seat])
        block32[ROW.payoff + seat, row] = stake * payoffs[seat]
        if rules.leftovers:
            block8[ROW.twos_left + seat, row] = popcount(hands[seat] & TWOS)
            block8[ROW.monster_left + seat, row] = monsters >> seat & 1


@kernel
def play_deals(
    rules, players, seed, first_deal, n_deals, plan, stake, strategies, direct, noise, params,
    streams, view, plays, offered, scratch, state, question, trace, deals, block8, block16, block32,
):  # fmt: skip
    """Play deals first_deal … first_deal + n_deals - 1, each under its seatings, in order.

    A session is played in each of its seatings, hand by hand; one that began before first_deal is
    played from its first hand on, and only the rows asked for are kept.

    rules: record RULES; seed: uint64; plan: simulation.seatings; stake: int64; strategies, direct,
    noise, params: by slot (see playout.play_through); streams: records STREAM, one per slot and two
    more for dealing and seating; scratch: int64[8, 64]; state: record STATE, scratch space; trace:
    records TURN, MAX_TURNS for each row, or none; deals: int64[rows]; blocks: int8/int16/int32[*,
    rows] with rows = deals x seatings. Returns the number of rows filled: fewer than asked for
    means that the row after them had a strategy's fault, described in `question`.
    """
    dealt, hands, seats, possible, counts, chosen = (
        scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5],
    )  # fmt: skip
    payoffs = scratch[6]
    deck = scratch[7, :52]
    leaders = scratch[5, 32:]  # by seating of the session
    n_seatings = ZERO
    row = 0
    alone = rules.session_hands == 1
    for deal_index in range(first_deal - first_deal % rules.session_hands, first_deal + n_deals):
        deal(rules, players, seed, deal_index, streams[players], deck, dealt)
        starter, opening = opening_seat(rules, players, dealt)
        required = opening if rules.opening_must_include else opening & 0
        begins = alone or deal_index % rules.session_hands == 0  # a division costs ten turns
        first_hand = begins or rules.session_lead == 0
        if begins:
            n_seatings = choose_seatings(
                plan, players, seed, deal_index, streams[players + 1], chosen
            )
        elif rules.session_lead == RANDOM_LEAD:
            start_stream(streams[players + 1], seed, deal_index, LEADING)
            leaders[:] = below(streams[players + 1], players)
        for s in range(n_seatings):
            seating = chosen[s]
            for seat in range(players):
                hands[seat] = dealt[seat]
                seats[seat] = ORDER[players, seating, seat]
                start_stream(streams[seat], seed, deal_index, STRATEGY + seat)
            question.deal = deal_index
            question.seating = seating
            if first_hand:
                start_state(state, starter, required)
            else:
                start_state(state, leaders[s], required & 0)
                state.first_hand = 0
            play_through(
                rules, players, hands, seats, state, strategies, direct, noise, params, streams,
                view, plays, offered, possible, counts, question,
                trace[row * MAX_TURNS : (row + 1) * MAX_TURNS],
            )  # fmt: skip
            deals[row] = deal_index
            block8[ROW.seating, row] = seating
            block8[ROW.starter, row] = state.starter
            if question.fault:
                return row
            settle_row(rules, players, hands, stake, state, payoffs, row, block8, block16, block32)
            leaders[s] = state.seat
            row += 1
        if deal_index < first_deal:
            row = 0
    return row


SCRATCH_SHAPE = (8, 64)
