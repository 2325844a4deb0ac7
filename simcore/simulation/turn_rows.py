# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The turns of playouts as rows: kernel."""

import numpy as np

from simcore.columns import MAX_SEATS, ROW, TURN_COLUMNS
from simcore.foundation.bits import popcount
from simcore.foundation.jit import kernel
from simcore.game.dealing import deal, is_first_hand, opening_seat
from simcore.game.plays import legal_plays
from simcore.game.seatings import ORDER
from simcore.game.turns import next_cards, start_state, take_turn
from simcore.simulation.playout import MAX_TURNS


def _field(type_name, per_seat):
    of_one = np.dtype(np.int8 if type_name == "kind" else type_name)
    return (of_one, (MAX_SEATS,)) if per_seat else of_one


TURN_ROW = np.dtype([(c.name, _field(c.type, c.per_seat)) for c in TURN_COLUMNS], align=True)


@kernel
def write_turns(
    rules, players, seed, deals, block8, block16, block32, trace, stream, scratch, state, plays,
    found,
):  # fmt: skip
    """Fill found (records TURN_ROW) with the turns of playouts, in order; returns their number.

    deals, block8 … block32, trace: what batch.play_deals has filled; stream: record STREAM,
    scratch: int64[8, 64], state: record STATE, plays: records PLAY: scratch space. found has room
    for all.
    """
    hands, deck = scratch[0], scratch[7, :52]
    n = 0
    for row in range(len(deals)):
        deal(rules, players, seed, deals[row], stream, deck, hands)
        required = deck[0] & 0
        first_hand = is_first_hand(rules, deals[row])
        if rules.opening_must_include and first_hand:
            required = opening_seat(rules, players, hands)[1]
        start_state(state, np.int64(block8[ROW.starter, row]), required)
        state.first_hand = np.int64(first_hand)
        seating = block8[ROW.seating, row]
        for k in range(block16[ROW.plays, row] + block16[ROW.passes, row]):
            turn, out = trace[row * MAX_TURNS + k], found[n]
            seat = state.seat
            hand = hands[seat]
            out.deal, out.seating, out.turn, out.trick = deals[row], seating, k, state.trick
            out.seat, out.slot, out.hand = seat, ORDER[players, seating, seat], hand
            out.to_beat, out.to_beat_kind = state.standing, state.kind
            out.to_beat_strength, out.to_beat_by = state.strength, state.by
            out.play, out.kind, out.strength = turn.mask, turn.kind, turn.strength
            out.legal_plays = legal_plays(
                rules, hand, state.kind, state.strength, state.required,
                next_cards(rules, players, hands, seat), state.played >> seat & 1 ^ 1, plays,
            )  # fmt: skip
            out.passed, out.locked, out.drawn = state.passed, state.locked, turn.drawn
            for other in range(players):
                out.cards_left[other] = popcount(hands[other])
            out.payoff = block32[ROW.payoff + seat, row]
            take_turn(rules, players, hands, state, turn.mask, turn.kind, turn.strength)
            n += 1
    return n
