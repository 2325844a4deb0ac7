"""What the dealt cards are worth: payoff by feature of the hand, and a regression."""

import math
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, heavy_tailed_ratio, ratio_over_deals
from simcore.errors import RunError
from simcore.runs.reading import Source, blocks
from simcore.statistics import t_quantile

FEATURES = ("starts", "twos", "aces", "pairs", "triples", "bombs", "dragon", "least_plays")
R2 = "held-out R²"


def _joined(run: Source, hands: pd.DataFrame) -> pd.DataFrame:
    """The hands, with the mean payoff and win rate of their seat over the deal's seatings."""
    last = hands["deal"].max()
    pieces: list[pd.DataFrame] = []
    for block in blocks(run, ("winner", "payoff")):
        seats = {"payoff": block.columns["payoff"].mean(axis=1), "win_rate": block.won.mean(axis=1)}
        pieces.append(
            pd.DataFrame(
                {
                    "deal": np.repeat(block.deals, block.players),
                    "seat": np.tile(np.arange(block.players), len(block)),
                    **{name: values.ravel() for name, values in seats.items()},
                }
            )
        )
        if block.deals[-1] >= last:
            break
    return hands.merge(pd.concat(pieces), on=["deal", "seat"], validate="one_to_one")


def hand_values(run: Source, hands: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """Mean payoff and win rate of a seat by each of FEATURES of the hand that it was dealt.

    hands: one row per deal and seat, as simcore.samples.hands.dealt_hands gives them. The payoff of
    a hand is the mean over the seatings that its deal was played in, so over the strategies that
    held it. Columns: feature, value, hands, deals, and payoff and win_rate with _low, _high.

    Estimator: ratio of sums over deals (analyses.intervals.ratio_over_deals), as in `means`.
    """
    joined = _joined(run, hands)
    rows = []
    for feature in FEATURES:
        for _, cell in joined.groupby(feature):
            row: dict[str, Any] = {"feature": feature, "value": int(cell[feature].iloc[0])}
            row |= {"hands": len(cell), "deals": cell["deal"].nunique()}
            for metric in ("payoff", "win_rate"):
                sums = cell.groupby("deal")[metric].agg(["sum", "count"]).to_numpy(float)
                x, n = sums.T
                e = ratio_over_deals(
                    x.sum(), n.sum(), (x * x).sum(), (x * n).sum(), (n * n).sum(), len(x), level
                )
                row |= {metric: e.mean, f"{metric}_low": e.low, f"{metric}_high": e.high}
            rows.append(row)
    return pd.DataFrame(rows)


def hand_regression(
    run: Source, hands: pd.DataFrame, metric: str = "payoff", level: float = LEVEL
) -> pd.DataFrame:
    """How much one more 2, ace, pair … is worth, the others equal, and how much that explains.

    Ordinary least squares of the seat's mean payoff (or win_rate) over the deal's seatings on
    FEATURES, fitted to every second deal; deals with a dragon, one in 2,400, are left out, since a
    few of them would outweigh all others. Columns: term, estimate (points, or share of playouts,
    per unit of the feature), low, high, deals. The last row is the R² on the deals that the fit has
    not seen.

    Intervals: cluster-robust by deal, factor G / (G - 1) (N - 1) / (N - p) (Liang and Zeger,
    Biometrika 1986; Cameron and Miller, Journal of Human Resources 2015), Student t with G - 1
    degrees of freedom. R² = 1 - Σe² / Σ(y - ȳ)² with ȳ of the fitted deals; its interval is that of
    the ratio over the held-out deals, the fit taken as it is (intervals.heavy_tailed_ratio).
    Features that never vary are left
    out. Raises RunError for too few deals.
    """
    joined = _joined(run, hands)
    joined = joined[~joined.groupby("deal")["dragon"].transform("any")]
    numbers = joined["deal"].unique()
    names = [name for name in FEATURES if joined[name].nunique() > 1]
    if len(numbers) < 4 * (len(names) + 1):
        raise RunError(
            f"{len(numbers)} deals are too few for a regression on {len(names)} features; "
            f"play {4 * (len(names) + 1)} or more"
        )
    seen = joined["deal"].isin(numbers[::2]).to_numpy()
    y = joined[metric].to_numpy(float)
    x = np.column_stack([np.ones(len(y)), joined[names].to_numpy(float)])
    fit, y_fit, deal = x[seen], y[seen], joined["deal"].to_numpy()
    inverse = np.linalg.pinv(fit.T @ fit)
    estimate = inverse @ fit.T @ y_fit
    residual = y - x @ estimate
    _, cluster = np.unique(deal[seen], return_inverse=True)
    g, (n, p) = int(cluster.max()) + 1, fit.shape
    scores = np.zeros((g, p))
    np.add.at(scores, cluster, fit * residual[seen, None])
    covariance = inverse @ (scores.T @ scores) @ inverse * (g / (g - 1) * (n - 1) / (n - p))
    half = t_quantile(level, g - 1) * np.sqrt(np.diag(covariance))
    rows = [
        {"term": term, "estimate": e, "low": e - h, "high": e + h, "deals": g}
        for term, e, h in zip(["constant", *names], estimate, half, strict=True)
    ]
    errors = pd.DataFrame(
        {"deal": deal, "left": residual**2, "all": (y - y_fit.mean()) ** 2}
    )[~seen].groupby("deal").sum()  # fmt: skip
    e = heavy_tailed_ratio(errors["left"].to_numpy(), errors["all"].to_numpy(), level)
    if math.isnan(e.mean):
        raise RunError(f"every {metric} of the held-out deals is the same: nothing to explain")
    rows.append(
        {"term": R2, "estimate": 1 - e.mean, "low": 1 - e.high, "high": 1 - e.low,
         "deals": len(errors)}
    )  # fmt: skip
    return pd.DataFrame(rows)
