"""Points from cards left alone, and back where that is possible."""

from typing import Any

import numpy as np

from simcore.game.rule_format import NO_ITEM
from simcore.game.ruleset import RuleSet

# What cards left do not tell, and so is left out of a settlement.
UNKNOWN = {
    "two_left": "2s left",
    "any_two_left": "any 2 left",
    "highest_two_left": "the highest 2 left",
    "monster_left": "Monsters left",
    "nothing_played": "who has played nothing",
    "finish_two": "2s in the last play",
    "finish_monster": "a Monster or Dragon as the last play",
    "finish_flush_dragon": "a flush Dragon as the last play",
    "finish_opening_card": "the opening card in the last play",
}


def hand_sizes(rules: RuleSet, players: int) -> tuple[int, int]:
    """(cards of the smallest, of the largest hand dealt); at most one hand is larger."""
    if rules.deal:
        return rules.deal, rules.deal
    return 52 // players, 52 // players + 52 % players


def settle(rules: RuleSet, cards: Any) -> Any:
    """Payoffs float64[hands, players] of cards left (NaN: did not play), at stake 1.

    loser pays = cards left x tier. Of what multiplies or adds to that only the grand slam shows in
    cards left: nobody but the winner has played a card. The rest is counted as absent (`unknown`).
    Twin: simcore.payoffs.
    """
    cards = np.asarray(cards, float)
    played = ~np.isnan(cards)
    players = played.sum(axis=1)
    left = np.where(played, cards, 0).astype(int)
    tier = np.ones(53, int)
    for start, times in rules.payoff_tiers:
        tier[start:] = times
    sizes = np.array([hand_sizes(rules, n) if n > 1 else (0, 0) for n in range(53)])
    slam = left.sum(axis=1) == (sizes[players, 1] + sizes[players, 0] * (players - 2))
    times, points = rules.payoff_grand_slam
    due = left * tier[left] * np.where(slam, times, 1)[:, None]
    due += np.where(slam, points, 0)[:, None] * (left > 0)
    total = due.sum(axis=1, keepdims=True)
    if rules.payoff_settlement == "pairwise":
        paid = total - players[:, None] * due
    else:
        paid = np.where(left == 0, total, -due)
    return np.where(played, paid.astype(float), np.nan)


def unknown(rules: RuleSet) -> list[str]:
    """What cards left do not tell of a payoff, each with its effect."""
    found = []
    for name, (times, points) in rules.payoff_items.items():
        if name in UNKNOWN and (times, points) != NO_ITEM:
            effect = [f"× {times}"] * (times != 1) + [f"{points:+}"] * (points != 0)
            found.append(f"{UNKNOWN[name]} ({', '.join(effect)})")
    if rules.payoff_card_values:
        found.append("the ranks of cards left (each counts 1 here)")
    return found


def cards_from_points(rules: RuleSet, payoffs: Any) -> Any:
    """Cards left of payoffs float64[hands, players] at stake 1; None where points do not tell.

    Only where nothing but cards left counts in the payoff, and every hand is what `settle` makes of
    some cards left.
    """
    if rules.payoff_card_values or any(i != NO_ITEM for i in rules.payoff_items.values()):
        return None
    tiers = np.ones(53, int)
    for start, times in rules.payoff_tiers:
        tiers[start:] = times
    due = (np.arange(53) * tiers).tolist()
    if len(set(due)) < len(due):
        return None
    payoffs = np.asarray(payoffs, float)
    played = ~np.isnan(payoffs)
    best = np.nanmax(payoffs, axis=1, keepdims=True)
    if rules.payoff_settlement == "pairwise":
        owed = (best - payoffs) / played.sum(axis=1, keepdims=True)
    else:
        owed = np.where(payoffs == best, 0, -payoffs)
    of = {float(x): k for k, x in enumerate(due)}
    cards = np.array([[of.get(float(x), np.nan) for x in row] for row in owed])
    if (np.isnan(cards) & played).any():
        return None
    largest = np.array([hand_sizes(rules, n)[1] for n in played.sum(axis=1)])
    if (np.nanmax(cards, axis=1) > largest).any():
        return None
    again = settle(rules, cards)
    return cards if np.array_equal(again, payoffs, equal_nan=True) else None
