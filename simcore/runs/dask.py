"""An existing Dask cluster as an executor (extra: dask)."""

import asyncio
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

from simcore.errors import InputError, RunError

WAIT_LIMIT = 60.0  # seconds without scheduler or workers until a run gives up
LOOK_SECONDS = 1.0  # how often the cluster is looked at, from outside its client
ANSWER_SECONDS = 5.0  # a scheduler that takes longer counts as gone

P = ParamSpec("P")
T = TypeVar("T")


class DaskCluster(Executor):
    """A Dask cluster that says when nobody is there to play.

    Dask itself gives a lost worker's tasks to the others, and waits without a word where there
    are none. A scheduler that is started again knows nothing of them.
    """

    def __init__(self, address: str, timeout: float) -> None:
        self.address, self._timeout = address, timeout
        self.threads = self._connect()
        self._known, self._workers = self._look()
        self._scheduler = self._known
        self._told = ""  # what was said to be waited for
        self._gone = time.monotonic()  # since when nobody is there to play
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """As any executor."""
        future: Future[T] = self._inner.submit(fn, *args, **kwargs)
        return future

    def waiting(self) -> tuple[str, float]:
        """What is waited for ("" for nothing), and for how many seconds."""
        if self._scheduler is not None and self._workers:
            return "", 0.0
        gone = time.monotonic() - self._gone
        what = "a worker of the Dask scheduler" if self._scheduler else "the Dask scheduler"
        return f"{what} at {self.address}", gone

    def tasks_are_lost(self) -> bool:
        """Whether the scheduler is another one than before; there is a new connection to it then.

        Warns of what is waited for. Raises RunError if that takes longer than WAIT_LIMIT.
        """
        what, seconds = self.waiting()
        if seconds > WAIT_LIMIT:
            raise RunError(
                f"waited {WAIT_LIMIT:g} seconds for {what}; finished parts are kept: run the same "
                "command again when it is there"
            )
        if what and not self._told:
            _say(f"waiting for {what}, {WAIT_LIMIT:g} seconds at most; finished parts are kept")
        elif self._told and not what:
            _say(f"{self._told} is there again; going on")
        self._told = what
        if what:
            time.sleep(0.1)  # for who has no task left to wait for
            return False
        if self._scheduler == self._known:
            return False
        self._known = self._scheduler
        self._connect()
        return True

    def _connect(self) -> int:
        """Begin to speak with the scheduler; the number of its threads."""
        from distributed import Client

        try:
            self._client: Any = Client(self.address, timeout=self._timeout, set_as_default=False)
            self._client.wait_for_workers(1, timeout=self._timeout)
        except (OSError, TimeoutError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RunError(
                f"no Dask cluster with workers at {self.address!r} ({reason}); check --scheduler"
            ) from None
        self._inner = self._client.get_executor(pure=False, retries=3)
        return sum(self._client.nthreads().values())

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            scheduler, workers = self._look()
            if not workers and self._workers:
                self._gone = time.monotonic()
            self._scheduler, self._workers = scheduler, workers

    def _look(self) -> tuple[str | None, int]:
        """(id of the scheduler, None: there is none; number of its workers)."""
        from distributed.core import rpc

        async def ask() -> Any:
            about = self._client.security.get_connection_args("client")
            async with rpc(self.address, connection_args=about) as scheduler:
                return await asyncio.wait_for(scheduler.identity(), ANSWER_SECONDS)

        try:
            found = asyncio.run(asyncio.wait_for(ask(), 2 * ANSWER_SECONDS))
        except (OSError, TimeoutError):
            return None, 0
        return str(found["id"]), len(found["workers"])


def _say(text: str) -> None:
    """At once, to a caller who may be waiting too."""
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def dask_executor(address: str, timeout: float = 10.0) -> tuple[DaskCluster, int]:
    """(executor, number of its threads) of the scheduler at `address`, as in tcp://host:8786.

    Dask gives a lost worker's tasks to the others; a run says when there is nobody left, and gives
    up after WAIT_LIMIT seconds. Raises InputError without the extra, RunError where no scheduler
    answers or it has no workers.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise InputError("--executor dask needs an extra: pip install 'bigtwo-lab[dask]'") from None
    cluster = DaskCluster(address, timeout)
    return cluster, cluster.threads
