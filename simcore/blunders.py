"""Plays that are wrong whatever the others hold: told from the rules and what the seat knows."""

from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from simcore.errors import InputError
from simcore.foundation.bits import FULL
from simcore.foundation.jit import records
from simcore.game import kinds as K
from simcore.game.combinations import answers_to_cards, classify
from simcore.game.groups import ANY, PLAY
from simcore.game.plays import weakest_of_kind
from simcore.records.writing import deal_ranges
from simcore.runs.reading import Source, read_run
from simcore.runs.run import setup_of
from simcore.simulation.asking import Asking
from simcore.simulation.setup import Workspace

MOST_LISTED = 1 << 15  # plays of one kind that 52 cards have: at most 10,240 straights
# name -> what it is; each needs no opinion about how play goes on
BLUNDERS = {
    "win_missed": "all cards could be played at once, and were not",
    "certain_win_missed": (
        "a play was legal that nothing unseen can answer and that leaves one combination to go out "
        "with, and another was made that is not certain to win so"
    ),
    "single_given": (
        "the next player had one card and was given a single that an unseen card beats, while a "
        "legal play was there that one card cannot answer"
    ),
}


@dataclass(frozen=True)
class Found:
    """Which blunders a decision could be, and which it was."""

    possible: frozenset[str]
    made: frozenset[str]


def blunders(work: Asking, plays: Any, played: int) -> Found:
    """Of the decision in the view of `work`; plays: its legal plays, played: the mask, 0: a pass.

    A play is certain not to be answered if all unseen cards in one hand could not answer it, so a
    certain win is one whatever the others hold; not every certain win is found.
    """
    view = work.view
    hand, unseen = int(view.hand), FULL & ~int(view.hand | view.seen)
    masks = {int(play.mask): play for play in plays}
    wins = {mask for mask, play in masks.items() if mask and _certain(work, play, hand, unseen)}
    possible, made = set(), set()
    if wins:
        name = "win_missed" if hand in wins else "certain_win_missed"
        possible.add(name)
        if played not in wins:
            made.add(name)
    if view.cards_left[1] == 1 and not view.locked >> 1 & 1:
        safe = {m for m in masks if m.bit_count() > 1 or (m and unseen < m)}
        risky = {m for m in masks if m.bit_count() == 1 and unseen > m}
        if safe and risky:
            possible.add("single_given")
            if played in risky:
                made.add("single_given")
    return Found(frozenset(possible), frozenset(made))


def count_blunders(
    run: Source, playouts: int, trust: bool = False
) -> tuple[list[str], list[str], Any, Any]:
    """Play about so many playouts of a run again, from its first deal on, and look at them.

    Returns (strategies, blunders, decisions int64[strategies, D], counts int64[2, blunders,
    strategies, D]: possible and made), with D deals or, where hands are played in such, sessions.
    trust: as for `replay`. Raises InputError, RunError, StrategyError.
    """
    if playouts < 1:
        raise InputError(f"playouts {playouts} is out of bounds: at least 1")
    reader = read_run(run)
    setup = setup_of(reader.identity, trust or reader.store is None)
    work, plain = Asking(setup), Workspace(setup)
    every = (n for first, end in deal_ranges(reader, None) for n in range(first, end))
    deals = list(islice(every, -(-playouts // setup.seatings_per_deal)))
    lineup = [entrant.name for entrant in setup.lineup]
    names, kinds = list(dict.fromkeys(lineup)), list(BLUNDERS)
    drawn = np.unique(np.array(deals) // setup.session_hands)
    n = np.zeros((len(names), len(drawn)), np.int64)
    counts = np.zeros((2, len(kinds), *n.shape), np.int64)
    for deal in deals:
        d = np.searchsorted(drawn, deal // setup.session_hands)
        for seating in plain.play(deal, 1)["seating"]:
            for turn in work.turns(deal, int(seating)):
                plays = work.show(turn.hands, turn.state)
                if len(plays) < 2:
                    continue
                who = names.index(lineup[turn.slot])
                n[who, d] += 1
                found = blunders(work, plays, turn.play)
                for which, those in enumerate((found.possible, found.made)):
                    for kind in those:
                        counts[which, kinds.index(kind), who, d] += 1
    return names, kinds, n, counts


def _certain(work: Asking, play: Any, hand: int, unseen: int) -> bool:
    """Whether nothing unseen answers a play and what it leaves goes out at once."""
    rest = hand & ~int(play.mask)
    if rest == 0:
        return True
    return int(classify(work.table, rest)[0]) != K.PASS and not _answerable(work, play, unseen)


def _answerable(work: Asking, play: Any, unseen: int) -> bool:
    """Whether one hand of all unseen cards could answer a play."""
    rules = work.table
    kinds = int(answers_to_cards(rules, int(play.kind), int(play.strength)))
    if play.kind == K.SINGLE and int(rules.kinds_unbeatable_singles) >> int(play.strength) & 1:
        kinds &= int(rules.dragons)
    for position in range(kinds.bit_length()):
        if not kinds >> position & 1:
            continue
        kind = int(rules.kind_at[position])
        if kind in (K.DRAGON, K.FLUSH_DRAGON):
            ranks = {card // 4 for card in range(52) if unseen >> card & 1}
            if len(ranks) == 13 and max(work.view.cards_left[1:]) >= 13:
                return True
            continue
        above = int(play.strength) if kind == play.kind else ANY
        cards = unseen & int(rules.singles_answer) if kind == K.SINGLE != play.kind else unseen
        if weakest_of_kind(rules, cards, kind, above, _scratch())[0]:
            return True
    return False


@cache
def _scratch() -> Any:
    return records(PLAY, MOST_LISTED)
