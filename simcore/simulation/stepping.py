# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Many tables, each from one question that is asked outside to the next: kernels.

The strategies of the other slots play inside, as in playout.play_through, so that the same choices
give the same playouts.
"""

import numpy as np

from simcore.foundation.jit import kernel
from simcore.foundation.rng import STRATEGY, start_stream
from simcore.game.combinations import answers
from simcore.game.dealing import deal, opening_seat
from simcore.game.groups import ZERO
from simcore.game.payoffs import pay_for_all, settle
from simcore.game.plays import list_legal
from simcore.game.seatings import ORDER
from simcore.game.turns import grand_slam, next_cards, start_state, take_turn
from simcore.simulation.playout import NOT_ASKED, choose, write_view
from simcore.simulation.seatings import choose_seatings
from simcore.strategies.direct import LISTED, kinds_to_begin_with
from simcore.strategies.interface import HEAD

SEEN = np.dtype([(name, HEAD[name]) for name in HEAD.names or ()], align=True)  # HEAD, packed

TABLE = np.dtype(
    [
        ("playout", np.int64),  # its number: deal * seatings of a deal + place of the seating
        ("deal", np.int64),
        ("seating", np.int64),
        ("seat", np.int64),  # whose question this is
        ("slot", np.int64),
        ("finished", np.int64),  # playouts that ended in this step
    ],
    align=True,
)


@kernel
def step_tables(
    rules, players, seed, plan, per_deal, stake, asked, chosen, strategies, direct, noise, params,
    streams, view, plays, offered, scratch, question, tables, states, hands, possible,
    own_streams, views, legal, offsets, rewards,
):  # fmt: skip
    """Take the chosen turn at every table, and play on to the next question that is asked outside.

    asked: bit set of the slots that are asked outside; chosen: int64[tables], an index out of
    legal[offsets[t]:offsets[t + 1]], or -1: begin with playout tables[t].playout. strategies …
    question: as in batch.play_deals (`plays` is not needed); tables: records TABLE; states: records
    STATE, hands and possible: int64[tables, 4], own_streams: records STREAM[tables,
    4], views: records SEEN, rewards: int64[tables, 4] by slot, the sums over the playouts that
    ended; legal: records PLAY, room for the plays of all; offsets: int64[tables + 1]. A table that
    ends goes on with the playout `tables` further on. Returns whether a strategy had a fault.
    """
    n_tables = len(tables)
    dealt, counted, drawn, deck = scratch[0], scratch[6], scratch[5], scratch[7, :52]
    # All choices before anything is listed anew.
    for t in range(n_tables):
        own = tables[t]
        own.finished = 0
        for slot in range(players):
            rewards[t, slot] = 0
        if chosen[t] >= 0:
            play = legal[offsets[t] + chosen[t]]
            kind, strength = np.int64(play.kind), np.int64(play.strength)
            if play.mask:
                possible[t, own.seat] &= ~rules.dragons
            if take_turn(rules, players, hands[t], states[t], play.mask, kind, strength):
                own.finished = 1
    at = ZERO
    for t in range(n_tables):
        own, now, held = tables[t], states[t], hands[t]
        begin = chosen[t] < 0
        over = own.finished == 1
        while True:
            if over:
                settle(
                    rules, players, held, now.seat, now.standing, now.kind, grand_slam(now),
                    now.played, counted,
                )  # fmt: skip
                pay_for_all(players, now.payer, counted)
                for seat in range(players):
                    rewards[t, ORDER[players, own.seating, seat]] += stake * counted[seat]
                own.playout += n_tables
                begin = True
            if begin:
                own.deal = own.playout // per_deal
                deal(rules, players, seed, own.deal, streams[players], deck, dealt)
                choose_seatings(plan, players, seed, own.deal, streams[players + 1], drawn)
                own.seating = drawn[own.playout % per_deal]
                starter, opening = opening_seat(rules, players, dealt)
                start_state(now, starter, opening if rules.opening_must_include else opening & 0)
                for seat in range(players):
                    held[seat] = dealt[seat]
                    possible[t, seat] = kinds_to_begin_with(rules, LISTED, held[seat], 1)
                    start_stream(own_streams[t, seat], seed, own.deal, STRATEGY + seat)
                begin = False
            seat = now.seat
            slot = ORDER[players, own.seating, seat]
            kinds = answers(rules, now.kind, now.strength) & possible[t, seat]
            here = legal[at:]
            n, not_formed = list_legal(
                rules, held[seat], now.kind, now.strength, kinds, now.required,
                next_cards(rules, players, held, seat), here,
            )  # fmt: skip
            possible[t, seat] &= ~not_formed
            index = ZERO
            if n > 1 and asked >> slot & 1:
                own.seat, own.slot = seat, slot
                write_view(views[t], players, held, now)
                offsets[t] = at
                at += n
                break
            if n > 1:
                write_view(view, players, held, now)
                question.deal, question.seating = own.deal, own.seating
                question.slot, question.turn = slot, now.turn
                index = choose(
                    direct[slot], strategies, slot, view, here, n, offered, noise, params,
                    own_streams[t],
                )  # fmt: skip
                if index < 0 or index >= n:
                    question.index, question.n_plays = index, n
                    return True
                question.turn = NOT_ASKED
            play = here[index]
            kind, strength = np.int64(play.kind), np.int64(play.strength)
            if play.mask:
                possible[t, seat] &= ~rules.dragons
            over = take_turn(rules, players, held, now, play.mask, kind, strength)
            own.finished += over
    offsets[n_tables] = at
    return False
