"""The hands as dealt, and control variates made of them: known before a card is played."""

from typing import Any

import numpy as np

from simcore.foundation.jit import records
from simcore.foundation.rng import STREAM
from simcore.game.dealing import deal, opening_seat
from simcore.game.rule_table import rule_table
from simcore.game.seatings import ORDER
from simcore.samples.scores import Scores
from simcore.simulation.setup import Setup


def deal_range(setup: Setup, first: int, n: int) -> tuple[Any, Any]:
    """(hands int64[n, players] as masks, starters int64[n]) of deals first … first + n - 1."""
    players = setup.players
    rules = rule_table(setup.rules)[0]
    stream, deck = records(STREAM, 1)[0], np.zeros(52, np.int64)
    hands, starters = np.zeros((n, players), np.int64), np.zeros(n, np.int64)
    seed = np.uint64(setup.seed)
    for i in range(n):
        deal(rules, players, seed, first + i, stream, deck, hands[i])
        starters[i] = opening_seat(rules, players, hands[i])[0]
    return hands, starters


def hand_features(hands: Any, starters: Any) -> Any:
    """float64[deals, seats, 5]: 2s, aces, pairs, fours of a kind held, and whether it starts."""
    by_rank = np.bitwise_count(hands[..., None] >> (4 * np.arange(13)) & 15).astype(float)
    starts = starters[:, None] == np.arange(hands.shape[1])
    pairs = (by_rank * (by_rank - 1) / 2).sum(axis=-1)
    fours = (by_rank == 4).sum(axis=-1)
    return np.stack([by_rank[..., 12], by_rank[..., 11], pairs, fours, starts], axis=-1)


def control_variates(setup: Setup, scores: Scores) -> Any:
    """float64[deals, k] of mean 0 exactly: what the hands held, that no strategy can change.

    For every slot its features less the mean over the seats of the table, averaged over the deal's
    seatings: of mean 0 because the seats of a deal are exchangeable. In a plan that gives every
    slot every seat they vanish. Where every hand has 13 cards, also the table's total of pairs and
    of fours less their expectation (78/17 and 143/4165 a hand), and the spread of the 2s and aces
    among the seats less its expectation (36/51 a seat). Of sessions, the means over their deals.
    """
    n_deals = scores.n_deals * setup.session_hands
    hands, starters = deal_range(setup, scores.first, n_deals)
    features = hand_features(hands, starters)
    central = features - features.mean(axis=1, keepdims=True)
    players = setup.players
    slots = np.zeros((n_deals, players, features.shape[-1]))
    deals = np.arange(n_deals)[:, None]
    seats = np.arange(players)
    seatings = scores.seatings.reshape(n_deals, -1)
    for column in seatings.T:
        slots[deals, ORDER[players, column, :players]] += central[deals, seats]
    controls = [slots.reshape(n_deals, -1) / seatings.shape[1]]
    if players == 4 and bool((np.bitwise_count(hands) == 13).all()):
        spread = ((features[..., :2] - 1) ** 2).mean(axis=1) - 36 / 51
        totals = features[..., 2:4].mean(axis=1) - (78 / 17, 143 / 4165)
        controls += [spread, totals]
    found = np.column_stack(controls)
    return found.reshape(scores.n_deals, setup.session_hands, -1).mean(axis=1)
