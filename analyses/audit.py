"""Whether dealt hands can come from a fair deal: all tests together, and a verdict."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analyses.shuffle.dealt import Deals, read_deals
from simcore.errors import InputError

if TYPE_CHECKING:  # scipy's distributions take half a second, for which only an audit waits
    from analyses.shuffle.finding import Finding

ALPHA = 0.01
COLUMNS = (
    "test", "measure", "statistic", "expected", "p", "p_adjusted", "found", "could_have_found",
)  # fmt: skip


@dataclass(frozen=True)
class Audit:
    """What `audit` found.

    tests: one row per test with columns test, measure (what is counted), statistic, expected, p,
    p_adjusted (Holm), found (p_adjusted is at most alpha), could_have_found (the smallest deviation
    that this sample shows with 80 %, in words).
    """

    verdict: str
    fair: bool  # nothing was found
    tests: pd.DataFrame
    deals: int
    players: int
    cards: int  # in a hand
    alpha: float
    notes: tuple[str, ...]


def audit(file: str | Path | Deals, alpha: float = ALPHA) -> Audit:
    """Test whether dealt hands can come from a fair deal.

    file: records of play or CSV (`analyses.shuffle.dealt` says how), or deals already read. Of the
    tests that it allows, Holm's procedure (1979) keeps the chance that a fair deal is found unfair
    at `alpha` or less, whatever their dependence. What could have been found is what a test alone
    shows with 80 % at Bonferroni's level. p-values are exact or from chi-square, normal and Pearson
    III curves with exact means; spreads of straights and of hands that stay together come from
    40,000 fair deals of a fixed seed. Raises InputError for a file that cannot be used.
    """
    if not 0 < alpha < 0.5:
        raise InputError(f"alpha {alpha:g} is out of bounds: above 0, below 0.5")
    deals = file if isinstance(file, Deals) else read_deals(file)
    found = findings(deals)
    level = alpha / len(found)
    adjusted = holm([finding.p for finding in found])
    rows = [
        (f.test, f.measure, f.statistic, f.expected, f.p, p, p <= alpha, f.could_find(level))
        for f, p in zip(found, adjusted, strict=True)
    ]
    tests = pd.DataFrame(rows, columns=list(COLUMNS))
    return Audit(
        _verdict(tests, len(deals.hands), alpha),
        not tests["found"].any(),
        tests,
        len(deals.hands),
        deals.layout.players,
        deals.layout.each,
        alpha,
        _notes(deals, alpha, "cards by place in the hand" in set(tests["test"])),
    )


def findings(deals: Deals) -> "list[Finding]":
    """All tests that these deals allow; those of an order only where hands are not sorted."""
    from analyses.shuffle import fair, hands, repetition

    place = fair.seats(deals.hands, deals.layout.deck)
    found = [
        *hands.cards_by_seat(deals, place), *hands.cards_together(deals, place),
        *hands.suits(deals), *hands.ranks(deals), *hands.bombs(deals), *hands.straights(deals),
        *hands.twos(deals), *repetition.from_seat_to_seat(deals, place),
        *repetition.recurring(deals),
    ]  # fmt: skip
    if deals.pile is not None:
        found += repetition.last_tricks(deals, place)
    if not repetition.is_sorted(deals.hands):
        found += repetition.order(deals)
    return found


def holm(p: list[float]) -> list[float]:
    """Adjusted p-values (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    order = np.argsort(p, kind="stable")
    scaled = np.sort(p) * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(scaled))
    return [float(value) for value in adjusted]


def _verdict(tests: pd.DataFrame, deals: int, alpha: float) -> str:
    caught = tests[tests["found"]].sort_values("p_adjusted", kind="stable")
    if caught.empty:
        return (
            f"Nothing in {deals:,} deals speaks against a fair deal: none of {len(tests)} tests "
            f"finds anything at a level of {100 * alpha:g} % for all together."
        )
    names = ", ".join(caught["test"].head(3))
    more = f" and {len(caught) - 3} more" if len(caught) > 3 else ""
    return (
        f"These {deals:,} deals are not from a fair deal: {len(caught)} of {len(tests)} tests say "
        f"so, where a fair deal makes any say so in at most {100 * alpha:g} of 100 files: "
        f"{names}{more}."
    )


def _notes(deals: Deals, alpha: float, ordered: bool) -> tuple[str, ...]:
    layout = deals.layout
    order = (
        "The order within hands is taken as the one in which cards were dealt."
        if ordered
        else "Cards are sorted within hands: their order says nothing, and is not tested."
    )
    out = (
        "" if layout.whole else f", {layout.cards - layout.dealt} of {layout.cards} cards stay out"
    )
    played = (
        ""
        if deals.pile is not None
        else ("No turns are given, so cards of the last tricks cannot be followed.")
    )
    return tuple(
        note
        for note in (
            f"{layout.players} hands of {layout.each} cards{out}; deals are taken as following one "
            "another in the order of the file.",
            *deals.notes,
            order,
            played,
            f"p adjusted: Holm's, so that a fair deal is suspected in at most {100 * alpha:g} % of "
            "files. Could have found: with 80 %.",
        )
        if note
    )
