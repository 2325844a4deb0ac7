"""What every seat of a run was dealt: a table of features, from seed and deal number alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from simcore.errors import InputError
from simcore.foundation.jit import mark_warm, records
from simcore.foundation.rng import STREAM
from simcore.game.cards import RANKS
from simcore.game.groups import PLAY
from simcore.game.plays import buffer_size
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import RuleSet
from simcore.runs.reading import Source, read_run
from simcore.samples.hand_kernels import deal_hands
from simcore.simulation.setup import largest_hand
from simcore.strategies.partition import MOST_CARDS

KERNEL = "hands"  # its name in the cache of compiled kernels
STEP = 512  # deals between two reports of progress


def dealt_hands(
    run: Source, most: int = 20_000, progress: Callable[[int, int], None] | None = None
) -> pd.DataFrame:
    """One row per deal and seat of the first `most` deals of a run, whatever it keeps.

    Columns: deal, seat, starts (holds the opening card), cards, twos, aces, pairs (ranks held twice
    or more), triples (three times or more), bombs (ranks held four times and suits with a straight
    flush of the rule set), dragon (13 cards of 13 ranks) and least_plays (the least number of plays
    that the hand falls into, a dragon not counted as one). progress: called with
    deals done and wanted. Raises RunError, InputError.
    """
    if most < 1:
        raise InputError(f"{most} deals are out of bounds: at least 1")
    reader = read_run(run)
    who, deals = reader.identity, np.zeros(0, np.int64)
    for part in reader.parts:
        deals = np.append(deals, np.arange(part.first, min(part.end, part.first + most)))[:most]
    rules, players = RuleSet.from_dict(who["rules"]), int(who["players"])
    return _features(rules, players, int(who["seed"]), deals, progress)


def _features(
    rules: RuleSet,
    players: int,
    seed: int,
    deals: Any,
    progress: Callable[[int, int], None] | None,
) -> pd.DataFrame:
    cards = largest_hand(rules, players)
    hands = np.zeros((len(deals), players), np.int64)
    starters, plays = np.zeros(len(deals), np.int64), np.zeros(hands.shape, np.int8)
    groups = records(PLAY, buffer_size(cards))
    scratch, starts = np.zeros((3, len(groups)), np.int64), np.zeros(53, np.int64)
    known = np.zeros(1 << min(cards, MOST_CARDS), np.int16)
    table, stream, deck = rule_table(rules)[0], records(STREAM, 1)[0], np.zeros(52, np.int64)
    for first in range(0, len(deals), STEP):
        some = slice(first, first + STEP)
        deal_hands(
            table, players, np.uint64(seed), deals[some], stream, deck, hands[some],
            starters[some], groups, scratch, starts, known, plays[some],
        )  # fmt: skip
        mark_warm(KERNEL)
        if progress:
            progress(min(first + STEP, len(deals)), len(deals))
    masks = hands.ravel()
    held = np.bitwise_count(masks[:, None] >> (4 * np.arange(13)) & 15)
    return pd.DataFrame(
        {
            "deal": np.repeat(deals, players),
            "seat": np.tile(np.arange(players, dtype=np.int8), len(deals)),
            "starts": (np.arange(players) == starters[:, None]).ravel(),
            "cards": np.bitwise_count(masks),
            "twos": held[:, RANKS.index("2")],
            "aces": held[:, RANKS.index("A")],
            "pairs": (held >= 2).sum(axis=1).astype(np.int8),
            "triples": (held >= 3).sum(axis=1).astype(np.int8),
            "bombs": ((held == 4).sum(axis=1) + _straight_flushes(rules, masks)).astype(np.int8),
            "dragon": (held == 1).all(axis=1),
            "least_plays": plays.ravel(),
        }
    )


def _straight_flushes(rules: RuleSet, masks: Any) -> Any:
    """int64[hands]: the number of suits in which the hand holds a straight flush."""
    found = np.zeros(len(masks), np.int64)
    for suit in range(4):
        held = np.zeros(len(masks), bool)
        for ranks, _ in rules.straights_order:
            wanted = sum(1 << (4 * RANKS.index(rank) + suit) for rank in ranks)
            held |= masks & wanted == wanted
        found += held
    return found
