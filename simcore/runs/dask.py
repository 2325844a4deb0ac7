"""An existing Dask cluster as an executor (extra: dask)."""

from concurrent.futures import Executor
from typing import Any

from simcore.errors import InputError, RunError


def dask_executor(address: str, timeout: float = 10.0) -> tuple[Executor, int]:
    """(executor, number of its threads) of the scheduler at `address`, as in tcp://host:8786.

    Dask gives a lost worker's tasks to the others. Raises InputError without the extra, RunError
    where no scheduler answers or it has no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--executor dask needs an extra: pip install 'bigtwo-lab[dask]'") from None
    try:
        client: Any = Client(address, timeout=timeout, set_as_default=False)
        client.wait_for_workers(1, timeout=timeout)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RunError(
            f"no Dask cluster with workers at {address!r} ({reason}); check --scheduler"
        ) from None
    workers = sum(client.nthreads().values())
    return client.get_executor(pure=False, retries=3), workers
