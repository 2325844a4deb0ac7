# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`random`: the floor of every comparison."""

from simcore.foundation.rng import below
from simcore.strategies.direct import RANDOM
from simcore.strategies.interface import strategy


@strategy(direct=RANDOM)
def random(view, plays, n_plays, params, rng):
    """Uniform over the legal plays and, when following, the pass."""
    return below(rng, n_plays)
