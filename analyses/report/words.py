"""The sentences of a report, and its figures in them."""

import math
from collections.abc import Mapping
from typing import Any

import analyses
from analyses.report.content import RunReport

FEW_DEALS = 100
Row = Mapping[Any, Any]  # of a tidy frame


def points(row: Row, name: str, low: str = "", high: str = "") -> str:
    """10.95 points (10.83 to 11.07)."""
    a, b = row[low or f"{name}_low"], row[high or f"{name}_high"]
    if a != a:
        return f"{row[name]:.2f} points"
    digits = min(4, max(0, 1 - math.floor(math.log10((b - a) / 2)))) if b > a else 2
    return f"{row[name]:,.{digits}f} points ({a:,.{digits}f} to {b:,.{digits}f})"


def percent(row: Row, name: str, low: str = "", high: str = "") -> str:
    """52.4 % (52.1 to 52.6 %)."""
    a, b = row[low or f"{name}_low"], row[high or f"{name}_high"]
    if a != a:
        return f"{row[name]:.1%}".replace("%", " %")
    digits = min(4, max(0, 1 - math.floor(math.log10((b - a) * 50)))) if b > a else 1
    x, a, b = 100 * row[name], 100 * a, 100 * b
    return f"{x:.{digits}f} % ({a:.{digits}f} to {b:.{digits}f} %)"


def listed(words: list[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def first_sentences(run: RunReport) -> list[str]:
    """How much was played, and which strategy is best, how sure."""
    s, who = run.summary, run.who
    deals = "1 deal" if s.n_deals == 1 else f"{s.n_deals:,} deals"
    if s.session_hands > 1:
        deals += f" in sessions of {s.session_hands}"
    found = [
        f"**{deals}**, {s.playouts:,} playouts of {who['rules']['name']} with "
        f"{s.players} players, {who['seatings']} seatings, seed {who['seed']}."
    ]
    if s.n_drawn < FEW_DEALS:
        one = "session" if s.session_hands > 1 else "deal"
        few = f"One {one} has no interval" if s.n_drawn == 1 else "The intervals are rough"
        found.append(f"{few}: play {FEW_DEALS} {one}s or more before you conclude anything.")
    if len(run.names) == 1:
        found.append(
            f"**{run.names[0]}** sits in every seat, so its mean payoff is 0 and it wins one "
            f"playout in {s.players}; what differs is the seat and the cards."
        )
        return found
    table = run.strategies.sort_values("payoff", ascending=False).to_dict("records")
    best = table[0]
    found.append(
        f"**{best['strategy']}** earns most: {points(best, 'payoff')} a playout, and wins "
        f"{percent(best, 'win_rate')} of its playouts."
    )
    most_wins = max(table, key=lambda row: row["win_rate"])
    if most_wins["strategy"] != best["strategy"]:
        found.append(
            f"**{most_wins['strategy']}** wins most often: {percent(most_wins, 'win_rate')}."
        )
    pairs = analyses.differences(s)
    pairs = pairs[(pairs["row"] == best["strategy"])].sort_values("payoff")
    rival = pairs.to_dict("records")[0]
    if rival["low"] > 0:
        found.append(
            f"On the same deals it earns **{points(rival, 'payoff', 'low', 'high')} more** "
            f"than {rival['column']}, the next best."
        )
    elif rival["low"] <= 0:
        found.append(
            f"Whether it is better than {rival['column']} is **not settled**: the difference "
            f"is {points(rival, 'payoff', 'low', 'high')}."
        )
    return found
