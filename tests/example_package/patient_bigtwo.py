"""A strategy that a package brings."""

from simcore import strategy


@strategy(patience=8.0)
def play_patiently(view, plays, n_plays, params, rng):
    """Lead the weakest play; pass as long as the next player has more cards than `patience`."""
    if view.to_beat and view.cards_left[1] > params[0]:
        return n_plays - 1
    return 0
