"""A process that plays a run in many small parts, and can kill itself inside a write.

    python -m tests.victim OUT DEALS [STAGE NUMBER]

STAGE is where in the NUMBER-th write of a file it dies: before, half (of the bytes are written),
written (but not renamed), renamed.
"""

import os
import signal
import sys
from pathlib import Path

from simcore import simulate
from simcore.runs import planning
from simcore.runs.storage import Storage

LINEUP = "random,lowest,dump,highest"
STAGES = ("before", "half", "written", "renamed")


def small_parts() -> None:
    """Parts of a few hundred rows, so that a short run has many."""
    planning.PART_ROWS = planning.MIN_PART_ROWS = 800


def die_in_write(stage: str, number: int) -> None:
    """Replace Storage.write by one that dies as asked."""
    honest = Storage.write
    writes = 0

    def write(self: Storage, name: str, data: bytes) -> None:
        nonlocal writes
        writes += 1
        if writes == number:
            path = Path(self.path(name))
            temporary = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
            if stage == "half":
                temporary.write_bytes(data[: len(data) // 2])
            elif stage == "written":
                temporary.write_bytes(data)
            elif stage == "renamed":
                honest(self, name, data)
            os.kill(os.getpid(), signal.SIGKILL)
        honest(self, name, data)

    Storage.write = write  # type: ignore[method-assign]


def main() -> None:
    out, deals, *where = sys.argv[1:]
    small_parts()
    if where:
        die_in_write(where[0], int(where[1]))
    print("ready", flush=True)
    simulate("douque", LINEUP, int(deals), seed=5, out=out, threads=2)


if __name__ == "__main__":
    main()
