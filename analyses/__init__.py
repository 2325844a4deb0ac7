"""Results into answers, with pandas: loading runs, intervals, tables; without the compiler."""

from analyses.load import batches, load
from analyses.summary import run_summary, seat_table, strategy_table

__all__ = ["batches", "load", "run_summary", "seat_table", "strategy_table"]
