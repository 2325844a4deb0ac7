"""Playouts that follow a record and do only some of the work, to find what each part costs: kernel.

Following the record, every turn is known beforehand, so that a phase can be left out and the
playouts stay the same; the time that a phase adds is what it costs.
"""

import numpy as np

from simcore.foundation.bits import highest_index, popcount
from simcore.foundation.jit import kernel
from simcore.foundation.rng import STRATEGY, start_stream
from simcore.game import kinds as K
from simcore.game.combinations import answers
from simcore.game.dealing import deal, opening_seat
from simcore.game.groups import ZERO, put
from simcore.game.plays import list_legal, playable_singles
from simcore.game.turns import following_seat, next_seat, pass_locks
from simcore.simulation.batch import settle_row
from simcore.simulation.playout import MAX_TURNS, kinds_to_begin_with, write_view
from simcore.simulation.simple_turns import has_simple_turns, simple_turns
from simcore.strategies.direct import LISTED, RANDOM, cheap_play, random_opening, random_play

DEAL, TURNS, LEGAL, CHOICE, PAYOFF = 1, 2, 4, 8, 16  # bits of a set of phases


@kernel
def follow_deals(
    rules, players, seed, n_deals, phases, dealt, trace, ends, strategies, direct,
    params, streams, view, plays, offered, scratch, result, block8, block16, block32,
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
            starter, _ = opening_seat(rules, players, dealt[d])
            for seat in range(players):
                start_stream(streams[seat], seed, d, STRATEGY + seat)
        starter, in_play = trace[t].seat, ZERO
        for seat in range(players):
            hands[seat] = dealt[d, seat]
            in_play |= hands[seat]
        if phases & TURNS:
            for seat in range(players):
                possible[seat] = kinds_to_begin_with(rules, direct[seat], hands[seat])
            required = opening_seat(rules, players, hands)[1] if rules.must_include else ZERO
            standing = kind = strength = passed = locked = played = turn = ZERO
            n_played = n_passed = ZERO
            by = -1
            trick = 1
            seat = starter
            while t < ends[d]:
                if phases & CHOICE and quick and not required and kind <= K.PAIR:
                    before, plays_before = turn, n_played
                    seat, by, standing, kind, passed, played, turn, trick, n_played = simple_turns(
                        rules, players, hands, slots, codes, streams, possible, seat, by, standing,
                        kind, passed, played, turn, trick, n_played,
                    )  # fmt: skip
                    strength = highest_index(standing) if standing else ZERO
                    t += turn - before
                    n_passed += turn - before - (n_played - plays_before)
                    if t == ends[d]:
                        break
                if seat == by:
                    standing = kind = strength = locked = passed = ZERO
                    trick += 1
                hand = hands[seat]
                next_left = ZERO
                if rules.last_card_rule:
                    next_left = popcount(hands[following_seat(seat, players)])
                kinds = answers(rules, kind, strength) & possible[seat]
                code = direct[seat]
                done = trace[t]
                mask, tried, found, n = done.mask, done.kind, done.strength, done.n_plays
                if code == RANDOM or (code != LISTED and not required):
                    if phases & CHOICE:
                        singles = playable_singles(rules, hand, next_left)
                        if required:
                            mask, tried, found = random_opening(
                                rules, hand, singles, kinds, required, seat, possible,
                                streams[seat], counts, plays,
                            )  # fmt: skip
                        elif code == RANDOM:
                            mask, tried, found = random_play(
                                rules, hand, singles, kind, strength, kinds, seat, possible,
                                streams[seat], counts, plays,
                            )  # fmt: skip
                        else:
                            mask, tried, found = cheap_play(
                                code, rules, hand, singles, kind, strength, kinds, seat, possible,
                                plays,
                            )  # fmt: skip
                    required = ZERO
                else:
                    if phases & LEGAL:
                        n, not_formed = list_legal(
                            rules, hand, kind, strength, kinds, required, next_left, plays
                        )
                        possible[seat] &= ~not_formed
                    if phases & CHOICE:
                        index = ZERO
                        if n > 1:
                            write_view(
                                view, players, hands, seat, standing, kind, strength, by, in_play,
                                passed, locked, starter, played >> seat & 1 ^ 1, required, turn,
                                trick,
                            )  # fmt: skip
                            for i in range(n):
                                play = plays[i]
                                put(offered, i, play.mask, play.kind, play.strength)
                            index = strategies[seat](view, offered, n, params[seat], streams[seat])
                        mask = plays[index].mask
                        tried = np.int64(plays[index].kind)
                        found = np.int64(plays[index].strength)
                    required = ZERO
                turn += 1
                t += 1
                if mask == 0:
                    n_passed += 1
                    passed |= 1 << seat
                    if rules.locks and pass_locks(rules, kind):
                        locked |= 1 << seat
                else:
                    n_played += 1
                    played |= 1 << seat
                    possible[seat] &= ~rules.dragons
                    passed = ZERO
                    hands[seat] = hand & ~mask
                    standing, kind, strength = mask, tried, found
                    by = seat
                seat = next_seat(seat, players, locked)
            result.plays = n_played
            result.passes = n_passed
            result.tricks = trick
            result.grand_slam = played == 1 << starter
        last = trace[ends[d] - 1]
        if phases & PAYOFF:
            result.winner = last.seat
            result.last = last.mask
            result.last_kind = last.kind
            settle_row(rules, players, hands, 1, result, payoffs, d, block8, block16, block32)
