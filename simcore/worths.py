"""An evaluation: what each play is worth and what the others may hold, as rows and tables."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from simcore.html import Markup, table
from simcore.simulation.drawn import HOLDINGS
from simcore.strategies.position import Play

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Worth:
    """One legal play: each figure with its 95 % interval, of no width where it is exact."""

    play: Play
    payoff: float  # expected, at stake 1
    payoff_low: float
    payoff_high: float
    win: float  # chance to win
    win_low: float
    win_high: float
    multiplied: float  # chance to be left with so many cards that they count more than once
    multiplied_low: float
    multiplied_high: float
    difference: float  # payoff less that of the best play, on the same samples
    difference_low: float
    difference_high: float
    may_be_best: bool  # False: certainly worse than the best, see Evaluation.alpha
    samples: int
    solved: float  # payoff with all seats at their best and all hands known; NaN: not known


@dataclass(frozen=True)
class Holding:
    """What another seat may hold: chances with 95 % intervals; NaN where there is no such thing."""

    seat: int  # counted from oneself: 1 is next
    cards_left: int
    beats: float  # may beat the standing play
    beats_low: float
    beats_high: float
    two: float  # holds a 2
    two_low: float
    two_high: float
    pair: float
    pair_low: float
    pair_high: float
    bomb: float
    bomb_low: float
    bomb_high: float


@dataclass(frozen=True)
class Evaluation:
    """What each legal play of a position is worth, best first."""

    rules: str
    hand: tuple[str, ...]
    to_beat: tuple[str, ...]
    policy: tuple[str, ...]  # who plays on, by seat counted from oneself
    plays: tuple[Worth, ...]
    others: tuple[Holding, ...]
    samples: int  # arrangements of the hidden cards that the best play was tried on
    exact: bool  # those were all that there are, and the policy draws no random numbers
    half_width: float  # half the interval of the difference of the best two
    stopped: str  # by what: "half_width", "max_time", "samples", "exact"
    alpha: float  # the chance that the truly best play is among those with may_be_best False

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """One row per legal play, best first: `Worth`, with the play's cards and kind."""
        return _frame(self.plays)

    @cached_property
    def hidden(self) -> "pd.DataFrame":
        """One row per other seat: `Holding`."""
        return _frame(self.others)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; what is not known is None."""
        return _plain(asdict(self))  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return str(self.plays[0].play)

    def _repr_html_(self) -> str:
        low = min(w.payoff for w in self.plays)
        span = max(w.payoff for w in self.plays) - low or 1.0
        worths = table(
            (
                (
                    str(w.play),
                    Markup(_bar((w.payoff - low) / span) + figure(w, "payoff")),
                    figure(w, "win"),
                    figure(w, "multiplied"),
                    figure(w, "difference"),
                    "yes" if w.may_be_best else "no",
                    f"{w.samples:,}",
                    "" if math.isnan(w.solved) else f"{w.solved:.3f}",
                )
                for w in self.plays
            ),
            HEADINGS,
        )
        others = table(
            ((h.seat, h.cards_left, *(figure(h, name) for name in HOLDINGS)) for h in self.others),
            ("seat", "cards left", *HOLDINGS),
        )
        return f"<p>{escape(self.rules)}: {' '.join(self.hand)}</p>{worths}{others}"


HEADINGS = (
    "play", "payoff", "win", "multiplied", "to the best", "best?", "samples", "solved"
)  # fmt: skip


def figure(row: Worth | Holding, name: str) -> str:
    """One figure of a row with half its interval, as far as that says; exact ones stand alone."""
    value, low, high = (getattr(row, name + end) for end in ("", "_low", "_high"))
    if math.isnan(value):
        return "–"
    if low == high:
        return f"{value:.3f}"
    half = (high - low) / 2
    most = 6 if name in ("payoff", "difference") else 3
    digits = min(most, max(0, math.ceil(-math.log10(half / 2))))
    return f"{value:.{digits}f} ± {half:.{digits}f}"


def _bar(share: float) -> str:
    """A bar as long as a share of its column says."""
    return (
        "<div style='width:8em'><div style='height:.4em;background:#0969da;"
        f"width:{100 * share:.0f}%'></div></div>"
    )


def _frame(rows: Sequence[Worth] | Sequence[Holding]) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(
        [
            {"cards": str(row.play), "kind": row.play.kind, **_without_play(row)}
            if isinstance(row, Worth)
            else asdict(row)
            for row in rows
        ]
    )


def _without_play(row: Worth) -> dict[str, Any]:
    return {key: value for key, value in vars(row).items() if key != "play"}


def _plain(value: Any) -> Any:
    """Without NaN, as JSON wants it."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
