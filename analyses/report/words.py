"""The sentences of a report, and its figures in them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import analyses
from analyses.report.content import RunReport
from simcore.game.ruleset import KEYS, RuleSet

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


SEATINGS = {
    "balanced": "each deal is played in as many seatings as there are players, in all turns of one "
    "order that is drawn for it, so that every strategy sits in every seat equally often",
    "rotations": "each deal is played in all turns of the lineup: every strategy sits in every "
    "seat equally often, always with the same neighbours",
    "all": "each deal is played in every order of the lineup",
    "fixed": "each deal is played once, with the lineup as it was given",
}


def glossary(runs: Sequence[RunReport], about: Mapping[str, str]) -> list[tuple[str, str]]:
    """The words of a report with what they mean; about: a sentence on each strategy."""
    plans = dict.fromkeys(run.who["seatings"] for run in runs)
    names = dict.fromkeys(name for run in runs for name in run.names)
    return [
        ("deal", "The cards that every seat begins with."),
        ("playout", "One deal played to its end, with every strategy at a seat."),
        *((f"{plan} seatings", f"{SEATINGS[plan].capitalize()}.") for plan in plans),
        ("payoff", "Points won or lost in a playout; those of a table add up to 0."),
        ("win rate", "Share of its playouts in which a strategy was the first to get rid of its "
         "cards."),
        ("± and brackets", "The interval in which the true figure lies, 19 times in 20."),
        ("starter, next, 2 on", "The seat that leads the first trick, the one whose turn follows, "
         "and so on."),
        ("upstream, downstream", "The seat whose turn is just before, or just after."),
        ("q0.05, q0.5, …", "Quantiles: one value in twenty lies below q0.05, half lie below q0.5."),
        ("ruin", "A bankroll is lost within the session, whatever would have come afterwards."),
        *((name, about.get(name, "Not one of the laboratory's own strategies.")) for name in names),
    ]  # fmt: skip


def rule_sentences(rules: RuleSet) -> list[str]:
    """What a rule set says, but what it leaves as it usually is."""
    found = [f"**{rules.title}.**"]
    values = rules.in_words()
    for key in KEYS.values():
        plain = key.form.plain(getattr(rules, key.field))
        if key.name in ("name", "title") or plain == key.neutral:
            continue
        says = key.words if plain is True else f"{key.words.rstrip('.')}: {values[key.name]}."
        found.append(says.replace("_", " "))
    return found


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
