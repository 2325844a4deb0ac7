"""A strategy that never returns: noticed from outside, by the question that it was asked last."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

from simcore.errors import StrategyError
from simcore.simulation.setup import Workspace

DECISION_LIMIT = 60.0  # seconds
T = TypeVar("T")


def watched(work: Workspace, call: Callable[[], T], limit: float = DECISION_LIMIT) -> T:
    """The result of call(), which plays with `work`.

    Raises StrategyError, naming strategy, deal and turn, if one question stays without an answer
    for `limit` seconds. The call runs in a thread that is then left behind (compiled code cannot be
    interrupted); it ends with the process. The process of a strategy in plain Python is killed.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    last, since = work.question(), time.monotonic()
    while not wait([outcome], timeout=min(1.0, limit / 4)).done:
        question, now = work.question(), time.monotonic()
        if question is None or question != last:
            last, since = question, now
        elif now - since > limit:
            who, where = work.asked_name(), work.place()
            work.abandon()
            raise StrategyError(
                f"strategy {who!r} gave no answer for {limit:g} seconds in {where}; mend it, leave "
                "it out of the lineup, or allow it more time (--decision-limit)"
            )
    return outcome.result()
