# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The end of a playout with all hands known, solved: kernels.

Every seat plays for its own payoff (the max^n rule; C. Luckhardt and K. Irani, AAAI 1986), and a
seat that can go out does. Among equals the first play in canonical order. A strategy gives it hands
that it has drawn for the others, so what comes out is exact for those hands only.
Twin: tests/test_endgame.py.
"""

import numpy as np

from simcore.foundation.jit import inlined, kernel
from simcore.game.combinations import answers
from simcore.game.groups import ZERO
from simcore.game.payoffs import pay_for_all, settle
from simcore.game.plays import list_legal
from simcore.game.turns import next_cards, take_turn, who_pays
from simcore.strategies.sampling import deal_hidden, hidden_cards

DEPTH = 96  # turns that a search may go down: 24 plays with all passes in between
WIDTH = 4096  # plays on all levels together
MOST_SOLVED = 12  # cards in all hands together: then no hand has more than ROOM plays
ROOM = 400
NODES = np.int64(20_000)  # plays that one search may look at


@kernel
def solve(rules, players, hands, states, depth, used, plays, values, nodes):
    """Fill values[depth, :players] with the payoffs of best play; returns the nodes left over.

    hands: int64[players], the same afterwards; states: records STATE[DEPTH], [depth] where to begin
    (nothing is required); plays: records PLAY[WIDTH], free from index `used` on; values:
    int64[DEPTH, 4]; nodes: how many plays it may look at. A negative number comes back when that
    was not enough; then the values mean nothing.
    """
    state = states[depth]
    seat, kind = state.seat, state.kind
    hand = hands[seat]
    next_left = next_cards(rules, players, hands, seat)
    kinds = answers(rules, kind, state.strength) & ~rules.dragons
    room = len(plays) - used
    if depth + 2 >= len(values) or room < ROOM:
        return ZERO - 1
    mine = plays[used:]
    n = list_legal(rules, hand, kind, state.strength, kinds, ZERO, next_left, mine)[0]
    nodes -= n
    if nodes < 0:
        return nodes
    for i in range(n):
        if mine[i].mask == hand:
            slam = np.int64(seat == state.starter and state.played & ~(1 << seat) == 0)
            hands[seat] = 0
            kind = np.int64(mine[i].kind)
            settle(rules, players, hands, seat, hand, kind, slam, state.played, values[depth])
            pay_for_all(players, who_pays(players, state), values[depth])
            hands[seat] = hand
            return nodes
    below_me = values[depth + 1]
    best = values[depth]
    for i in range(n):
        play = mine[i]
        states[depth + 1] = states[depth]
        take_turn(
            rules, players, hands, states[depth + 1], play.mask, np.int64(play.kind),
            np.int64(play.strength),
        )  # fmt: skip
        nodes = solve(rules, players, hands, states, depth + 1, used + n, plays, values, nodes)
        hands[seat] = hand
        if nodes < 0:
            return nodes
        if i == 0 or below_me[seat] > best[seat]:
            for k in range(players):
                best[k] = below_me[k]
    return nodes


@kernel
def played_seats(view):
    """Bit set of the seats, counted from oneself, that have played a card.

    Where cards do not divide, nobody knows who was dealt more in a later hand of a session: a seat
    with as many cards as the others were dealt then counts as one that has not played.
    """
    rules = view.rules
    played = ZERO if view.fresh else ZERO + 1
    more = 52 % view.players if view.first_hand else ZERO
    for k in range(1, view.players):
        dealt = rules.deal
        if dealt == 0:
            dealt = 52 // view.players + (more if k == view.starter else 0)
        if view.cards_left[k] < dealt:
            played |= 1 << k
    return played


@inlined
def write_state(state, view, played):
    """The state of the playout as a seat sees it at its turn; seats are counted from itself.

    played: of `played_seats`. The plays are not counted: it does not know their number. Nor does it
    know whether the seat before it broke a rule; for what it gets itself that makes no difference.
    """
    state.seat = state.required = state.plays = 0
    state.starter, state.first_hand = view.starter, view.first_hand
    state.standing, state.kind, state.strength = (
        view.to_beat, view.to_beat_kind, view.to_beat_strength,
    )  # fmt: skip
    state.by = view.to_beat_by if view.to_beat else ZERO - 1
    state.payer = ZERO - 1
    state.passed, state.locked = view.passed, view.locked
    state.seen, state.played = view.seen, played
    state.turn, state.trick = view.turn, view.trick


@kernel
def solve_after(view, play, hands, played, states, plays, values):
    """What oneself gets after a play of one's own, hands known; returns (payoff, nodes left).

    hands: of `sampling.deal_hidden`, [0] before the play; played: of `played_seats`; the rest as
    in `solve`. The play does not empty the hand.
    """
    rules, players = view.rules, view.players
    write_state(states[0], view, played)
    hands[0] = view.hand
    kind, strength = np.int64(play.kind), np.int64(play.strength)
    take_turn(rules, players, hands, states[0], play.mask, kind, strength)
    nodes = solve(rules, players, hands, states, ZERO, ZERO, plays, values, NODES)
    hands[0] = view.hand
    return values[0, 0], nodes


@kernel
def search_endgame(
    view, plays, n_plays, draws, rng, cards, hands, totals, states, search_plays, values
):
    """Index of the play with the highest payoff on average over drawn hands, each solved; or -1.

    plays[:n_plays]: the legal plays, of which none empties the hand; draws: how many hands to draw;
    rng: record STREAM; cards: int64[52], hands: int64[players], totals: int64[n_plays],
    states: records STATE[DEPTH], search_plays: records PLAY[WIDTH], values: int64[DEPTH, 4]:
    scratch space. -1: some search was too long.
    """
    n_hidden, opening = hidden_cards(view.rules, view, cards)
    played = played_seats(view)
    totals[:n_plays] = 0
    for _ in range(draws):  # every play is tried on the same hands
        deal_hidden(view, cards, n_hidden, opening, rng, hands)
        for i in range(n_plays):
            payoff, nodes = solve_after(view, plays[i], hands, played, states, search_plays, values)
            if nodes < 0:
                return ZERO - 1
            totals[i] += payoff
    best = ZERO
    for i in range(1, n_plays):
        if totals[i] > totals[best]:
            best = ZERO + i
    return best
