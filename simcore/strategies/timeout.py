# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`timeout`: what a platform plays for a seat that has run out of time."""

from simcore.strategies.interface import strategy


@strategy
def timeout(view, plays, n_plays, params, rng):
    """Pass when following; lead the lowest legal single (the opening card where it must be played).

    Source: the time-out rule of the `maceplay` document. Never plays a Dragon.
    """
    return 0 if plays[n_plays - 1].mask else n_plays - 1
