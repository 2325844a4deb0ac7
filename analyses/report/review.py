"""What the page on a review shows: sentences, plots and tables."""

import platform
from importlib.metadata import version

import pandas as pd

from analyses.cells import columns
from analyses.report.content import Chapter, Section, Table, facts_table
from analyses.report.page import Report
from analyses.report.sheet import players_plot
from analyses.review import FALSE_DISCOVERIES, LEAST_HANDS, Review, costliest

SHOWN = 25  # costliest turns
METHODS = (
    (
        "What a play is worth",
        "Every legal play is tried on the same arrangements of the hidden cards, drawn as the "
        "player could know them, with the same random numbers, and a strategy plays on at "
        "all seats. So values are those under that strategy. Plays that are certainly worse are "
        "dropped (racing: Maron and Moore, 1997), and the cost of the play made is estimated "
        "again, from samples that had no part in finding the best.",
    ),
    (
        "Costly turns",
        f"Benjamini and Hochberg (JRSS B, 1995): of the turns listed, on average at most "
        f"{100 * FALSE_DISCOVERIES:g} % cost nothing.",
    ),
    (
        "Points lost",
        "The sum of the costs of a player's turns in a hand, its mean over hands with Student's t.",
    ),
    (
        "Luck",
        "What the same dealt cards bring each seat where the strategy plays at all of them: a "
        "control variate, weighed by other hands than the one it corrects (cross-fitting), so "
        f"that the adjusted payoff stays unbiased. Below {LEAST_HANDS} hands there is none.",
    ),
)


def _hands(review: Review, turns: pd.DataFrame) -> list[tuple[str, str]]:
    """A page of each hand with one of the turns, the costliest first."""
    from simcore.records import page

    if turns.empty:
        return []
    numbers = turns["record"].drop_duplicates().tolist()
    return [(f"Hand {n}", page(review.records[n - 1])) for n in numbers]


def make_report(review: Review, file: str) -> Report:
    """The page on a review; file: where the records were read."""
    from simcore.blunders import BLUNDERS

    n = len(review.records)
    worst = costliest(review.decisions, SHOWN)
    best = review.players.iloc[0]
    summary = [
        f"**{best['player']} lost least: {best['lost']:.2f} points a hand**, against best plays.",
        f"{int(review.decisions['costly'].sum())} of {len(review.decisions)} decisions certainly "
        "cost something.",
        *review.notes,
    ]
    players = review.players
    sections = [
        Section(
            "What players lose",
            [],
            [
                players_plot(
                    players, "lost", "Points lost a hand", "points lost a hand",
                    "Against the best plays, with 95 % intervals.",
                ),
            ],
            [Table("Players", columns(players))],
        ),
        Section(
            "Costliest turns", [], [], [Table("Turns", columns(worst))] if len(worst) else [],
            _hands(review, worst),
        ),
        Section(
            "Blunders",
            [f"**{name.replace('_', ' ')}**: {text}." for name, text in BLUNDERS.items()],
            [],
            [Table("Blunders", columns(review.blunders))],
        ),
    ]  # fmt: skip
    if len(review.differences):
        both = Table("Differences", columns(review.differences))
        sections.insert(1, Section("Who is ahead of whom", [], [], [both]))
    facts = {
        "records": file,
        "rules": review.rules,
        "plays on": review.policy,
        "hands": f"{n:,}",
        "software": f"bigtwo-lab {version('bigtwo-lab')}, Python {platform.python_version()}",
    }
    provenance = facts_table("Review", facts)
    chapter = Chapter(file, review.rules, summary, sections)
    return Report(
        f"Review: {n:,} hands of {review.rules}", None, [chapter], provenance, [], METHODS, "hands"
    )
