"""The files that `bigtwo strategies new` writes."""

COMPILED = '''\
"""{name}: a strategy for the Big Two laboratory.

    bigtwo strategies check {file}:{name}
    bigtwo simulate --lineup {file}:{name},dump --deals 10000
"""

from simcore import strategy
from simcore.foundation.bits import popcount  # number of cards of a mask


@strategy(hold=4.0)  # parameters with their defaults: --lineup {file}:{name}:hold=6
def {name}(view, plays, n_plays, params, rng):
    """Lead the play with the most cards; follow with the weakest, but save 2s in the beginning."""
    # plays[:n_plays] are the legal plays, weakest first; each has .mask, .kind and .strength.
    # The answer is the index of one of them. A mask has bit rank * 4 + suit for each card; ranks
    # 0 to 12 are 3 to 2. view is what you may know: .hand, .to_beat (0: you lead), .cards_left
    # (of yourself, the next in turn, …), .seen, .passed and more; see simcore.strategies.interface.
    if view.to_beat == 0:
        best = 0
        for i in range(n_plays):
            if popcount(plays[i].mask) > popcount(plays[best].mask):
                best = i
        return best
    twos = view.hand & (15 << 48)
    if plays[0].mask & twos and popcount(view.hand) > params[0]:
        return n_plays - 1  # the pass, where there is one, is the last
    return 0
    # Chance: below(rng, n) and uniform(rng) of simcore.foundation.rng. Keep nothing between calls.
'''

PLAIN = '''\
"""{name}: a strategy in plain Python for the Big Two laboratory.

    bigtwo strategies check {file}:{name}
    bigtwo simulate --lineup {file}:{name},dump --deals 1000
"""


class {name}:
    """Lead the play with the most cards; follow with the weakest, but save 2s in the beginning."""

    def __init__(self, hold=4):  # parameters with their defaults: --lineup {file}:{name}:hold=6
        # Made once in every process: the place to load a model. Keep nothing between questions.
        self.hold = hold

    def choose(self, position):
        # position.plays are the legal plays, weakest first; each has .cards (("3c", "3d")), .kind
        # ("pair") and .strength. The answer is one of them. position is what you may know: .hand,
        # .to_beat (None: you lead), .cards_left (of yourself, the next in turn, …), .seen, .passed
        # and more; see simcore.strategies.position. Chance: position.rng.choice(position.plays).
        if position.to_beat is None:
            return max(position.plays, key=lambda play: len(play.cards))
        weakest = position.plays[0]
        has_two = any(card[0] == "2" for card in weakest.cards)
        if has_two and len(position.hand) > self.hold:
            return position.plays[-1]  # the pass, where there is one, is the last
        return weakest
'''
