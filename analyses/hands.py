"""What the dealt cards are worth: payoff by feature of the hand, and a regression."""

import math
from typing import Any

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, heavy_tailed_ratio, ratio_over_deals, share_over_deals
from simcore.errors import RunError
from simcore.runs.reading import Source, blocks
from simcore.statistics import t_quantile

FEATURES = ("starts", "twos", "aces", "pairs", "triples", "bombs", "dragon", "least_plays")
R2 = "held-out R²"
LEAST_DEALS = 2  # in which a feature is not at its commonest value, for an interval


def _joined(run: Source, hands: pd.DataFrame) -> pd.DataFrame:
    """The hands, with the mean payoff and win rate of their seat over the deal's seatings.

    Column drawn: number of the deal, or of the session (only whole ones are kept).
    """
    last = hands["deal"].max()
    pieces: list[pd.DataFrame] = []
    for block in blocks(run, ("winner", "payoff")):
        length, block = block.session_hands, block.by_deal()
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
    found = hands.merge(pd.concat(pieces), on=["deal", "seat"], validate="one_to_one")
    found["drawn"] = found["deal"] // length
    whole = found.groupby("drawn")["deal"].transform("size") == length * block.players
    return found[whole].reset_index(drop=True)


def hand_values(run: Source, hands: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """Mean payoff and win rate of a seat by each of FEATURES of the hand that it was dealt.

    hands: one row per deal and seat, as simcore.samples.hands.dealt_hands gives them. The payoff of
    a hand is the mean over the seatings that its deal was played in, so over the strategies that
    held it. Columns: feature, value, hands, deals, and payoff and win_rate with _low, _high.

    Estimators: ratio_over_deals and share_over_deals of analyses.intervals, as in `means`.
    """
    joined = _joined(run, hands)
    rows = []
    for feature in FEATURES:
        for _, cell in joined.groupby(feature):
            row: dict[str, Any] = {"feature": feature, "value": int(cell[feature].iloc[0])}
            row |= {"hands": len(cell), "deals": cell["drawn"].nunique()}
            for metric, estimator in (("payoff", ratio_over_deals), ("win_rate", share_over_deals)):
                sums = cell.groupby("drawn")[metric].agg(["sum", "count"]).to_numpy(float)
                x, n = sums.T
                e = estimator(
                    x.sum(), n.sum(), (x * x).sum(), (x * n).sum(), (n * n).sum(), len(x),
                    level=level,
                )  # fmt: skip
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

    Intervals: cluster-robust by deal with the leverage of each deal taken out of its residuals
    (CR2), Student t with as many degrees of freedom as that variance is worth for each term: few
    where few deals hold a bomb (Bell and McCaffrey, Survey Methodology 2002; Pustejovsky and
    Tipton, Journal of Business and Economic Statistics 2018); none (NaN) for a term that fewer
    than LEAST_DEALS deals carry.

    R² = 1 - Σe² / Σ(y - ȳ)² with ȳ of the fitted deals; its interval is that of the ratio over the
    held-out deals, the fit taken as it is (intervals.heavy_tailed_ratio). Features that never vary
    in the fitted deals are left out. Raises RunError for too few deals.
    """
    joined = _joined(run, hands)
    joined = joined[~joined.groupby("drawn")["dragon"].transform("any")]
    numbers = joined["drawn"].unique()
    seen = joined["drawn"].isin(numbers[::2]).to_numpy()
    names = [name for name in FEATURES if joined.loc[seen, name].nunique() > 1]
    if len(numbers) < 4 * (len(names) + 1):
        raise RunError(
            f"{len(numbers)} deals are too few for a regression on {len(names)} features; "
            f"play {4 * (len(names) + 1)} or more"
        )
    y = joined[metric].to_numpy(float)
    x = np.column_stack([np.ones(len(y)), joined[names].to_numpy(float)])
    fit, y_fit, deal = x[seen], y[seen], joined["drawn"].to_numpy()
    inverse = np.linalg.pinv(fit.T @ fit)
    estimate = inverse @ fit.T @ y_fit
    residual = y - x @ estimate
    g = len(np.unique(deal[seen]))
    errors, degrees = _robust(fit, residual[seen], inverse, g)
    half = [
        t_quantile(level, d) * e if term == "constant" or _carried(joined[seen], term) else math.nan
        for term, e, d in zip(["constant", *names], errors, degrees, strict=True)
    ]
    rows = [
        {"term": term, "estimate": e, "low": e - h, "high": e + h, "deals": g}
        for term, e, h in zip(["constant", *names], estimate, half, strict=True)
    ]
    held_out = pd.DataFrame(
        {"deal": deal, "left": residual**2, "all": (y - y_fit.mean()) ** 2}
    )[~seen].groupby("deal").sum()  # fmt: skip
    e = heavy_tailed_ratio(held_out["left"].to_numpy(), held_out["all"].to_numpy(), level)
    if math.isnan(e.mean):
        raise RunError(f"every {metric} of the held-out deals is the same: nothing to explain")
    rows.append(
        {"term": R2, "estimate": 1 - e.mean, "low": 1 - e.high, "high": 1 - e.low,
         "deals": len(held_out)}
    )  # fmt: skip
    return pd.DataFrame(rows)


def _carried(hands: pd.DataFrame, feature: str) -> bool:
    """Whether the feature is not at its commonest value in LEAST_DEALS deals."""
    others = hands[hands[feature] != hands[feature].mode().iloc[0]]
    return int(others["drawn"].nunique()) >= LEAST_DEALS


def _robust(x: Any, residual: Any, inverse: Any, deals: int) -> tuple[Any, Any]:
    """(standard errors, degrees of freedom) of the coefficients, CR2 with deals as clusters.

    x: float64[rows, p], the rows of a deal together, as many for each; inverse: of x'x.
    """
    p = x.shape[1]
    x, e = x.reshape(deals, -1, p), residual.reshape(deals, -1)
    hat = x @ inverse @ x.transpose(0, 2, 1)
    values, vectors = np.linalg.eigh(np.eye(x.shape[1]) - hat)
    root = np.where(values > 1e-9, 1 / np.sqrt(np.maximum(values, 1e-9)), 0.0)
    adjust = (vectors * root[:, None, :]) @ vectors.transpose(0, 2, 1)
    a = adjust @ x @ inverse  # [deal, row, term]: the weights of the residuals
    errors = np.sqrt((np.einsum("drt,dr->dt", a, e) ** 2).sum(axis=0))
    # The variance is a quadratic form in the errors; its first two moments, if they are alike and
    # independent, with D = diag(a'a) and B = x'a: trace(D - B V B') and that of its square.
    own = (a * a).sum(axis=1)
    b = np.einsum("drk,drt->tdk", x, a)
    shared = np.einsum("tdk,kl,tdl->dt", b, inverse, b)
    square = inverse @ (b.transpose(0, 2, 1) @ b)
    trace = (own - shared).sum(axis=0)
    trace2 = (own * own - 2 * own * shared).sum(axis=0) + np.einsum("tkl,tlk->t", square, square)
    return errors, trace**2 / trace2
