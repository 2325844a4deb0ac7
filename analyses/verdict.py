"""What a comparison comes to, in words: the best strategy, how sure that is, and cycles."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from analyses.intervals import LEVEL


def verdict(differences: pd.DataFrame, names: Sequence[str], level: float = LEVEL) -> str:
    """Who is better, by how much, how sure, in a sentence: by payoff.

    A second one follows where another strategy has the larger share of wins, significantly.
    differences: a `difference_frame`.
    """
    best, text = _leader(differences, names, "payoff", level)
    winner = _order(differences, names, "win_rate")[0]
    row, sign = _pair(differences, "win_rate", winner, best)
    if winner != best and _clear(row, level):
        by, low, high = (sign * row[key] for key in ("estimate", "low", "high"))
        low, high = sorted((low, high))
        text += (
            f" By wins {winner} is ahead of {best}: {100 * by:.1f} % more of the playouts "
            f"({100 * low:.1f} to {100 * high:.1f} %)."
        )
    return text


def _order(differences: pd.DataFrame, names: Sequence[str], measure: str) -> list[str]:
    """Best first: the sum of one's differences to all others."""
    rows = differences[differences["measure"] == measure]
    totals = {
        name: rows.loc[rows["first"] == name, "estimate"].sum()
        - rows.loc[rows["second"] == name, "estimate"].sum()
        for name in names
    }
    return sorted(names, key=lambda name: -totals[name])


def _pair(
    differences: pd.DataFrame, measure: str, first: str, second: str
) -> tuple[dict[str, Any], int]:
    """The row of two strategies, and whether its signs are to be turned (-1)."""
    rows = differences[differences["measure"] == measure].to_dict("records")
    for row in rows:
        if {row["first"], row["second"]} == {first, second}:
            return {str(k): v for k, v in row.items()}, 1 if row["first"] == first else -1
    return {"p_holm": 1.0}, 1


def _clear(row: dict[str, Any], level: float) -> bool:
    """Whether a difference is certain, by its adjusted p and by the interval beside it."""
    return bool(row["p_holm"] < 1 - level and row["low"] * row["high"] > 0)


def _leader(
    differences: pd.DataFrame, names: Sequence[str], measure: str, level: float
) -> tuple[str, str]:
    """(the best strategy, the sentence about it)."""
    order = _order(differences, names, measure)
    best, runner_up = order[:2]
    row, sign = _pair(differences, measure, best, runner_up)
    deals = row["deals"]
    by = sign * row["estimate"]
    if deals < 2:
        return best, f"One deal cannot tell strategies apart ({best} was ahead by {by:.2f} points)."
    low, high = sorted((sign * row["low"], sign * row["high"]))
    how = f"{by:.2f} points a playout ({low:.2f} to {high:.2f}) on {deals:,} deals"
    unclear = [
        name for name in order[1:] if not _clear(_pair(differences, measure, best, name)[0], level)
    ]
    if len(names) == 2 and unclear:
        return best, f"{best} and {runner_up} cannot be told apart: {best} is ahead by {how}."
    if len(names) == 2:
        return best, f"{best} is better than {runner_up} by {how}."
    if unclear:
        return best, (
            f"{best} leads, but cannot be told apart from {', '.join(unclear)}: ahead of "
            f"{runner_up} by {how}."
        )
    return best, f"{best} is the best of {len(names)}: ahead of {runner_up} by {how}."


def cycles(duels: pd.DataFrame, measure: str = "payoff", level: float = LEVEL) -> list[list[str]]:
    """Cycles such as [A, B, C]: A beats B beats C beats A, each head to head and significant.

    duels: a `duel_frame`. An edge counts when its Holm-adjusted p is below 1 - level, so that a
    false cycle is rarer than that. The shortest ones only, each begun at its first name.
    """
    beats: dict[str, list[str]] = {}
    order = list(dict.fromkeys([*duels["first"], *duels["second"]]))
    for row in duels[duels["measure"] == measure].to_dict("records"):
        if row["p_holm"] < 1 - level:
            up = row["estimate"] > 0
            winner, loser = (row["first"], row["second"])[:: 1 if up else -1]
            beats.setdefault(winner, []).append(loser)

    def paths(start: str, length: int) -> list[list[str]]:
        found = [[start]]
        for _ in range(length - 1):
            found = [
                [*path, name]
                for path in found
                for name in beats.get(path[-1], [])
                if name not in path and order.index(name) > order.index(start)
            ]
        return [path for path in found if start in beats.get(path[-1], [])]

    for length in range(3, len(order) + 1):
        found = [path for start in order for path in paths(start, length)]
        if found:
            return found
    return []
