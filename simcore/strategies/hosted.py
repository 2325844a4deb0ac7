"""The process that a user's strategy is loaded and asked in: `python -m simcore.strategies.hosted`.

simcore.strategies.host starts it and says what is spoken. What the strategy prints goes to stderr,
and there is nothing for it to read; the process ends when the one that started it does.
"""

import inspect
import json
import os
import pickle
import select
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

import numpy as np

from simcore.errors import BigTwoError, InputError, StrategyError, described
from simcore.foundation.jit import records
from simcore.foundation.rng import STREAM
from simcore.game.groups import PLAY
from simcore.game.ruleset import RuleSet
from simcore.strategies.host import ANSWER, INDEX, LENGTH, PROGRAM, QUESTION
from simcore.strategies.interface import HEAD, Strategy
from simcore.strategies.loading import is_plain, load_code
from simcore.strategies.position import Play, Position, position_of
from simcore.strategies.program import Fault, Program
from simcore.strategies.source import source_hash

NO_PLAY = -1


class Hosted:
    """The strategy, and the answers to what is asked about it."""

    def __init__(self, place: str, attribute: str) -> None:
        program = place.endswith(PROGRAM)
        self._code: Any = Program(place) if program else load_code(place, attribute)
        self._sets: list[tuple[tuple[float, ...], RuleSet]] = []  # of parameters, with the rules
        self._stream = records(STREAM, 1)
        self._keys: list[str] = []
        self._ending = threading.Lock()

    def describe(self) -> dict[str, Any]:
        """As Host.describe. Raises StrategyError for a parameter without a number."""
        code = self._code
        if isinstance(code, Program):
            return code.file.describe()
        if not is_plain(code):
            return _compiled(code)
        parameters = list(inspect.signature(code).parameters.values())
        if not isinstance(code, type):
            parameters = parameters[1:]  # the first is the position
        for parameter in parameters:
            if not isinstance(parameter.default, int | float):
                raise StrategyError(
                    f"parameter {parameter.name} of strategy {code.__name__!r} has no number as "
                    "its default; give it one"
                )
        self._keys = [p.name for p in parameters]
        file = Path(inspect.getsourcefile(code) or "")
        return {
            "plain": True,
            "name": code.__name__,
            "doc": inspect.getdoc(code) or "",
            "parameters": {p.name: {"default": float(p.default)} for p in parameters},
            "source": source_hash(file),
        }

    def remember(self, message: bytes) -> None:
        """Parameters and rules that questions will name by their number."""
        number, params, rules = pickle.loads(message)
        assert number == len(self._sets)
        self._sets.append((params, rules))

    def answer(self, question: bytes) -> bytes:
        """The index of the play chosen, the stream after it, and what went wrong."""
        number, n_plays = QUESTION.unpack_from(question)
        end = QUESTION.size + HEAD.itemsize
        head = np.frombuffer(question, HEAD, 1, QUESTION.size)[0]
        plays = np.frombuffer(question, PLAY, n_plays, end)
        self._stream[:] = np.frombuffer(question, STREAM, 1, end + plays.nbytes)
        index, problem = NO_PLAY, ""
        try:
            params, rules = self._sets[number]
            view = dict(zip(HEAD.names or (), head.item(), strict=True))
            position = position_of(view, plays, rules, self._stream[0])
            if isinstance(self._code, Program):
                index = self._code.choose(position, params)
            else:
                index, problem = self._of_plain(params, position)
        except Fault as error:
            problem = str(error)
        except BaseException as error:
            problem = f"raised {described(error)}"
        stream = self._stream.tobytes()
        told = problem.encode("utf-8", "backslashreplace")
        return b"".join((INDEX.pack(index), LENGTH.pack(len(stream)), stream, told))

    def _of_plain(self, params: tuple[float, ...], position: Position) -> tuple[int, str]:
        """The index that one in plain Python chooses, and what is wrong with it."""
        found = self._chooser(params)(position)
        if isinstance(found, Play) and found in position.plays:
            return position.plays.index(found), ""
        return NO_PLAY, f"returned {found!r:.80}, which is none of position.plays"

    @lru_cache(maxsize=64)  # noqa: B019  # there is one of these, as long as the process
    def _chooser(self, params: tuple[float, ...]) -> Callable[[Position], Any]:
        """What answers with these parameters: a class is made at its first question."""
        code, values = self._code, dict(zip(self._keys, params, strict=True))
        if not isinstance(code, type):
            return lambda position: code(position, **values)
        return cast(Callable[[Position], Any], code(**values).choose)

    def end(self) -> NoReturn:
        """End this process, with its program but without the last words of a strategy in Python."""
        with self._ending:
            if isinstance(self._code, Program):
                self._code.end()
            os._exit(0)


def _compiled(strategy: Strategy) -> dict[str, Any]:
    """What a compiled strategy is. Raises StrategyError if it does not compile."""
    strategy.function  # noqa: B018  # whoever writes it hears at once
    fields = {p.name: asdict(p) | {"words": list(p.words)} for p in strategy.parameters}
    return {
        "plain": False,
        "name": strategy.name,
        "doc": strategy.doc,
        "parameters": fields,
        "source": strategy.source_hash,
        "weights": list(strategy.weights),
        "networks": strategy.networks,
    }


def main() -> None:
    """Serve the caller until it closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a process group's Ctrl-C is for the caller
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    loaded: list[Hosted] = []
    watching = threading.Thread(target=_end_with_the_caller, args=(questions, loaded), daemon=True)
    watching.start()
    key, number = b"", 0
    while request := _next(questions):
        what, message = request[:1], request[1:]
        if what == b"M":
            loaded[0].remember(message)
            continue
        if what == b"L":
            about = json.loads(message)
            key = bytes.fromhex(about["key"])
            sys.path[:] = about["path"]
            try:
                loaded.append(Hosted(about["place"], about["attribute"]))
                found = loaded[0].describe()
            except BigTwoError as error:
                kind = "InputError" if isinstance(error, InputError) else "StrategyError"
                found = {"error": kind, "text": str(error)}
            except BaseException as error:
                where = f"strategy {about['place']}:{about['attribute']}"
                text = f"{where} does not load: {described(error)}"
                found = {"error": "StrategyError", "text": text}
            answer = json.dumps(found).encode()
        else:
            answer = loaded[0].answer(message)
        data = ANSWER.pack(key, number, len(answer)) + answer
        try:
            while data:
                data = data[os.write(answers, data) :]
        except BrokenPipeError:
            _end(loaded)
        number += 1
    _end(loaded)


def _next(questions: BinaryIO) -> bytes:
    head = questions.read(LENGTH.size)
    return questions.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


def _end_with_the_caller(questions: BinaryIO, loaded: list[Hosted]) -> None:
    """Also in the middle of a question."""
    hung_up = select.poll()
    hung_up.register(questions.fileno(), 0)
    hung_up.poll()
    _end(loaded)


def _end(loaded: list[Hosted]) -> NoReturn:
    if loaded:
        loaded[0].end()
    os._exit(0)


if __name__ == "__main__":
    main()
