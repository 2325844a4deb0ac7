"""Score sheets of clubs: who is ahead, how sure that is, and how the club plays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL
from analyses.sheet import figures
from analyses.sheet.read import Table, read_table
from analyses.sheet.settlement import cards_from_points, settle
from analyses.sheet.tables import DEALS, STRATEGIES, cards_left, nearest
from analyses.sheet.words import notes, sentences
from simcore.errors import InputError
from simcore.game.ruleset import RuleSet, load_rules

MAX_DEALS = 1_000_000


@dataclass(frozen=True)
class Sheet:
    """What a score sheet says; frames as the functions of their names give them.

    hands: one row per hand and player who played it: hand (from 1), line (of the file), date,
    player, players (at the table), cards_left (NaN where points do not tell), payoff, won.
    cards_left and strategies are empty where cards left are not known or nothing was simulated.
    sentences: the answers, the most important first; notes: what the figures cannot know.
    """

    rules: RuleSet
    kind: str  # "cards" or "points"
    hands: pd.DataFrame
    standings: pd.DataFrame
    first_two: pd.DataFrame
    ratings: pd.DataFrame
    luck: pd.DataFrame
    cards_left: pd.DataFrame
    strategies: pd.DataFrame
    sentences: list[str]
    notes: list[str]


def sheet(
    file: str | Path,
    rules: str | RuleSet,
    values: str = "auto",
    anonymous: bool = False,
    strategies: str | Sequence[str] = STRATEGIES,
    deals: int = DEALS,
    seed: int = 0,
    level: float = LEVEL,
    progress: Callable[[str], None] = lambda text: None,
) -> Sheet:
    """Read a club's score sheet and say what follows from it.

    file: CSV with one column a player and one row a hand (`analyses.sheet.read`); values: "cards"
    (left, the winner's 0), "points" or "auto"; cards are settled by the rules. anonymous: letters
    for names, by order of appearance. strategies: whose tables the cards left are compared with,
    `deals` simulated of each (0: none) under `seed`, which draws the bootstraps too. progress: told
    what is being worked on. Raises InputError with line and column for what cannot be, and for
    strategies as `simcore.simulate` does.
    """
    rules = load_rules(rules)
    if not 0 <= deals <= MAX_DEALS:
        raise InputError(f"{deals} deals are out of bounds: 0 to {MAX_DEALS:,}")
    if not 0 <= seed < 2**64:
        raise InputError(f"seed {seed} is out of bounds: 0 to {2**64 - 1}")
    names = strategies.split(",") if isinstance(strategies, str) else list(strategies)
    table = read_table(file, rules, values)
    if table.kind == "cards":
        cards, payoff = table.values, settle(rules, table.values)
    else:
        cards, payoff = cards_from_points(rules, table.values), table.values
    won = payoff == np.nanmax(payoff, axis=1, keepdims=True)
    players = [letters(i) for i in range(len(table.players))] if anonymous else table.players
    progress("ratings")
    found: dict[str, Any] = {
        "standings": figures.standings(players, payoff, won, cards, level),
        "first_two": figures.first_two(players, payoff, level),
        "ratings": figures.ratings(players, payoff, won, level, seed=seed),
        "luck": figures.luck(payoff, level),
        "cards_left": pd.DataFrame(),
        "strategies": pd.DataFrame(),
    }
    if cards is not None:
        names = list(dict.fromkeys(names)) if deals else []
        found["strategies"], tables = nearest(cards, rules, names, deals, seed, progress=progress)
        found["cards_left"] = cards_left(cards, tables, level)
    return Sheet(
        rules, table.kind, _hands(table, players, cards, payoff, won), **found,
        sentences=sentences(found, level), notes=notes(rules, table, cards, anonymous),
    )  # fmt: skip


def letters(index: int) -> str:
    """A, B, …, Z, AA, AB, …"""
    found = ""
    while index >= 0:
        found = ascii_uppercase[index % 26] + found
        index = index // 26 - 1
    return found


def _hands(
    table: Table, players: list[str], cards: Any | None, payoff: Any, won: Any
) -> pd.DataFrame:
    """The tidy frame `Sheet.hands`."""
    hand, place = np.nonzero(~np.isnan(payoff))
    left = np.full(payoff.shape, np.nan) if cards is None else cards
    return pd.DataFrame(
        {
            "hand": hand + 1,
            "line": np.array(table.lines)[hand],
            "date": [table.dates[h] for h in hand],
            "player": [players[i] for i in place],
            "players": (~np.isnan(payoff)).sum(axis=1)[hand],
            "cards_left": left[hand, place],
            "payoff": payoff[hand, place],
            "won": won[hand, place],
        }
    )
