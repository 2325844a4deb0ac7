"""Results into answers, with pandas: loading runs, intervals, tables; without the compiler.

Every analysis takes a run (its folder, or what `simulate` returned) and gives a tidy frame with
intervals over deals and the number of deals.
"""

from analyses.audit import audit
from analyses.blunders import blunders
from analyses.checks import convergence_checks
from analyses.distributions import distributions, quantiles
from analyses.find import find
from analyses.hands import hand_regression, hand_values
from analyses.load import batches, load
from analyses.luck import playouts_until_ahead, variance_shares
from analyses.matrix import differences
from analyses.means import convergence, means
from analyses.rare import rare_events
from analyses.review import review
from analyses.session import session
from analyses.sheet import sheet
from analyses.summary import run_summary, seat_table, strategy_table
from analyses.training import training
from analyses.turns import turns

__all__ = [
    "audit",
    "batches",
    "blunders",
    "convergence",
    "convergence_checks",
    "differences",
    "distributions",
    "find",
    "hand_regression",
    "hand_values",
    "load",
    "means",
    "playouts_until_ahead",
    "quantiles",
    "rare_events",
    "review",
    "run_summary",
    "seat_table",
    "session",
    "sheet",
    "strategy_table",
    "training",
    "turns",
    "variance_shares",
]
