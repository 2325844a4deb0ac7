# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Kernels that several strategies share."""

from simcore.foundation.bits import popcount
from simcore.foundation.jit import inlined
from simcore.game import kinds as K


@inlined
def is_bomb_on_another_kind(view, play):
    """Whether the play is a bomb (of the rule set) on a standing play of another kind.

    A single on another kind is one too: a card that beats every play.
    """
    position = view.rules.position[play.kind]
    return (play.kind == K.SINGLE and view.to_beat_kind > K.SINGLE) or (
        play.kind != view.to_beat_kind and position >= 0 and view.rules.kinds_bombs >> position & 1
    )


@inlined
def dragon_index(plays, n_plays):
    """Index of a Dragon among the plays, -1 if there is none; Dragons are the strongest plays."""
    for i in range(max(n_plays - 2, 0), n_plays):
        if plays[i].kind >= K.DRAGON:
            return i
    return -1


@inlined
def weakest_follow(view, plays, n_plays):
    """Follow with the first legal play in canonical order; pass only if there is none.

    A bomb on another kind is played only if it empties the hand.
    """
    for i in range(n_plays - 1):
        if plays[i].mask == view.hand or not is_bomb_on_another_kind(view, plays[i]):
            return i
    return n_plays - 1


@inlined
def largest_weakest(plays, n_plays):
    """Lead: the first of the plays with the most cards; the canonical order goes by size first."""
    first = n_plays - 1
    while first > 0 and cards_in(plays[first - 1]) == cards_in(plays[n_plays - 1]):
        first -= 1
    return first


@inlined
def least_opponent(view):
    """Cards of the opponent who has the fewest."""
    least = view.cards_left[1]
    for k in range(2, view.players):
        least = min(least, view.cards_left[k])
    return least


@inlined
def most_opponent(view):
    """Cards of the opponent who has the most."""
    most = view.cards_left[1]
    for k in range(2, view.players):
        most = max(most, view.cards_left[k])
    return most


@inlined
def cards_in(play):
    """Number of cards of a play."""
    return popcount(play.mask)
