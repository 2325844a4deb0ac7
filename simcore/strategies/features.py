# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""What a play is worth, in numbers: the features of `linear`, kernels.

Every feature of a play is about 0 to 1 (counts of cards and plays up to 13). `rest` is the hand
without the play, `unseen` the cards that one has neither seen nor holds. Twin: tests/test_features.
"""

from simcore.foundation.bits import (
    FULL,
    ONES,
    highest_index,
    popcount,
    ranks_with_four,
    ranks_with_three,
    ranks_with_two,
)
from simcore.foundation.jit import inlined, kernel
from simcore.game import kinds as K
from simcore.game.payoffs import TWOS, loser_pays
from simcore.strategies.estimate import estimate_plays
from simcore.strategies.helpers import is_bomb_on_another_kind, least_opponent, most_opponent
from simcore.strategies.parameters import places

ACES = 15 << 44
LOW_RANKS, MIDDLE_RANKS = 0b11111, 0b1111100000  # 3 to 7, 8 to Q

# Each feature with what it means; by its value a weight is multiplied.
REST = {
    "plays": "least number of plays that the rest of the hand needs, estimated (estimate.py)",
    "cards": "cards that are left",
    "boss": "cards left that no unseen card beats",
    "near": "further cards left that one or two unseen cards beat",
    "low": "ranks 3 to 7 that are then played alone",
    "middle": "ranks 8 to Q that are then played alone",
    "twos": "2s that are left",
    "aces": "aces that are left",
    "four": "1 if four of a rank are left, with a card beside them",
    "last": "1 if all that is left is one play",
    "exposure": "what one would pay with the rest, by tiers and multipliers, a tenth of it",
}
PLAY_ITSELF = {
    "pair": "1 for a pair",
    "triple": "1 for a triple",
    "five": "1 for four or more cards",
    "height": "0 to 1: its highest rank; of five cards its kind's place in the order",
    "stands": "1 if no unseen cards beat it, bombs apart, or nobody holds as many cards",
    "bomb": "1 for a bomb on another kind, or a bomb that is led",
    "danger_height": "height, if an opponent has at most two cards",
    "danger_cards": "cards that are left, if an opponent has at most two cards",
    "gift": "1 - height of a single, if the next player has one card",
    "run": "1 if it stands and the rest is one play",
    "early": "height times the share of the cards that are still unseen",
}
PASS_ITSELF = {  # 0 for every play
    "pass": "1 for a pass",
    "pass_danger": "1 for a pass if an opponent has at most two cards",
    "pass_upstream": "1 for a pass if the player before made the standing play",
    "pass_owner": "1 for a pass if who made the standing play has at most four cards",
    "pass_cards": "for a pass, the share of thirteen cards that one holds",
}
REST_AT, PLAY_AT, PASS_AT = places(REST), places(PLAY_ITSELF), places(PASS_ITSELF)
LEAD_FEATURES = {f"lead_{name}": about for name, about in (REST | PLAY_ITSELF).items()}
FOLLOW_FEATURES = {
    f"follow_{name}": about for name, about in (REST | PLAY_ITSELF | PASS_ITSELF).items()
}
N_REST, N_PLAY, N_LEAD = len(REST), len(PLAY_ITSELF), len(LEAD_FEATURES)


@inlined
def top_unseen(unseen):
    """(cards above every unseen card, cards above all but two of them) as masks; all if none."""
    first = third = FULL
    if unseen:
        first = FULL & (-2 << highest_index(unseen))
        unseen ^= 1 << highest_index(unseen)
        third = FULL
        if unseen:
            unseen ^= 1 << highest_index(unseen)
            if unseen:
                third = FULL & (-2 << highest_index(unseen))
    return first, third


@inlined
def pair_stands(mask, unseen):
    """Whether no two unseen cards beat this pair."""
    top = highest_index(mask)
    rank = top >> 2
    if ranks_with_two(unseen) & ONES & -1 << (4 * rank + 4):
        return False
    others = unseen >> (4 * rank) & 15
    return popcount(others) < 2 or others >> (top & 3) == 0


@inlined
def stands(kind, strength, mask, unseen, most):
    """Whether no unseen cards beat a play, bombs apart; most: cards of the fullest opponent."""
    if kind == K.SINGLE:
        return unseen >> (strength + 1) == 0
    if kind == K.PAIR:
        return most < 2 or pair_stands(mask, unseen)
    if kind == K.TRIPLE:
        return most < 3 or ranks_with_three(unseen) & -1 << (4 * strength + 4) == 0
    return most < popcount(mask) or kind >= K.FOUR_OF_A_KIND


@inlined
def height(rules, play):
    """0 to 1: the highest rank of singles, pairs, triples; the kind's place of larger plays."""
    if play.kind <= K.TRIPLE:
        return highest_index(play.mask) / 51.0
    return rules.position[play.kind] / 9.0


@kernel
def rest_value(rules, rest, boss, near, weights, first):
    """(weighted sum of the features REST, estimated plays).

    rest: int64, not empty; boss, near: masks of `top_unseen`; weights: float64, REST from `first`.
    """
    plays, lone = estimate_plays(rules, rest)
    cards = popcount(rest)
    bosses = popcount(rest & boss)
    value = (
        weights[first + REST_AT.plays] * plays
        + weights[first + REST_AT.cards] * cards
        + weights[first + REST_AT.boss] * bosses
    )
    value += weights[first + REST_AT.near] * (popcount(rest & near) - bosses)
    value += weights[first + REST_AT.low] * popcount(lone & LOW_RANKS)
    value += weights[first + REST_AT.middle] * popcount(lone & MIDDLE_RANKS)
    value += weights[first + REST_AT.twos] * popcount(rest & TWOS)
    value += weights[first + REST_AT.aces] * popcount(rest & ACES)
    if cards > 4 and ranks_with_four(rest):
        value += weights[first + REST_AT.four]
    if plays == 1:
        value += weights[first + REST_AT.last]
    due = loser_pays(rules, rest, False, 0, 1, 0)
    return value + weights[first + REST_AT.exposure] * 0.1 * due, plays


@inlined
def context_of(view):
    """What all plays of one turn share; the last argument of `play_value`."""
    unseen = FULL & ~(view.seen | view.hand)
    boss, near = top_unseen(unseen)
    first = 0 if view.to_beat_kind == K.PASS else N_LEAD
    danger = least_opponent(view) <= 2
    return first, unseen, boss, near, most_opponent(view), danger


@inlined
def play_value(view, play, weights, context):
    """Weighted sum of the features of a play, or a pass, that does not empty the hand.

    view: record VIEW; play: record PLAY; weights: float64, LEAD_FEATURES then FOLLOW_FEATURES.
    """
    first, unseen, boss, near, most, danger = context
    rest = view.hand & ~play.mask
    value, left = rest_value(view.rules, rest, boss, near, weights, first)
    at = first + N_REST
    if play.mask == 0:
        at += N_PLAY
        value += weights[at + PASS_AT.pass_]
        if danger:
            value += weights[at + PASS_AT.pass_danger]
        if view.to_beat_by == view.players - 1:
            value += weights[at + PASS_AT.pass_upstream]
        if view.cards_left[view.to_beat_by] <= 4:
            value += weights[at + PASS_AT.pass_owner]
        return value + weights[at + PASS_AT.pass_cards] * popcount(view.hand) / 13.0
    high = height(view.rules, play)
    if play.kind == K.PAIR:
        value += weights[at + PLAY_AT.pair]
    elif play.kind == K.TRIPLE:
        value += weights[at + PLAY_AT.triple]
    elif play.kind > K.TRIPLE:
        value += weights[at + PLAY_AT.five]
    value += weights[at + PLAY_AT.height] * high
    if stands(play.kind, play.strength, play.mask, unseen, most):
        value += weights[at + PLAY_AT.stands]
        if left == 1:
            value += weights[at + PLAY_AT.run]
    if is_bomb_on_another_kind(view, play):
        value += weights[at + PLAY_AT.bomb]
    if danger:
        value += weights[at + PLAY_AT.danger_height] * high + weights[
            at + PLAY_AT.danger_cards
        ] * popcount(rest)
    if play.kind == K.SINGLE and view.cards_left[1] == 1:
        value += weights[at + PLAY_AT.gift] * (1.0 - high)
    return value + weights[at + PLAY_AT.early] * high * popcount(unseen) / 39.0
