"""Workers in processes of their own, for strategies in plain Python.

Python runs one thread at a time, so every worker of such a run has a process, and each strategy
that it asks has another one (simcore.strategies.host). A worker is started by name
(`python -m simcore.runs.processes`): it needs nothing of the caller's main module, and ends when
the caller does. Both sides speak in pickled tuples over its standard input and output:

    to it      ("setup", sys.path, identity, limit, format), ("stop",),
               ("play", first, end, keep_rows, seconds)
    from it    ("played", playouts), ("done", Finished), ("failed", error)
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from simcore.errors import BigTwoError, RunError
from simcore.runs.executors import Finished, Worker
from simcore.runs.run import identity, setup_of
from simcore.simulation.setup import Setup
from simcore.strategies.host import stop_all
from simcore.strategies.plain import PlainStrategy


def plain_names(setup: Setup) -> list[str]:
    """The strategies of a lineup that are in plain Python."""
    found = (e.name for e in setup.lineup if isinstance(e.strategy, PlainStrategy))
    return list(dict.fromkeys(found))


class RemoteWorker:
    """A `Worker` in a process of its own."""

    def __init__(self, setup: Setup, limit: float, form: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "simcore.runs.processes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the caller
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(p or str(Path.cwd()) for p in sys.path),
            },
        )
        self._send("setup", sys.path, identity(setup), limit, form)

    def play(
        self,
        first: int,
        end: int,
        keep_rows: bool,
        stop: threading.Event,
        seconds: float,
        progress: Callable[[int], None],
    ) -> Finished:
        """As `Worker.play`. Raises RunError if the process was lost."""
        self._send("play", first, end, keep_rows, seconds)
        told = False
        while True:
            if stop.is_set() and not told:
                told = True
                self._send("stop")
            try:
                word, value = pickle.load(self._out)
            except (EOFError, pickle.UnpicklingError):
                raise RunError(
                    f"a worker process ended while it played deals {first} to {end - 1} (exit "
                    f"status {self._process.wait()}); finished parts are kept: run the same "
                    "command again"
                ) from None
            if word == "played":
                progress(value)
            elif word == "failed":
                raise value
            else:
                found: Finished = value
                return found

    def close(self) -> None:
        """End the process, whatever it is doing, and those of its strategies."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5.0)
        self._process.kill()
        self._out.close()
        self._process.wait()

    @property
    def _out(self) -> BinaryIO:
        assert self._process.stdout is not None
        return self._process.stdout  # type: ignore[return-value]

    def _send(self, *words: Any) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(words, self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer that does not come says so


# --------------------------------------------------------------------------- the process


def main() -> None:
    """Serve one caller until it closes its end."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a strategy prints is no answer
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(tasks, stop), daemon=True).start()

    def send(word: str, value: Any) -> None:
        pickle.dump((word, value), answers)
        answers.flush()

    worker: Worker | None = None
    while True:
        word, *arguments = tasks.get()
        try:
            if word == "setup":
                sys.path[:], description, limit, form = arguments
                worker = Worker(setup_of(description, trust=True), limit, form)
            elif worker is not None:
                first, end, keep_rows, seconds = arguments
                done = worker.play(
                    first, end, keep_rows, stop, seconds, lambda playouts: send("played", playouts)
                )
                send("done", done)
        except BigTwoError as error:
            send("failed", type(error)(str(error)))
            return


def _listen(tasks: "queue.SimpleQueue[Any]", stop: threading.Event) -> None:
    """Take what the caller says; when it says no more, this process ends."""
    while True:
        try:
            words = pickle.load(sys.stdin.buffer)
        except EOFError:
            stop_all()
            os._exit(0)
        if words[0] == "stop":
            stop.set()
        else:
            tasks.put(words)


if __name__ == "__main__":
    main()
