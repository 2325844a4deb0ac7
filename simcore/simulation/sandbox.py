"""Processes in which compiled strategies of users play: a crash there is a sentence here.

Where a lineup has such a `Guest`, a `Workspace` is made twice: here, and by `sandboxed`, the other
side, which calls the kernels. Both see the same arrays, in shared memory, so what was asked last
is known here whatever becomes of that process. A question stays as quick as any: only whole tasks
cross over. What comes back is JSON and plain arrays; nothing of it is ever executed.

    to it      length (u32), then pickled  ("path", sys.path, key), ("open", what makes it) with the
               memory's file, or (method, arguments)
    from it    key (16 bytes), number of the answer (u64), length (u32), then the answer
"""

import json
import mmap
import os
import pickle
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np

from simcore.errors import StrategyError
from simcore.strategies.guest import Guest
from simcore.strategies.host import ANSWER, LENGTH, ending

MOST_IDLE = 8  # processes that wait for another workspace with the same guests
HEAD = struct.Struct("<I")  # length of an answer's JSON; the arrays follow
END_LIMIT = 5.0  # seconds

F = TypeVar("F", bound=Callable[..., Any])


class Memory:
    """Arrays in a file without a name, the same ones for whoever asks in the same order."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self._end = 0

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """The next array: zeros, until somebody writes there."""
        kind = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        size = -(-max(1, count * kind.itemsize) // mmap.ALLOCATIONGRANULARITY)
        size *= mmap.ALLOCATIONGRANULARITY
        begin, self._end = self._end, self._end + size
        if os.fstat(self.file.fileno()).st_size < self._end:
            os.ftruncate(self.file.fileno(), self._end)
        held = mmap.mmap(self.file.fileno(), size, offset=begin)
        return np.frombuffer(held, kind, count).reshape(shape)


serving: Memory | None = None  # in a process of `sandboxed`: the arrays of what is opened next


class _Process:
    """One process of `sandboxed`."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", "simcore.simulation.sandboxed", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what a strategy prints is no answer
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the caller
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(p or str(Path.cwd()) for p in sys.path),
                },
            )
        self._key, self._answers = os.urandom(16), 0
        self._send(("path", sys.path, self._key))

    def ask(self, request: tuple[Any, ...], file: IO[bytes] | None = None) -> Any:
        """What a request brings. Raises EOFError for a process that is lost, StrategyError."""
        try:
            self._send(request, file)
            key, number, size = ANSWER.unpack(self._read(ANSWER.size))
            if (key, number) != (self._key, self._answers):
                raise EOFError
            self._answers += 1
            return _decoded(self._read(size))
        except OSError as error:
            raise EOFError from error

    def kill(self) -> None:
        """End it, whatever it is doing; whoever waits for its answer hears."""
        self._popen.kill()

    def end(self) -> str:
        """How it ended, in words: by itself, or by force if it goes on."""
        self._socket.close()
        try:
            return ending(self._popen.wait(END_LIMIT))
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
            return "wrote into the pipe that its answers come through"

    def _send(self, request: tuple[Any, ...], file: IO[bytes] | None = None) -> None:
        data = pickle.dumps(request)
        head = LENGTH.pack(len(data))
        if file is None:
            self._socket.sendall(head)
        else:
            socket.send_fds(self._socket, [head], [file.fileno()])
        self._socket.sendall(data)

    def _read(self, size: int) -> bytearray:
        data = bytearray(size)
        free = memoryview(data)
        while free:
            number = self._socket.recv_into(free)
            if not number:
                raise EOFError
            free = free[number:]
        return data


_idle: dict[frozenset[Guest], list[_Process]] = {}
_lock = threading.Lock()


class Sandbox:
    """The process of one workspace, with the arrays that both see."""

    def __init__(self, work: Any, guests: frozenset[Guest], twin: Callable[[], Any]) -> None:
        shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
        file: Any = tempfile.TemporaryFile(dir=shared)  # noqa: SIM115  # `_release` closes it
        self.memory = Memory(file)
        self._guests, self._opening = guests, ("open", twin)
        self._process: _Process | None = None
        weakref.finalize(work, self._release)

    def call(self, work: Any, *request: Any) -> Any:
        """A method's answer from the other side. Raises StrategyError, also if it is lost."""
        begun = self._process is not None
        try:
            if self._process is None:
                self.open()
                assert self._process is not None
            return self._process.ask(request)
        except EOFError:
            question = work.question() if begun else None
            how = self._end()
            slot = 0 if question is None else question[2]
            if question is not None and isinstance(work.setup.lineup[slot].strategy, Guest):
                raise work._fault(how) from None
            raise StrategyError(f"{self._names()} {how} outside any question; mend it") from None
        except StrategyError:
            raise
        except BaseException:  # Ctrl-C too: an answer that nobody waits for would follow
            self._end()
            raise

    def open(self) -> None:
        """Have the other side make the workspace too. Raises StrategyError."""
        with _lock:
            waiting = _idle.get(self._guests)
            self._process = waiting.pop() if waiting else None
        try:
            if self._process is None:
                self._process = _Process()
            self._process.ask(self._opening, self.memory.file)
        except EOFError:
            how = self._end()
            raise StrategyError(
                f"{self._names()} {how} while it was loaded; mend it, or leave it out of the lineup"
            ) from None
        except BaseException:
            self._end()
            raise

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()

    def _names(self) -> str:
        return "strategy " + " or ".join(sorted(repr(guest.name) for guest in self._guests))

    def _end(self) -> str:
        process, self._process = self._process, None
        return process.end() if process is not None else "did not start"

    def _release(self) -> None:
        """The workspace is gone: its process may serve another."""
        self.memory.file.close()
        process, self._process = self._process, None
        if process is None:
            return
        with _lock:
            if sum(map(len, _idle.values())) < MOST_IDLE and process._popen.poll() is None:
                _idle.setdefault(self._guests, []).append(process)
                return
        process.end()


def in_sandbox(method: F) -> F:
    """For a method of a workspace that asks strategies: with guests, the other side runs it.

    It takes what can be pickled and returns numbers and arrays of numbers, or a tuple of them.
    """

    @wraps(method)
    def run(work: Any, *arguments: Any) -> Any:
        if work.sandbox is None:
            return method(work, *arguments)
        return work.sandbox.call(work, method.__name__, *arguments)

    return cast(F, run)


def encoded(found: Any) -> bytes:
    """An answer as bytes: the number of its arrays' bytes is in its JSON."""
    items = found if isinstance(found, tuple) else (found,)
    arrays = [np.ascontiguousarray(item) for item in items if isinstance(item, np.ndarray)]
    told = [
        {"dtype": item.dtype.str, "shape": item.shape}
        if isinstance(item, np.ndarray)
        else (item.item() if isinstance(item, np.generic) else item)
        for item in items
    ]
    text = json.dumps({"found": told, "single": not isinstance(found, tuple)}).encode()
    return b"".join([HEAD.pack(len(text)), text, *(array.tobytes() for array in arrays)])


def failed(error: str, text: str) -> bytes:
    """An error as an answer; error: a name of RAISED."""
    told = json.dumps({"error": error, "text": text}).encode()
    return HEAD.pack(len(told)) + told


def _decoded(data: bytearray) -> Any:
    """What `encoded` or `failed` was given. Raises that error."""
    (size,) = HEAD.unpack_from(data)
    told = json.loads(data[HEAD.size : HEAD.size + size])
    if "error" in told:
        raise RAISED.get(told["error"], RuntimeError)(told["text"])
    at = HEAD.size + size
    items = []
    for item in told["found"]:
        if isinstance(item, dict):
            kind, count = np.dtype(item["dtype"]), int(np.prod(item["shape"], dtype=np.int64))
            items.append(np.frombuffer(data, kind, count, at).reshape(item["shape"]))
            at += count * kind.itemsize
        else:
            items.append(item)
    return items[0] if told["single"] else tuple(items)


class Scribbled(StrategyError):
    """A strategy that wrote where others, or its own next question, could read it."""


RAISED = {"StrategyError": StrategyError, "Scribbled": Scribbled}
