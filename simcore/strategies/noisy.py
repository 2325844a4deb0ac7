# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`noisy`: another strategy that now and then plays at random."""

from simcore.foundation.rng import below
from simcore.strategies.interface import strategy
from simcore.strategies.parameters import Parameter


@strategy(epsilon=Parameter(0.2, "how often it plays at random", least=0, most=1))
def noisy(view, plays, n_plays, params, rng):
    """Mixed into another strategy: a legal play, uniform, with probability `epsilon` at each turn.

    Written `noisy:base=NAME:epsilon=0.2`; the base's own parameters stand behind its name. The
    engine asks the base, or draws at random instead, so that any strategy becomes weaker by a known
    amount: 0 is the base, 1 is `random`. A turn without a choice costs no draw.

    Cost: one random number a decision more than the base's. Source: the usual way to calibrate
    levels of play.
    """
    return below(rng, n_plays)
