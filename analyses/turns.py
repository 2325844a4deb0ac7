"""What strategies do at their turns: from a run that was played with turns."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, ratio_over_deals, share_over_deals
from simcore.errors import InputError, nearest
from simcore.game.kinds import KINDS
from simcore.runs.reading import Source, read_run
from simcore.runs.turn_parts import turn_arrays

_TWOS = 15 << 48
_MOST_CARDS = 52
_COLUMNS = (
    "deal",
    "slot",
    "seat",
    "hand",
    "to_beat_kind",
    "play",
    "kind",
    "legal_plays",
    "payoff",
    "cards_left",
)
Turns = dict[str, Any]  # columns of one part; own: cards in the hand before the turn


class Question(NamedTuple):
    """A ratio of two sums over turns, in cells of its own."""

    asked: Callable[[Turns], Any]  # bool: the turns that count
    value: Callable[[Turns], Any]  # what is added up
    cell: Callable[[Turns], Any]  # int: where the turn belongs
    shared: bool  # the denominator is all of the strategy's turns that count, whatever their cell


QUESTIONS = {
    # of one's leads, the share of each kind
    "leads": Question(
        lambda t: t["to_beat_kind"] == 0, lambda t: t["play"] != 0, lambda t: t["kind"], True
    ),
    # of the turns at which one holds a 2 and has a choice, the share at which a 2 goes
    "twos": Question(
        lambda t: (t["hand"] & _TWOS != 0) & (t["legal_plays"] > 1),
        lambda t: t["play"] & _TWOS != 0,
        lambda t: t["own"],
        False,
    ),
    # of the turns at which one could beat the standing play, the share of passes
    "passes": Question(
        lambda t: (t["to_beat_kind"] != 0) & (t["legal_plays"] > 1),
        lambda t: t["play"] == 0,
        lambda t: t["to_beat_kind"],
        False,
    ),
    # the mean payoff of who has the turn, by cards in its hand
    "worth": Question(
        lambda t: t["own"] > 0, lambda t: t["payoff"].astype(np.int64), lambda t: t["own"], False
    ),
}


def turns(run: Source, about: str | None = None, level: float = LEVEL) -> pd.DataFrame:
    """What strategies do at their turns: what they lead, when their 2s go, and so on.

    about: one of QUESTIONS; default all. leads: share of a strategy's leads that are of a kind;
    twos: how often a 2 goes at a turn with a choice, by cards in hand; passes: how often one
    passes though able to beat the standing play, by its kind; worth: mean payoff of who has the
    turn, by cards in hand. Columns: about, strategy, of (a kind, or a number of cards), deals and
    turns (that count), value, value_low, value_high.

    Estimator: the ratio of two sums over deals (over sessions, where hands are played in such) with
    its linearised variance (Cochran, Sampling Techniques, 1977, section 6.4), as in `means`; of
    shares analyses.intervals.share_over_deals. Raises RunError for a run without turns.
    """
    if about is not None and about not in QUESTIONS:
        raise InputError(f"unknown question {about!r}; {nearest(about, QUESTIONS)}")
    reader = read_run(run)
    strategies = list(dict.fromkeys(reader.lineup))
    group_of = np.array([strategies.index(name) for name in reader.lineup])
    wanted = [about] if about is not None else list(QUESTIONS)
    total: dict[str, Any] = dict.fromkeys(wanted, 0.0)
    for part in turn_arrays(reader, _COLUMNS):
        if not len(part["deal"]):
            continue
        left = part.pop("cards_left")
        part["own"] = left[np.arange(len(left)), part["seat"]].astype(np.int64)
        drawn = part["deal"] // reader.summary.session_hands
        part["at"] = np.cumsum(np.diff(drawn, prepend=drawn[:1]) != 0)
        part["group"] = group_of[part["slot"]]
        for name in wanted:
            total[name] = total[name] + _sums(part, QUESTIONS[name], len(strategies))
    rows = []
    for name in wanted:
        of_kinds = name in ("leads", "passes")
        for group, strategy in enumerate(strategies):
            for cell in range(_MOST_CARDS + 1):
                row = (
                    _row(name, total[name][:, group, cell], level) if np.ndim(total[name]) else None
                )
                if row is not None:
                    of = KINDS[cell].replace("_", " ") if of_kinds else str(cell)
                    rows.append({"about": name, "strategy": strategy, "of": of, **row})
    return pd.DataFrame(rows)


def _sums(part: Turns, question: Question, groups: int) -> Any:
    """float64[7, group, cell]: deals, Σn, Σn², Σx, Σx², Σxn over deals, and Σ|x| to see cells."""
    counts = question.asked(part)
    shape = (int(part["at"][-1]) + 1, groups, _MOST_CARDS + 1)
    at, group = part["at"][counts], part["group"][counts]
    cell, value = question.cell(part)[counts], question.value(part)[counts].astype(np.float64)
    place = np.ravel_multi_index((at, group, cell), shape)
    size = int(np.prod(shape))
    seen = np.bincount(place, minlength=size).reshape(shape).astype(np.float64)
    x = np.bincount(place, value, size).reshape(shape)
    n = np.broadcast_to(seen.sum(axis=2, keepdims=True), shape) if question.shared else seen
    figures = ((n > 0), n, n * n, x, x * x, x * n, seen)
    return np.array([figure.sum(axis=0) for figure in figures], np.float64)


def _row(about: str, sums: Any, level: float) -> dict[str, Any] | None:
    """deals, turns and the value with its interval; None for a cell that does not occur."""
    deals, n, nn, x, xx, xn, seen = sums.tolist()
    if not seen:
        return None
    if about == "worth":
        e = ratio_over_deals(x, n, xx, xn, nn, int(deals), level)
    else:
        e = share_over_deals(x, n, xx, xn, nn, int(deals), 1.0, level)
    return {
        "deals": int(deals), "turns": int(n), "value": e.mean, "value_low": e.low,
        "value_high": e.high,
    }  # fmt: skip
