# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Following the turns of records through the rules: kernels. Twin: tests.recorded.follow."""

import numpy as np

from simcore.foundation.bits import FULL, highest_index, popcount
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.combinations import beats, classify
from simcore.game.dealing import opening_seat
from simcore.game.payoffs import pay_for_all, settle
from simcore.game.plays import must_answer
from simcore.game.turns import following_seat, start_state, take_turn
from simcore.records import faults as F

TABLE = np.dtype(
    [
        ("known", np.int64),  # bit set of the seats whose hand is known
        ("certain", np.int64),  # bit set of the seats whose payoff is certain at the end
        ("dealt", np.int64),  # all cards of known hands
        ("single_at", np.int64, (4,)),  # last-card rule: the turn of an unknown hand's single, -1
        ("single", np.int64, (4,)),  # and that card
        ("doubtful", np.int64),  # a seat of unknown cards that may have to pay for all, -1
        ("payoffs", np.int64, (4,)),
    ],
    align=True,
)


@inlined
def lowest_cards(number, without):
    """That many cards that are not in a mask."""
    rest = FULL & ~without
    found = rest & 0
    for _ in range(number):
        low = rest & -rest
        found |= low
        rest ^= low
    return found


@kernel
def take_seats(rules, players, hands, given, starter, leads, first_hand, state, table):
    """Check the deal and begin. Returns a fault, NONE, or NO_STARTER.

    hands: int64[4], masks, 0 for an unknown hand, which is completed here: the only unknown one
    from what the others leave, else by any cards, of which only the number counts; given: int64[4],
    cards given of each hand, -1: unknown; starter: the seat that is said to start, -1: none is;
    leads: the seat of the first turn, -1: not given; first_hand: the opening card decides who
    starts. Without that, who of several unknown hands was dealt more cards stays unknown.
    """
    each = rules.deal if rules.deal else 52 // players
    left_over = 0 if rules.deal else 52 - each * players
    whole = each * players + left_over == 52
    opening = np.int64(1) << rules.opening_card
    table.known = table.dealt = 0
    table.doubtful = -1
    for seat in range(players):
        table.single_at[seat] = -1
        if given[seat] >= 0:
            if popcount(hands[seat]) != given[seat] or table.dealt & hands[seat]:
                return F.CARD_DEALT_TWICE
            table.known |= 1 << seat
            table.dealt |= hands[seat]
    for seat in range(players):
        more = left_over if hands[seat] & opening else 0
        if given[seat] >= 0 and given[seat] != each + more:
            return F.CARDS_DEALT
    everybody = (1 << players) - 1
    unknown = everybody & ~table.known
    if whole and unknown and unknown & (unknown - 1) == 0:
        for seat in range(players):
            if unknown >> seat & 1:
                hands[seat] = FULL & ~table.dealt
        table.known, table.dealt = everybody, FULL
    holder = np.int64(-1)
    required = opening & 0
    if not first_hand:
        pass
    elif table.known == everybody:
        holder, required = opening_seat(rules, players, hands)
    else:
        if whole or table.dealt & opening:
            required = opening
        for seat in range(players):
            if table.known >> seat & 1 and hands[seat] & required:
                holder = np.int64(seat)
    first = holder
    if first < 0:
        first = starter if starter >= 0 else leads
    if first < 0:
        return F.NO_STARTER
    start_state(state, first, required if rules.opening_must_include else 0)
    state.first_hand = np.int64(first_hand)
    for seat in range(players):
        if not table.known >> seat & 1:
            hands[seat] = lowest_cards(each + (left_over if first_hand and seat == first else 0), 0)
    if starter >= 0 and starter != first:
        return F.WRONG_STARTER
    if required and table.known >> first & 1 and not hands[first] & required:
        return F.WRONG_STARTER
    return F.NONE


@inlined
def is_between(seat, cursor, expected, players):
    """Whether going on from `cursor` one comes by this seat before the expected one."""
    while cursor != expected:
        if cursor == seat:
            return True
        cursor = following_seat(cursor, players)
    return False


@kernel
def fault_of_play(rules, players, hands, state, table, seat, mask, number):
    """(fault, kind, strength) of a play by the seat whose turn it is; number: cards given."""
    nothing = np.int64(K.PASS)
    known = table.known >> seat & 1
    left = popcount(hands[seat])
    if popcount(mask) != number:
        return F.CARD_TWICE, nothing, nothing
    if mask & state.seen:
        return F.PLAYED_BEFORE, nothing, nothing
    if known and mask & ~hands[seat]:
        return F.NOT_HELD, nothing, nothing
    if not known and mask & table.dealt:
        return F.HELD_BY_ANOTHER, nothing, nothing
    if number > left:
        return F.MORE_THAN_HELD, nothing, nothing
    kind, strength = classify(rules, mask)
    kind, strength = np.int64(kind), np.int64(strength)
    if kind == K.PASS:
        return F.NO_COMBINATION, kind, strength
    is_dragon = rules.dragons >> rules.position[kind] & 1
    if is_dragon and (state.played >> seat & 1 or number != left):
        return F.NOT_FRESH, kind, strength
    if state.standing and not beats(rules, kind, strength, state.kind, state.strength):
        return F.DOES_NOT_BEAT, kind, strength
    if state.required & ~mask or (state.required and rules.opening_alone and number > 1):
        return F.OPENING_CARD, kind, strength
    one_left = popcount(hands[following_seat(seat, players)]) == 1
    if rules.last_card_highest_single and one_left and kind == K.SINGLE and known:
        if highest_index(hands[seat]) != highest_index(mask):
            return F.LAST_CARD, kind, strength
    return F.NONE, kind, strength


@inlined
def end_turn(rules, players, hands, state, table, mask, kind, strength):
    """`take_turn`; whether a seat of unknown cards has to pay for all stays open."""
    seat, doubtful = state.seat, table.doubtful
    over = take_turn(rules, players, hands, state, mask, kind, strength)
    if over:
        if doubtful < 0 or following_seat(doubtful, players) != seat or kind != K.SINGLE:
            table.doubtful = -1
    else:
        table.doubtful = -1
        if rules.last_card_pays and kind == K.SINGLE and not table.known >> seat & 1:
            table.doubtful = seat
    return over


@kernel
def follow(rules, players, hands, seats, masks, numbers, written, state, table):
    """Follow the turns of one record from where `take_seats` began. Returns (fault, turn).

    hands: int64[4], at the end the cards left; seats: int64[n], -1: not given; masks: int64[n], 0:
    a pass; numbers: int64[n], cards given; written: whether the passes of locked-out seats are
    among turns without a seat. turn: index of the faulty turn, n: the record ends early.
    """
    cursor = state.seat
    over = False
    for t in range(len(masks)):
        if over:
            return F.AFTER_THE_END, t
        expected, mask = state.seat, masks[t]
        seat = seats[t]
        if seat < 0:
            seat = cursor if written else expected
        if seat != expected:
            if state.locked >> seat & 1 and mask:
                return F.LOCKED_OUT, t
            if mask or not is_between(seat, cursor, expected, players):
                return F.WRONG_SEAT, t
            cursor = following_seat(seat, players)  # the pass of a seat that is not asked
            continue
        if mask:
            fault, kind, strength = fault_of_play(
                rules, players, hands, state, table, seat, mask, numbers[t]
            )
            if fault:
                return fault, t
            if not table.known >> seat & 1:
                at = table.single_at[seat]
                if at >= 0 and mask >> table.single[seat] > 1:  # a higher card was held
                    return F.LAST_CARD, at
                next_left = popcount(hands[following_seat(seat, players)])
                if (
                    rules.last_card_highest_single
                    and next_left == 1
                    and kind == K.SINGLE
                    and at < 0
                ):
                    table.single_at[seat], table.single[seat] = t, strength
                left = popcount(hands[seat])
                hands[seat] = mask | lowest_cards(left - popcount(mask), mask)
            over = end_turn(rules, players, hands, state, table, mask, kind, strength)
        elif state.standing == 0:
            return F.PASS_ON_LEAD, t
        elif table.known >> seat & 1 and must_answer(
            rules, hands[seat], state.kind, state.strength,
            popcount(hands[following_seat(seat, players)]),
        ):  # fmt: skip
            return F.PASS_THOUGH_ABLE, t
        else:
            over = end_turn(rules, players, hands, state, table, mask, state.kind, state.strength)
        cursor = following_seat(seat, players)
    return (F.NONE if over else F.ENDED_EARLY), len(masks)


@kernel
def settle_up(rules, players, hands, state, table):
    """Fill table.payoffs and table.certain once the playout is over."""
    winner = state.seat
    slam = winner == state.starter and state.played == 1 << winner
    settle(
        rules, players, hands, winner, state.standing, state.kind, slam, state.played, table.payoffs
    )
    pay_for_all(players, state.payer, table.payoffs)
    everybody = (1 << players) - 1
    table.certain = everybody
    known = table.known | 1 << winner
    if rules.leftovers and known != everybody:  # which cards are left matters
        table.certain = 0 if rules.payoff_settlement_pairwise else known & ~(1 << winner)
    if table.doubtful >= 0:
        table.certain &= 0 if rules.payoff_settlement_pairwise else 1 << winner


@kernel
def check_records(
    rules, players, hands, given, starters, first_hands, first, seats, masks, numbers, spare,
    state, table, faults, turns, written, payoffs, certain,
):  # fmt: skip
    """Follow many records; fills faults, turns, written, payoffs, certain.

    hands, given: int64[n, 4] as in `take_seats`; starters: int64[n];
    first_hands: bool[n]; first: int64[n + 1], where
    each record's turns begin in seats, masks, numbers (as in `follow`); spare: int64[4], scratch
    space; state, table: records STATE, TABLE; faults, turns, certain: int64[n]; written: bool[n];
    payoffs: int64[n, 4]. Where turns name no seats, passes of locked-out seats may be written or
    left out: the reading that is right for longer is what is meant.
    """
    for i in range(len(starters)):
        begin, end = first[i], first[i + 1]
        leads = seats[begin] if begin < end else np.int64(-1)
        for seat in range(4):
            spare[seat] = hands[i, seat]
        turns[i] = 0
        faults[i] = take_seats(
            rules, players, spare, given[i], starters[i], leads, first_hands[i], state, table
        )
        if faults[i]:
            continue
        for reading in range(2 if rules.passing_locks_on else 1):
            for seat in range(4):
                spare[seat] = hands[i, seat]
            take_seats(
                rules, players, spare, given[i], starters[i], leads, first_hands[i], state, table
            )
            fault, turn = follow(
                rules, players, spare, seats[begin:end], masks[begin:end], numbers[begin:end],
                reading == 1, state, table,
            )  # fmt: skip
            if reading == 0 or fault == F.NONE or turn > turns[i]:
                faults[i], turns[i], written[i] = fault, turn, reading == 1
            if fault == F.NONE:
                settle_up(rules, players, spare, state, table)
                certain[i] = table.certain
                for seat in range(players):
                    payoffs[i, seat] = table.payoffs[seat]
                break
