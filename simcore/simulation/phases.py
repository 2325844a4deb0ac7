# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Playouts that follow a record and do only some of the work, to find what each part costs: kernel.

Following the record, every turn is known beforehand, so that a phase can be left out and the
playouts stay the same; the time that a phase adds is what it costs.
"""

import numpy as np

from simcore.foundation.jit import kernel
from simcore.foundation.rng import STRATEGY, start_stream
from simcore.game import kinds as K
from simcore.game.combinations import answers
from simcore.game.dealing import deal, is_first_hand, opening_seat
from simcore.game.groups import ZERO
from simcore.game.plays import list_legal
from simcore.game.turns import next_cards, start_state, take_turn
from simcore.simulation.batch import settle_row
from simcore.simulation.playout import MAX_TURNS, choose, write_view
from simcore.strategies.direct import has_shortcut, kinds_to_begin_with, shortcut_play
from simcore.strategies.simple_turns import has_simple_turns, simple_turns

DEAL, TURNS, LEGAL, CHOICE, PAYOFF = 1, 2, 4, 8, 16  # bits of a set of phases


@kernel
def follow_deals(
    rules, players, seed, n_deals, phases, dealt, ends, strategies, direct, noise, params, streams,
    view, plays, offered, scratch, state, question, trace, block8, block16, block32,
):  # fmt: skip
    """Do some phases of recorded playouts, of deals 0 … n_deals - 1 with slots at their own seats.

    phases: bit set; dealt: int64[n_deals, 4], the hands; trace: records TURN, MAX_TURNS for each
    playout; ends: int64[n_deals], where each ends; the rest as in `batch.play_deals`. DEAL fills
    `dealt` (and opens the streams of random numbers), TURNS keeps the books of every turn, LEGAL
    lists the legal plays (a shortcut looks for them in its CHOICE), CHOICE, only together with
    LEGAL, asks the strategy, PAYOFF settles and fills the row.
    """
    hands, possible, counts = scratch[0], scratch[1], scratch[2]
    payoffs = scratch[3]
    deck = scratch[7, :52]
    slots = codes = ZERO
    for seat in range(players):
        slots |= seat << (4 * seat)
        codes |= direct[seat] << (4 * seat)
    quick = has_simple_turns(rules)
    for d in range(n_deals):
        t = d * MAX_TURNS
        if phases & DEAL:
            deal(rules, players, seed, d, streams[players], deck, dealt[d])
            opening_seat(rules, players, dealt[d])
            for seat in range(players):
                start_stream(streams[seat], seed, d, STRATEGY + seat)
        for seat in range(players):
            hands[seat] = dealt[d, seat]
        if phases & TURNS:
            for seat in range(players):
                possible[seat] = kinds_to_begin_with(rules, direct[seat], hands[seat], True)
            required = ZERO
            if rules.opening_must_include and is_first_hand(rules, d):
                required = opening_seat(rules, players, hands)[1]
            start_state(state, trace[t].seat, required)
            state.first_hand = np.int64(is_first_hand(rules, d))
            over = False
            while not over:
                if phases & CHOICE and quick and not state.required and state.kind <= K.PAIR:
                    over = simple_turns(
                        rules, players, hands, slots, codes, streams, possible, state
                    )
                    if over:
                        break
                seat = state.seat
                hand = hands[seat]
                next_left = next_cards(rules, players, hands, seat)
                kind, strength, required = state.kind, state.strength, state.required
                kinds = answers(rules, kind, strength) & possible[seat]
                code = direct[seat]
                done = trace[t + state.turn]
                mask, tried, found, n = done.mask, done.kind, done.strength, done.n_plays
                if has_shortcut(code, required):
                    if phases & CHOICE:
                        mask, tried, found = shortcut_play(
                            code, rules, hand, next_left, required, kind, strength, kinds, seat,
                            possible, streams[seat], counts, plays,
                        )  # fmt: skip
                else:
                    if phases & LEGAL:
                        n, not_formed = list_legal(
                            rules, hand, kind, strength, kinds, required, next_left, plays
                        )
                        possible[seat] &= ~not_formed
                    if phases & CHOICE:
                        index = ZERO
                        if n > 1:
                            write_view(view, players, hands, state)
                            index = choose(
                                code, strategies, np.uint64(seat), view, plays, n, offered, noise,
                                params, streams,
                            )  # fmt: skip
                        mask = plays[index].mask
                        tried = np.int64(plays[index].kind)
                        found = np.int64(plays[index].strength)
                if mask:
                    possible[seat] &= ~rules.dragons
                over = take_turn(rules, players, hands, state, mask, tried, found)
        last = trace[ends[d] - 1]
        if phases & PAYOFF:
            state.seat, state.standing, state.kind = last.seat, last.mask, last.kind
            if not phases & TURNS:
                state.payer = ZERO - 1
            settle_row(rules, players, hands, 1, state, payoffs, d, block8, block16, block32)
