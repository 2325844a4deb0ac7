"""What every decision of real hands cost, and how much of the results was luck."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyses.contrasts import mean_with_interval
from analyses.intervals import LEVEL
from analyses.sheet import letters
from simcore.errors import InputError
from simcore.statistics import t_quantile

if TYPE_CHECKING:
    from simcore.game.ruleset import RuleSet
    from simcore.records import Record
    from simcore.reviewing import Reviewed

FALSE_DISCOVERIES = 0.05  # of the turns called costly, at most so large a share, on average
LEAST_HANDS = 10  # for luck to be taken off: its weight is estimated from other hands


@dataclass(frozen=True)
class Review:
    """What a review found. Costs and payoffs are in points, stake included.

    decisions: one row for each turn with a choice: record, line, id, turn (from 1), player, seat,
    cards (played), best, cost (of the play against the best) with cost_low, cost_high, p, costly
    (certainly: Benjamini and Hochberg, JRSS B 1995, so that on average at most FALSE_DISCOVERIES
    of those are not), plays (legal ones), samples, exact.
    players: player, hands, decisions, lost (points a hand) with lost_low, lost_high, payoff with
    its interval, luck (payoff that the cards explain), adjusted (payoff less luck) with its
    interval, precision (variance of payoff over that of adjusted). NaN: not known.
    differences: first, second, hands (both played), payoff and adjusted differences with intervals.
    blunders: player, blunder, decisions, possible, made, per_hundred; see simcore.blunders.
    records: as read, with `values` for the page of a hand. notes: what could not be reviewed.
    """

    policy: str
    rules: str
    decisions: pd.DataFrame
    players: pd.DataFrame
    differences: pd.DataFrame
    blunders: pd.DataFrame
    records: "list[Record]"
    notes: list[str]

    def frames(self) -> dict[str, pd.DataFrame]:
        """The frames by name."""
        names = ("players", "differences", "blunders", "decisions")
        return {name: getattr(self, name) for name in names}


def review(
    source: "str | Path | Iterable[Record]",
    rules: "str | RuleSet | None" = None,
    strategy: str = "linear",
    *,
    half_width: float = 0.3,
    samples: int = 20_000,
    seed: int = 0,
    anonymous: bool = False,
    threads: int | None = None,
    level: float = LEVEL,
    progress: Callable[[int, int], object] | None = None,
) -> Review:
    """Review hands of play: a file of records (see simcore.records), or such records.

    rules: by which they are judged; default: what each record says. strategy: who plays on for all
    seats after each play that is tried, so what a play is worth depends on it. The others' cards
    are drawn as the player could know them, never taken from the record. half_width: how well the
    difference of the best two is known, samples: at most so many of the hidden cards a decision.
    anonymous: letters for names. progress: called with decisions done and all of them.

    A cost is estimated from samples that had no part in choosing the best play, so that it is
    unbiased, and may be negative where plays are as good as equal. A player's points lost a hand
    are a mean over hands, with Student's t. Luck: what the seat gets where `strategy`, with some
    noise, plays the same dealt cards at all seats; its mean is 0 in a fair deal, and its weight for
    each hand comes from other hands (a cross-fitted control variate), so that the adjusted payoff
    stays unbiased. Raises InputError for wrong records.
    """
    from simcore.records import read
    from simcore.reviewing import Reviewer

    found = list(read(source)) if isinstance(source, str | Path) else list(source)
    if not found:
        raise InputError("there is no record to review; a file has one hand a line")
    if anonymous:
        found = without_names(found)
    reviewer = Reviewer(rules, strategy, half_width, samples, seed, threads)
    hands = [reviewer.hand(i, record) for i, record in enumerate(found)]
    total, done = sum(len(hand.turns) for hand in hands), 0
    for hand in hands:
        for place in range(len(hand.turns)):
            reviewer.judge(hand, place)
            done += 1
            if progress:
                progress(done, total)
    decisions = decision_frame(hands, level)
    return Review(
        strategy,
        ", ".join(dict.fromkeys(hand.rules.name for hand in hands)),
        decisions,
        player_frame(hands, decisions, level),
        difference_frame(hands, level),
        blunder_frame(hands),
        [hand.with_values() for hand in hands],
        _notes(hands),
    )


def without_names(found: "Sequence[Record]") -> "list[Record]":
    """The records with letters for names, in the order of appearance, without ids and times."""
    known: dict[str, str] = {}

    def letter(name: str) -> str:
        return known.setdefault(name, letters(len(known)))

    return [
        replace(
            record,
            names=record.names and tuple(n if n is None else letter(n) for n in record.names),
            id=None,
            time=None,
            notes=None,
        )
        for record in found
    ]


def decision_frame(hands: "Sequence[Reviewed]", level: float = LEVEL) -> pd.DataFrame:
    """The rows of Review.decisions."""
    from scipy import stats

    rows = []
    for hand in hands:
        for turn in hand.turns:
            n = max(2, turn.judged)
            error = (turn.high - turn.low) / 2 / t_quantile(LEVEL, n - 1)
            half = t_quantile(level, n - 1) * error
            if error > 0:
                p = float(stats.t.sf(turn.cost / error, n - 1))
            else:
                p = 0.0 if turn.cost > 0 else 1.0
            rows.append(
                {
                    "record": hand.number + 1,
                    "line": hand.record.line,
                    "id": hand.record.id,
                    "turn": turn.turn + 1,
                    "player": hand.names[turn.seat],
                    "seat": turn.seat,
                    "cards": turn.cards,
                    "best": turn.best,
                    "cost": turn.cost,
                    "cost_low": turn.cost - half,
                    "cost_high": turn.cost + half,
                    "p": p,
                    "plays": turn.plays,
                    "samples": turn.samples,
                    "exact": turn.exact,
                }
            )
    columns = [
        *("record", "line", "id", "turn", "player", "seat", "cards", "best"),
        *("cost", "cost_low", "cost_high", "p", "plays", "samples", "exact"),
    ]
    frame = pd.DataFrame(rows, columns=columns)
    adjusted = stats.false_discovery_control(frame["p"], method="bh") if len(frame) else []
    frame.insert(12, "costly", np.asarray(adjusted) <= FALSE_DISCOVERIES)
    return frame


def player_frame(
    hands: "Sequence[Reviewed]", decisions: pd.DataFrame, level: float = LEVEL
) -> pd.DataFrame:
    """The rows of Review.players, who lost least first."""
    adjusted = _adjusted(hands)
    lost = decisions.groupby(["record", "player"])["cost"].sum()
    rows = []
    for name in dict.fromkeys(n for hand in hands for n in hand.names):
        at = [h for h in hands for seat in h.reviewed if h.names[seat] == name]
        mine = [float(lost.get((h.number + 1, name), 0.0)) for h in at]
        results = np.array([row[1:] for row in adjusted if row[0] == name]).reshape(-1, 2)
        row: dict[str, Any] = {
            "player": name,
            "hands": len(mine),
            "decisions": int((decisions["player"] == name).sum()),
            **_figure("lost", np.array(mine), level),
            **_figure("payoff", results[:, 0], level),
            "luck": float(results[:, 0].mean() - results[:, 1].mean()) if len(results) else np.nan,
            **_figure("adjusted", results[:, 1], level),
        }
        variances: Any = results.var(axis=0, ddof=1) if len(results) > 1 else np.full(2, np.nan)
        row["precision"] = float(variances[0] / variances[1]) if variances[1] > 0 else np.nan
        rows.append(row)
    return pd.DataFrame(rows).sort_values("lost", ignore_index=True)


def difference_frame(hands: "Sequence[Reviewed]", level: float = LEVEL) -> pd.DataFrame:
    """The rows of Review.differences: mean over the hands that both played, paired."""
    adjusted = _adjusted(hands)
    at: dict[tuple[str, int], tuple[float, float]] = {}
    places = [h.number for h in hands if h.luck is not None for _ in h.names]
    for (name, payoff, less), number in zip(adjusted, places, strict=True):
        at[name, number] = payoff, less
    names = list(dict.fromkeys(row[0] for row in adjusted))
    rows = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            both = [n for (who, n) in at if who == first and (second, n) in at]
            off = np.array([np.subtract(at[first, n], at[second, n]) for n in both]).reshape(-1, 2)
            if len(off):
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "hands": len(off),
                        **_figure("payoff", off[:, 0], level),
                        **_figure("adjusted", off[:, 1], level),
                    }
                )
    columns = ["first", "second", "hands"]
    columns += [n + end for n in ("payoff", "adjusted") for end in ("", "_low", "_high")]
    return pd.DataFrame(rows, columns=columns)


def blunder_frame(hands: "Sequence[Reviewed]") -> pd.DataFrame:
    """The rows of Review.blunders."""
    from simcore.blunders import BLUNDERS

    rows = []
    for name in dict.fromkeys(n for hand in hands for n in hand.names):
        turns = [t for hand in hands for t in hand.turns if hand.names[t.seat] == name]
        for blunder in BLUNDERS:
            made = sum(blunder in t.blunders.made for t in turns)
            rows.append(
                {
                    "player": name,
                    "blunder": blunder,
                    "decisions": len(turns),
                    "possible": sum(blunder in t.blunders.possible for t in turns),
                    "made": made,
                    "per_hundred": 100 * made / len(turns) if turns else np.nan,
                }
            )
    return pd.DataFrame(rows)


def costliest(decisions: pd.DataFrame, number: int) -> pd.DataFrame:
    """The turns that certainly cost most, worst first."""
    found = decisions[decisions["costly"]].sort_values("cost", ascending=False).head(number)
    shown = ["record", "turn", "player", "cards", "best", "cost", "cost_low", "cost_high"]
    return found[shown].reset_index(drop=True)


def _adjusted(hands: "Sequence[Reviewed]") -> list[tuple[str, float, float]]:
    """(player, payoff, payoff less luck) of every seat of the hands whose cards are all known.

    Even hands take the weight of odd ones, and the other way round. NaN below LEAST_HANDS hands.
    """
    known = [h for h in hands if h.luck is not None and h.payoffs is not None]
    sums = np.zeros((2, 2))  # of payoff × control and control², over even and odd hands
    for i, hand in enumerate(known):
        c = np.array(hand.luck)
        sums[i % 2] += (c @ np.array(hand.payoffs), c @ c)
    rows: list[tuple[str, float, float]] = []
    for i, hand in enumerate(known):
        product, square = sums[1 - i % 2]
        enough = len(known) >= LEAST_HANDS and square > 0
        weight = float(product / square) if enough else math.nan
        both = zip(hand.names, hand.payoffs or (), hand.luck or (), strict=True)
        rows += [(name, payoff, payoff - weight * luck) for name, payoff, luck in both]
    return rows


def _figure(name: str, values: Any, level: float) -> dict[str, float]:
    if not len(values):
        return {name + end: np.nan for end in ("", "_low", "_high")}
    found = mean_with_interval(values, level)
    return {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}


def _notes(hands: "Sequence[Reviewed]") -> list[str]:
    """What could not be looked at."""
    found = []
    for hand in hands:
        if hand.fault:
            found.append(f"{hand.fault} It is reviewed up to there.")
    hidden = sum(len(hand.names) - len(hand.reviewed) for hand in hands)
    if hidden:
        found.append(f"{hidden} hands of players are unknown: their decisions are not reviewed.")
    unknown = sum(hand.luck is None or hand.payoffs is None for hand in hands)
    known = len(hands) - unknown
    if unknown:
        found.append(
            f"{unknown} records without all hands and payoffs, or faulty, tell nothing of luck."
        )
    if known < LEAST_HANDS:
        found.append(f"{known} hands are too few to take luck off; {LEAST_HANDS} are needed.")
    return found
