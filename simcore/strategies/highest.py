# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`highest`: always the largest and strongest play."""

from simcore.strategies.interface import strategy


@strategy
def highest(view, plays, n_plays, params, rng):
    """Lead and follow with the largest, strongest legal play, bombs included.

    Most cards first, then the last kind in the rule set's order, then the highest strength; among
    equally strong plays (the same four of a kind with another fifth card) the one with the lower
    mask. Never passes by choice; a Dragon is the largest play of all, so it is played at once.
    """
    best = n_plays - 1 if plays[n_plays - 1].mask else n_plays - 2
    while (
        best > 0
        and plays[best - 1].kind == plays[best].kind
        and plays[best - 1].strength == plays[best].strength
    ):
        best -= 1
    return best
