"""The process that guests play in: `python -m simcore.simulation.sandboxed FD`.

simcore.simulation.sandbox starts it and says what is spoken; it ends when that one does.
"""

import os
import pickle
import select
import signal
import socket
import sys
import threading
import traceback
from typing import Any

from simcore.errors import BigTwoError, described
from simcore.simulation import sandbox
from simcore.strategies.host import ANSWER, LENGTH, stop_all


def main() -> None:
    """Serve the caller until it closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a process group's Ctrl-C is for the caller
    caller = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_end_with_the_caller, args=(caller.fileno(),), daemon=True).start()
    work: Any = None
    key, number = b"", 0
    while True:
        head, files, _, _ = socket.recv_fds(caller, LENGTH.size, 1)
        if len(head) < LENGTH.size:
            _end()
        what, *arguments = pickle.loads(_read(caller, LENGTH.unpack(head)[0]))
        if what == "path":
            sys.path[:], key = arguments
            continue
        try:
            if what == "open":
                work = None  # the one before gives its memory back
                sandbox.serving = sandbox.Memory(os.fdopen(files[0], "r+b"))
                work, answer = arguments[0](), sandbox.encoded(None)
            else:
                answer = sandbox.encoded(getattr(work, what)(*arguments))
        except sandbox.Scribbled as error:
            answer = sandbox.failed("Scribbled", str(error))
        except BigTwoError as error:
            answer = sandbox.failed("StrategyError", str(error))
        except Exception as error:
            answer = sandbox.failed("", f"{described(error)}\n{traceback.format_exc()}")
        caller.sendall(ANSWER.pack(key, number, len(answer)) + answer)
        number += 1


def _read(caller: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    free = memoryview(data)
    while free:
        number = caller.recv_into(free)
        if not number:
            _end()
        free = free[number:]
    return data


def _end_with_the_caller(fd: int) -> None:
    """Also in the middle of a question."""
    hung_up = select.poll()
    hung_up.register(fd, 0)
    hung_up.poll()
    _end()


def _end() -> None:
    stop_all()
    os._exit(0)


if __name__ == "__main__":
    main()
