"""What a score sheet says, in sentences."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analyses.sheet.figures import LEAST_HANDS
from analyses.sheet.read import Table
from analyses.sheet.settlement import unknown
from analyses.sheet.tables import ALPHA
from simcore.game.ruleset import RuleSet


def sentences(found: Mapping[str, pd.DataFrame], level: float) -> list[str]:
    """The answers, the most important first; found: the frames of a `Sheet` by name."""
    sure = f"{100 * level:g} %"
    lines = [_lead(found, sure), *_opponents(found["ratings"]), _luck(found["luck"])]
    if len(found["strategies"]):
        lines.append(_nearest(found["strategies"]))
    table = found["standings"]
    few = table.loc[table["hands"] < LEAST_HANDS, "player"].tolist()
    if few:
        lines.append(
            f"Fewer than {LEAST_HANDS} hands were played by {listed(few)}: too little for an "
            "interval or a rank."
        )
    return [line for line in lines if line]


def _lead(found: Mapping[str, pd.DataFrame], sure: str) -> str:
    table = found["standings"]
    if not len(found["first_two"]):
        best = table.iloc[0]
        return (
            f"Nobody can be called ahead yet: {best['player']} has most points a hand, "
            f"{best['payoff']:+.2f} in {counted(int(best['hands']), 'hand')}, but it takes two "
            f"players with {LEAST_HANDS} hands each, and results that differ."
        )
    two = found["first_two"].iloc[0]
    best = table[table["player"] == two["first"]].iloc[0]
    text = (
        f"{two['first']} leads with {_span(best, 'payoff')} points a hand in "
        f"{counted(int(best['hands']), 'hand')}"
    )
    ahead = f"{_span(two, 'difference')} ahead of {two['second']}"
    if two["told_apart"]:
        return f"{text}, and is {ahead}: the two are told apart ({sure})."
    if math.isinf(two["more_hands"]):
        return f"{text}, level with {two['second']}."
    least = f"; at the least {rounded(two['at_least'])}" if two["at_least"] > 1 else ""
    more = rounded(two["more_hands"])
    return (
        f"{text}, but is not told apart from {two['second']}: the difference is "
        f"{_span(two, 'difference')}, and if it stays as it is, that takes about {more} more "
        f"hand{'s' * (more != '1')} ({sure}{least})."
    )


def _opponents(table: pd.DataFrame) -> list[str]:
    rated = table[(table["group"] == 1) & table["adjusted_low"].notna()]
    lines = []
    if len(rated) > 1:
        best = rated.iloc[0]
        lines.append(
            f"Allowing for who sat at the table, {best['player']} comes first: "
            f"{_span(best, 'adjusted')} points a hand against average opponents."
        )
    if table["group"].max() > 1:
        groups = [listed(g["player"].tolist()) for _, g in table.groupby("group")]
        lines.append(
            f"There are {len(groups)} groups who never met, so their ratings do not compare: "
            f"{'; '.join(groups)}."
        )
    return lines


def _luck(table: pd.DataFrame) -> str:
    if not len(table):
        return f"It takes {LEAST_HANDS} hands with different results to tell luck from skill."
    row = table.iloc[0]
    share = f"{row['share']:.1%} ({row['share_low']:.1%} to {row['share_high']:.1%})"
    share = share.replace("%", " %")
    start = "Skill does not show for certain" if row["share_low"] == 0 else "Skill shows"
    return (
        f"{start}: {share} of the variance of one hand's points lies between players; the rest is "
        "cards, seats and chance."
    )


def _nearest(table: pd.DataFrame) -> str:
    best = table.iloc[0]
    p = f"p < {ALPHA / 50:g}" if best["p_value"] < ALPHA / 50 else f"p = {best['p_value']:.2g}"
    text = f"Cards left are nearest to those of a table where everybody plays {best['strategy']}"
    others = table.loc[table["fits"], "strategy"].tolist()
    if best["fits"]:
        others.remove(best["strategy"])
        also = f"; {listed(others)} would fit too" if others else "; no other fits"
        return f"{text}, which fits ({p}){also}."
    also = f"; {listed(others)} would" if others else ", and no other does"
    return f"{text}, but even that does not fit ({p}){also}."


def notes(rules: RuleSet, table: Table, cards: Any | None, anonymous: bool) -> list[str]:
    """What the figures cannot know."""
    found = []
    if table.kind == "cards" and unknown(rules):
        found.append(
            f"Settled by cards left alone, which do not tell {listed(unknown(rules))}: where "
            f"{rules.name} counts them, more was paid than is shown."
        )
    if table.kind == "points" and cards is None:
        found.append(
            f"These points do not tell cards left under {rules.name} (other items count, or a "
            "stake), so those are not compared."
        )
    if table.idle and not anonymous:
        found.append(f"Without a hand, so left out: {listed(table.idle)}.")
    sizes = np.unique((~np.isnan(table.values)).sum(axis=1), return_counts=True)
    if len(sizes[0]) > 1:
        parts = [f"{counted(int(k), 'hand')} with {n} players" for n, k in zip(*sizes, strict=True)]
        found.append(f"Tables of different size: {listed(parts)}.")
    return found


def listed(words: list[str]) -> str:
    """a, b and c"""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def counted(number: int, what: str) -> str:
    """3 hands, 1 hand"""
    return f"{number:,} {what}{'s' * (number != 1)}"


def rounded(number: float) -> str:
    """Two digits that count."""
    digits = max(0, math.floor(math.log10(number)) - 1)
    return f"{round(number / 10**digits) * 10**digits:,}"


def _span(row: Any, name: str) -> str:
    """+1.25 (0.50 to 2.00); the figure alone where there is no interval."""
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    return f"{value:+.2f}" + (f" ({low:.2f} to {high:.2f})" if low == low else "")


def about(hands: pd.DataFrame, rules: str, kind: str) -> str:
    """What was read: 40 hands of maceplay by 5 players, cards left, 2 dates from … to …"""
    n, players = int(hands["hand"].max()), hands["player"].nunique()
    what = "cards left" if kind == "cards" else "points"
    dates = list(dict.fromkeys(date for date in hands["date"] if date))
    when = f", {len(dates)} dates from {dates[0]} to {dates[-1]}" if len(dates) > 1 else ""
    return f"{counted(n, 'hand')} of {rules} by {players} players, {what}{when}"
