"""Strategies of users in processes of their own: what they do there ends no process but theirs.

A `Host` is this side of one such process (simcore.strategies.hosted is the other). It loads the
strategy, says what it is, and asks one in plain Python its questions, or the program of one in
another language (simcore.strategies.program), which is started there. Nothing that comes back is
ever executed: an answer is JSON or plain numbers, behind a key that code which only scribbles
cannot guess.

    to it      length (u32), then  L + JSON: load    M + pickle: parameters and rules    A: question
    from it    key (16 bytes), number of the answer (u64), length (u32), then the answer
"""

import atexit
import json
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from simcore.errors import InputError, StrategyError
from simcore.game.ruleset import RuleSet

LOADING_LIMIT = 60.0  # seconds that a strategy's file may take to load
MOST_ALIVE = 16  # processes that are kept; the longest unused ends first
PROGRAM = ".toml"  # the file of a strategy in another language
BYE_LIMIT = 5.0  # seconds between a process that is to end by itself and its end by force
LENGTH = struct.Struct("<I")
ANSWER = struct.Struct("<16sQI")
QUESTION = struct.Struct("<II")  # number of the parameters, of plays
INDEX = struct.Struct("<q")

_alive: "dict[Host, None]" = {}  # the longest unused first


class Host:
    """The process of one strategy, started when it is needed and again after it has died."""

    def __init__(self, place: str, attribute: str) -> None:
        self.place, self.attribute = place, attribute
        self._lock = threading.Lock()  # one question at a time
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0  # pid of the process that started it: a fork must not share it
        self._answers = 0
        self._key = self._unread = b""
        self._told: dict[tuple[tuple[float, ...], RuleSet], int] = {}
        self._described: dict[str, Any] | None = None

    def describe(self) -> dict[str, Any]:
        """What the strategy is: {"plain": bool, "name", "doc", "parameters", "source"}.

        A compiled one has been compiled there. Raises InputError, StrategyError.
        """
        with self._lock:
            return self._start()

    def ask(
        self, params: tuple[float, ...], rules: RuleSet, n_plays: int, question: bytes
    ) -> tuple[int, bytes, str]:
        """(index of the play chosen, the stream afterwards, what went wrong: "" for nothing).

        question: the view's head, the plays and the stream as they are in memory. Raises
        StrategyError, with what the strategy did in a few words, if its process was lost.
        """
        with self._lock:
            try:
                if self._process is None or self._owner != os.getpid():
                    self._start()
                _alive.pop(self, None)
                _alive[self] = None
                number = self._told.get((params, rules))
                if number is None:
                    number = self._told[params, rules] = len(self._told)
                    self._send(b"M" + pickle.dumps((number, params, rules)))
                self._send(b"A" + QUESTION.pack(number, n_plays) + question)
                answer = self._receive(None)
            except BaseException:  # Ctrl-C too: an answer that nobody waits for would follow
                self._end()
                raise
        end = INDEX.size + LENGTH.size
        (index,) = INDEX.unpack_from(answer)
        (size,) = LENGTH.unpack_from(answer, INDEX.size)
        return index, answer[end : end + size], answer[end + size :].decode("utf-8", "replace")

    def stop(self) -> None:
        """End the process, whatever it is doing; whoever waits for its answer hears."""
        process = self._process
        _alive.pop(self, None)
        if process is None or self._owner != os.getpid():
            return
        if self.place.endswith(PROGRAM) and process.stdin is not None:
            process.stdin.close()  # it ends with its program, to which it says bye
        else:
            process.kill()

    # ------------------------------------------------------------------ the process

    def _start(self) -> dict[str, Any]:
        """Start it and load the strategy."""
        self._end()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "simcore.strategies.hosted"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for the caller
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(p or str(Path.cwd()) for p in sys.path),
            },
        )
        self._owner, self._answers, self._key = os.getpid(), 0, os.urandom(16)
        self._told, self._unread = {}, b""
        _alive[self] = None
        for other in list(_alive)[:-MOST_ALIVE]:
            if other._lock.acquire(blocking=False):
                other._end()
                other._lock.release()
        where = f"strategy {self.attribute!r} of {self.place!r}"
        try:
            about = {"key": self._key.hex(), "path": sys.path, "place": self.place}
            self._send(b"L" + json.dumps(about | {"attribute": self.attribute}).encode())
            found: dict[str, Any] = json.loads(self._receive(LOADING_LIMIT))
            if found.get("plain") is False:
                self._end()  # it plays elsewhere
        except TimeoutError:
            self._end()
            raise StrategyError(
                f"{where} was not loaded within {LOADING_LIMIT:g} seconds; mend it, or leave it "
                "out of the lineup"
            ) from None
        except StrategyError as error:
            self._end()
            raise StrategyError(
                f"{where} {error} while it was loaded; mend it, or leave it out of the lineup"
            ) from None
        except BaseException:
            self._end()
            raise
        if "error" in found:
            self._end()
            kind = InputError if found["error"] == "InputError" else StrategyError
            raise kind(found["text"])
        if self._described not in (None, found):
            self._end()
            raise StrategyError("had to be loaded again, and its file has changed meanwhile")
        self._described = found
        return found

    def _end(self) -> None:
        """As `stop`, by whoever holds the lock."""
        self.stop()
        if self._process is not None and self._owner == os.getpid():
            try:
                self._process.wait(BYE_LIMIT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        self._process = None

    def _send(self, request: bytes) -> None:
        assert self._process is not None and self._process.stdin is not None
        data = memoryview(LENGTH.pack(len(request)) + request)
        try:
            while data:
                data = data[os.write(self._process.stdin.fileno(), data) :]
        except (BrokenPipeError, ValueError):  # it died, or was stopped
            pass  # the answer that does not come says so

    def _receive(self, limit: float | None) -> bytes:
        """The next answer. Raises TimeoutError, StrategyError."""
        until = None if limit is None else time.monotonic() + limit
        key, number, size = ANSWER.unpack(self._read(ANSWER.size, until))
        if key != self._key or number != self._answers:
            raise StrategyError("wrote into the pipe that its answers come through")
        self._answers += 1
        return self._read(size, until)

    def _read(self, size: int, until: float | None) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        found = self._unread
        while len(found) < size:
            if until is not None:
                ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
                if not ready:
                    raise TimeoutError
            piece = os.read(pipe, 1 << 16)
            if not piece:
                raise StrategyError(self._how_it_ended())
            found += piece
        self._unread = found[size:]
        return found[:size]

    def _how_it_ended(self) -> str:
        assert self._process is not None
        try:
            status = self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            return "closed the pipe that its answers come through"
        return ending(status)


def ending(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"ended its process (exit status {status})"
    try:
        return f"crashed: its process was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"crashed: its process was killed by signal {-status}"


@atexit.register
def stop_all() -> None:
    """End every process, also one that hears nothing."""
    for host in list(_alive):
        host.stop()
