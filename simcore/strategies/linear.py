# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`linear`: the play with the highest weighted sum of features."""

from simcore.foundation.jit import kernel
from simcore.strategies.direct import LINEAR
from simcore.strategies.features import FOLLOW_FEATURES, LEAD_FEATURES, context_of, play_value
from simcore.strategies.interface import strategy
from simcore.strategies.parameters import Parameter

START = {"plays": -1.0, "cards": -0.2, "height": -0.3}  # the other features count nothing
WEIGHTS = {
    name: Parameter(START.get(name.partition("_")[2], 0.0), f"the weight, at a {turn}, of: {about}")
    for turn, features in (("lead", LEAD_FEATURES), ("follow", FOLLOW_FEATURES))
    for name, about in features.items()
}


@kernel
def linear_play(view, plays, n_plays, params):
    """The choice of `linear`, for those that compile it in."""
    context = context_of(view)
    best = 0
    best_value = -1e300
    for i in range(n_plays):
        if plays[i].mask == view.hand:
            return i
        value = play_value(view, plays[i], params, context)
        if value > best_value:
            best = i
            best_value = value
    return best


@strategy(direct=LINEAR, weights=("linear",), parameters=WEIGHTS)
def linear(view, plays, n_plays, params, rng):
    """Play what has the highest weighted sum of features, or pass if that has.

    The features (features.py) describe the hand that is left (least plays, cards that nobody can
    beat, lone low cards, what it would cost to be stuck with it), the play itself (kind, height,
    whether it stands), and the table (an opponent with few cards, whose play it is). A lead has
    weights of its own. A play that empties the hand is played at once; among equals the first in
    canonical order. The weights that ship, one file for each rule set, were made by `bigtwo tune`.

    Cost: about 0.3 µs. Source: a weighted sum tuned by the cross-entropy method is the strongest
    cheap strategy in several published programs; these features are ours.
    """
    return linear_play(view, plays, n_plays, params)
