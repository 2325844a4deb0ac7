"""The end of a playout with all hands known, solved: kernels.

Every seat plays for its own payoff (the max^n rule; C. Luckhardt and K. Irani, AAAI 1986), and a
seat that can go out does. Among equals the first play in canonical order. A strategy gives it hands
that it has drawn for the others, so what comes out is exact for those hands only.
Twin: tests/test_endgame.py.
"""

import numpy as np

from simcore.foundation.bits import popcount
from simcore.foundation.jit import kernel
from simcore.game.combinations import answers
from simcore.game.groups import ZERO
from simcore.game.payoffs import settle
from simcore.game.plays import list_legal
from simcore.game.turns import following_seat, next_seat, pass_locks
from simcore.strategies.sampling import deal_hidden, hidden_cards

DEPTH = 96  # turns that a search may go down: 24 plays with all passes in between
WIDTH = 4096  # plays on all levels together
MOST_SOLVED = 12  # cards in all hands together: then no hand has more than ROOM plays
ROOM = 400
NODES = np.int64(20_000)  # plays that one search may look at


@kernel
def solve(
    rules, players, hands, seat, starter, kind, strength, by, locked, played, depth, used, plays,
    values, nodes,
):  # fmt: skip
    """Fill values[depth, :players] with the payoffs of best play; returns the nodes left over.

    hands: int64[players], the same afterwards; seat: whose turn it is; kind, strength, by: the
    standing play and its seat; locked, played: bit sets of seats; plays: records PLAY[WIDTH], free
    from index `used` on; values: int64[DEPTH, 4]; nodes: how many plays it may look at. A negative
    number comes back when that was not enough; then the values mean nothing.
    """
    if seat == by:
        kind = strength = locked = ZERO
    hand = hands[seat]
    next_left = popcount(hands[following_seat(seat, players)]) if rules.last_card_rule else ZERO
    kinds = answers(rules, kind, strength) & ~rules.dragons
    room = len(plays) - used
    if depth + 2 >= len(values) or room < ROOM:
        return ZERO - 1
    mine = plays[used:]
    n = list_legal(rules, hand, kind, strength, kinds, ZERO, next_left, mine)[0]
    nodes -= n
    if nodes < 0:
        return nodes
    for i in range(n):
        if mine[i].mask == hand:
            slam = np.int64(seat == starter and played & ~(1 << seat) == 0)
            hands[seat] = 0
            settle(rules, players, hands, seat, hand, np.int64(mine[i].kind), slam, values[depth])
            hands[seat] = hand
            return nodes
    below_me = values[depth + 1]
    best = values[depth]
    for i in range(n):
        mask = mine[i].mask
        if mask:
            hands[seat] = hand & ~mask
            nodes = solve(
                rules, players, hands, next_seat(seat, players, locked), starter,
                np.int64(mine[i].kind), np.int64(mine[i].strength), seat, locked,
                played | 1 << seat, depth + 1, used + n, plays, values, nodes,
            )  # fmt: skip
            hands[seat] = hand
        else:
            out = locked | pass_locks(rules, kind) << seat
            nodes = solve(
                rules, players, hands, next_seat(seat, players, out), starter, kind, strength, by,
                out, played, depth + 1, used + n, plays, values, nodes,
            )  # fmt: skip
        if nodes < 0:
            return nodes
        if i == 0 or below_me[seat] > best[seat]:
            for k in range(players):
                best[k] = below_me[k]
    return nodes


@kernel
def played_seats(view):
    """Bit set of the seats, counted from oneself, that have played a card."""
    rules = view.rules
    played = ZERO if view.fresh else ZERO + 1
    for k in range(1, view.players):
        dealt = rules.deal
        if dealt == 0:
            dealt = 52 // view.players + (52 % view.players if k == view.starter else 0)
        if view.cards_left[k] < dealt:
            played |= 1 << k
    return played


@kernel
def solve_after(view, play, hands, played, plays, values):
    """What oneself gets after a play of one's own, hands known; returns (payoff, nodes left).

    hands: of `sampling.deal_hidden`, [0] before the play; played: of `played_seats`; the rest as
    in `solve`. The play does not empty the hand.
    """
    mask = play.mask
    locked = view.locked
    kind, strength, by = view.to_beat_kind, view.to_beat_strength, view.to_beat_by
    if mask:
        kind, strength, by = np.int64(play.kind), np.int64(play.strength), ZERO
        played |= 1
    elif pass_locks(view.rules, kind):
        locked |= 1
    hands[0] = view.hand & ~mask
    nodes = solve(
        view.rules, view.players, hands, next_seat(ZERO, view.players, locked), view.starter, kind,
        strength, by, locked, played, ZERO, ZERO, plays, values, NODES,
    )  # fmt: skip
    hands[0] = view.hand
    return values[0, 0], nodes


@kernel
def search_endgame(view, plays, n_plays, draws, rng, cards, hands, totals, search_plays, values):
    """Index of the play with the highest payoff on average over drawn hands, each solved; or -1.

    plays[:n_plays]: the legal plays, of which none empties the hand; draws: how many hands to draw;
    rng: record STREAM; cards: int64[52], hands: int64[players], totals: int64[n_plays],
    search_plays: records PLAY[WIDTH], values: int64[DEPTH, 4]: scratch space. -1: some search was
    too long.
    """
    n_hidden, opening = hidden_cards(view.rules, view, cards)
    played = played_seats(view)
    totals[:n_plays] = 0
    for _ in range(draws):  # every play is tried on the same hands
        deal_hidden(view, cards, n_hidden, opening, rng, hands)
        for i in range(n_plays):
            payoff, nodes = solve_after(view, plays[i], hands, played, search_plays, values)
            if nodes < 0:
                return ZERO - 1
            totals[i] += payoff
    best = ZERO
    for i in range(1, n_plays):
        if totals[i] > totals[best]:
            best = ZERO + i
    return best
