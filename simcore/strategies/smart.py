# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""`smart`: the play with the least cost by a short table of scores."""

from simcore.foundation.bits import lowest_index, nibble, popcount
from simcore.game import kinds as K
from simcore.game.payoffs import TWOS
from simcore.strategies.estimate import estimate_plays
from simcore.strategies.helpers import cards_in, is_bomb_on_another_kind, least_opponent
from simcore.strategies.interface import strategy
from simcore.strategies.parameters import Parameter

ORPHANS = 0b1111  # ranks 3 to 6


@strategy(
    weights=("smart",),
    rank=Parameter(0.8, "the cost of each rank above 3 of each of its cards"),
    two=Parameter(10.0, "the cost of each 2, in the first stage of a hand"),
    group=Parameter(
        8.0, "the cost of taking cards from a larger group of their rank, in the first stage"
    ),
    five=Parameter(20.0, "the cost of breaking a larger play, in the first stage"),
    orphan=Parameter(6.0, "the cost of each rank 3 to 6 that is left to be played alone"),
    card=Parameter(4.0, "what each card that it sheds takes off the cost"),
    bomb=Parameter(25.0, "the cost of a bomb on another kind"),
    plays=Parameter(0.0, "the cost of each play that the rest of the hand needs"),
    patience=Parameter(30.0, "it may pass if the least cost is above this"),
    danger=Parameter(
        1.6, "what each rank of its lowest card takes off, an opponent having two cards or fewer"
    ),
)
def smart(view, plays, n_plays, params, rng):
    """Make the play with the least cost; pass if even that costs too much.

    Stage: 1 with more than 10 cards in hand, 1/2 with more than 5, else 0. The cost of a play is
      + rank x the sum of its cards' ranks (3 is 0, 2 is 12)
      + two x stage for each 2 in it
      + group x stage if it takes a single, pair or triple out of more cards of that rank
      + five x stage² (at least a fifth of it) if a play of up to three cards leaves a hand that
        needs no fewer plays than now: it breaks a larger group (plays: estimate.py)
      + orphan for each rank 3 to 6 that is then played alone
      - card for each card
      + bomb for a bomb on another kind, unless at most one play is left then
      + plays for each play that the hand needs then
      - danger x the rank of its lowest card while an opponent has at most two cards.
    A play that empties the hand is made at once. When following, no opponent having two cards or
    fewer, it passes if the least cost is above `patience` and the play spends two 2s or leaves a
    hand that needs more plays than now. Among equals the first in canonical order.

    Cost: about 0.2 µs. Source: the score rule of a public web game (github.com/vsingh18567/big2),
    whose numbers are the defaults here; `plays` and `danger` are ours, and the weights that ship
    for a rule set were tuned.
    """
    rules = view.rules
    hand = view.hand
    own = popcount(hand)
    stage = 1.0 if own > 10 else 0.5 if own > 5 else 0.0
    now, _ = estimate_plays(rules, hand)
    in_danger = least_opponent(view) <= 2
    best = -1
    least = 1e300
    patient = False
    for i in range(n_plays):
        play = plays[i]
        mask = play.mask
        if mask == 0:
            continue
        if mask == hand:
            return i
        size = cards_in(play)
        low = lowest_index(mask) >> 2
        twos = popcount(mask & TWOS)
        left, lone = estimate_plays(rules, hand & ~mask)
        cost = params[AT.two] * stage * twos - params[AT.card] * size + params[AT.plays] * left
        while mask:
            cost += params[AT.rank] * (lowest_index(mask) >> 2)
            mask &= mask - 1
        if size <= 3:
            if popcount(nibble(hand, low)) > size:
                cost += params[AT.group] * stage
            if left >= now:
                cost += params[AT.five] * max(stage * stage, 0.2)
        cost += params[AT.orphan] * popcount(lone & ORPHANS)
        if left > 1 and is_bomb_on_another_kind(view, play):
            cost += params[AT.bomb]
        if in_danger:
            cost -= params[AT.danger] * low
        if cost < least:
            best, least, patient = i, cost, twos >= 2 or left > now
    if view.to_beat_kind != K.PASS and patient and least > params[AT.patience] and not in_danger:
        return n_plays - 1
    return best


AT = smart.places
