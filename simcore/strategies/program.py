"""Strategies in any language: a TOML file that names a program which speaks lines of JSON.

    name = "thrifty"                 # bot.toml; a lineup names it: bot.toml:hold=3,dump
    version = "1.2"
    about = "Keeps its 2s."          # what `bigtwo strategies show` prints; may be left out
    argv = ["perl", "thrifty.pl"]    # files beside the TOML file, which the program starts among
    [parameters]                     # numbers, or tables of default, about, least and most
    hold = 5
    [limits]                         # seconds; may be left out
    start = 10
    decision = 2

Every message is one line. Version 1 of the protocol, `>` to the program, `<` from it:

    > {"type": "hello", "protocol": 1, "name": …, "version": …, "parameters": {"hold": 5.0},
       "rules": {…}}
    < {"protocol": 1}
    > {"type": "position", "hand": ["3c", …], "plays": [{"cards": ["3c"], "kind": "single",
       "strength": 0}, …], …, "seed": 1234}
    < {"index": 0}  or  {"cards": ["3c"]}, the pass with no cards
    > {"type": "bye"}

A position has the fields of simcore.strategies.position.Position, without rules and rng; `seed`, 0
to 2**31 - 1, is the only chance that a program may use, for the same question must get the same
answer. A program hears one hello, and there is one for each core, set of parameters and rule set.

simcore.strategies.hosted starts it, in the process that stands between it and the engine.
"""

import hashlib
import json
import math
import os
import select
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from simcore.errors import InputError, nearest, shown
from simcore.game.cards import parse_cards
from simcore.game.ruleset import RuleSet
from simcore.plain_data import Unreadable, parse_json, parse_toml, read_text
from simcore.strategies.host import ending
from simcore.strategies.position import Play, Position

PROTOCOL = 1
KEYS = ("name", "version", "about", "argv", "parameters", "limits")
LIMITS = {"start": 60.0, "decision": math.inf}  # seconds; a run's own --decision-limit holds too
PARAMETER = ("default", "about", "least", "most")
MOST_LINE = 1 << 16  # bytes of an answer
MOST_RUNNING = 4  # programs of one strategy in one process: with other parameters or rules
PARTING = 0.5  # seconds between bye and the end
TOLD = [f.name for f in fields(Position) if f.name not in ("rules", "rng")]


class Fault(Exception):
    """What a program did wrong, in the words behind its name."""


@dataclass(frozen=True)
class ProgramFile:
    """What a TOML file says about its program."""

    folder: Path
    name: str
    version: str
    about: str
    argv: tuple[str, ...]
    parameters: dict[str, dict[str, Any]]  # fields of Parameter, by name
    limits: dict[str, float]
    source: str  # by which it is known: of the TOML file, and of the files that argv names

    def describe(self) -> dict[str, Any]:
        """As Host.describe."""
        program = f"Program {self.name} {self.version}: {' '.join(self.argv)}"
        return {
            "plain": True,
            "name": self.name,
            "doc": f"{self.about}\n\n{program}".strip(),
            "parameters": self.parameters,
            "source": self.source,
        }


def read_program(place: str) -> ProgramFile:
    """What a strategy's TOML file says; nothing is started. Raises InputError."""
    path = Path(place)
    try:
        text = read_text(path)
        found = parse_toml(text)
        for key in found:
            if key not in KEYS:
                raise Unreadable(f"it has an unknown key {shown(key)}; {nearest(key, KEYS)}")
        name, version = (_text(found, key) for key in ("name", "version"))
        argv = found.get("argv")
        if not isinstance(argv, list) or not argv or not all(isinstance(w, str) for w in argv):
            raise Unreadable('argv must be a list of words, as in ["perl", "bot.pl"]')
        parameters = {key: _parameter(key, value) for key, value in _table(found, "parameters")}
        limits = dict(LIMITS)
        for key, value in _table(found, "limits"):
            if key not in LIMITS:
                raise Unreadable(f"limits has an unknown key {shown(key)}; {nearest(key, LIMITS)}")
            if not _is_number(value) or value <= 0:
                raise Unreadable(f"limits.{key} is {shown(value)}; give seconds, above 0")
            limits[key] = float(value)
        about = _text(found, "about") if "about" in found else ""
        folder = path.resolve().parent
        source = _source(text, folder, argv)
    except OSError as error:
        raise InputError(
            f"strategy file {shown(place)} cannot be read ({error.strerror}); check the path"
        ) from None
    except Unreadable as error:
        raise InputError(f"strategy file {shown(place)}: {error}") from None
    return ProgramFile(folder, name, version, about, tuple(argv), parameters, limits, source)


def _text(found: dict[str, Any], key: str) -> str:
    value = found.get(key)
    if not isinstance(value, str) or not value.strip():
        raise Unreadable(f'{key} is {shown(value)}; give a text, as in {key} = "…"')
    return value


def _table(found: dict[str, Any], key: str) -> list[tuple[str, Any]]:
    value = found.get(key, {})
    if not isinstance(value, dict):
        raise Unreadable(f"{key} is {shown(value)}; give a table [{key}]")
    return list(value.items())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _parameter(key: str, value: Any) -> dict[str, Any]:
    """The fields of a Parameter."""
    if not key.isidentifier():
        raise Unreadable(f"parameters has a name {shown(key)}; write it with letters, digits and _")
    given = value if isinstance(value, dict) else {"default": value}
    for inner in given:
        if inner not in PARAMETER:
            raise Unreadable(f"parameters.{key} has an unknown key {shown(inner)}; known: "
                             f"{', '.join(PARAMETER)}")  # fmt: skip
    if not isinstance(given.get("about", ""), str):
        raise Unreadable(f"parameters.{key}.about is {shown(given['about'])}; give a text")
    for inner in ("default", *(k for k in ("least", "most") if k in given)):
        if not _is_number(given.get(inner)):
            raise Unreadable(
                f"parameters.{key}.{inner} is {shown(given.get(inner))}; give a number"
            )
    return given


def _source(text: str, folder: Path, argv: list[str]) -> str:
    """The hash of the file and of all files that argv names, which are looked for beside it."""
    found = hashlib.sha256(text.encode())
    files = [folder / word for word in argv]
    for file in files:
        if file.is_file():
            found.update(hashlib.sha256(file.read_bytes()).digest())
    if not files[0].is_file() and (os.sep in argv[0] or shutil.which(argv[0]) is None):
        raise Unreadable(
            f"argv begins with {shown(argv[0])}, which is no file beside it and no command; "
            "check the path"
        )
    return found.hexdigest()[:16]


# --------------------------------------------------------------------------- the running program


class Program:
    """The program of a file, running where it is asked: once for all parameters and rules."""

    def __init__(self, place: str) -> None:
        self.file = read_program(place)
        self._running: dict[tuple[tuple[float, ...], RuleSet], _Running] = {}

    def choose(self, position: Position, params: tuple[float, ...]) -> int:
        """The index of the play that it chooses. Raises Fault."""
        key = params, position.rules
        running = self._running.pop(key, None)
        try:
            if running is None:
                for oldest in list(self._running)[: 1 - MOST_RUNNING]:
                    self._running.pop(oldest).end()
                running = self._running[key] = _Running(self.file)
                running.hello(params, position.rules)
            self._running[key] = running  # the longest unused first
            return running.choose(position)
        except BaseException:
            if running is not None:
                del self._running[key]
                running.end()
            raise

    def end(self) -> None:
        """Say bye, and end every process."""
        for running in list(self._running.values()):
            running.end()


class _Running:
    """One process of the program, from hello to bye."""

    def __init__(self, file: ProgramFile) -> None:
        self._file = file
        self._unread = b""
        self._last_words = ""
        argv = list(file.argv)
        if (file.folder / argv[0]).is_file():
            argv[0] = str(file.folder / argv[0])
        try:
            self._process = subprocess.Popen(
                argv, cwd=file.folder, bufsize=0, process_group=0, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        except OSError as error:
            raise Fault(f"could not be started ({error.strerror}: {argv[0]})") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def hello(self, params: tuple[float, ...], rules: RuleSet) -> None:
        """Tell parameters and rules. Raises Fault."""
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "name": self._file.name,
            "version": self._file.version,
            "parameters": dict(zip(self._file.parameters, params, strict=True)),
            "rules": rules.as_dict(),
        }
        said = self._ask(hello, "start")
        if said != {"protocol": PROTOCOL}:
            raise Fault(
                f"answered hello with {_quoted(said)}; the answer is {_json({'protocol': 1})}"
            )

    def choose(self, position: Position) -> int:
        question = {name: getattr(position, name) for name in TOLD}
        seed = position.rng.below(1 << 31)
        said = self._ask({"type": "position", **question, "seed": seed}, "decision")
        plays = position.plays
        match said:
            case {"index": int(index)} if len(said) == 1 and not isinstance(index, bool):
                if not 0 <= index < len(plays):
                    raise Fault(
                        f"answered index {index} of {len(plays)} plays (0 to {len(plays) - 1})"
                    )
                return index
            case {"cards": list() | str() as cards} if len(said) == 1:
                try:
                    chosen = parse_cards([] if cards == "pass" else cards, position.rules.suits)
                except (InputError, TypeError, AttributeError):
                    raise Fault(f"answered {_quoted(said)}, which are no cards") from None
                for index, play in enumerate(plays):
                    if set(parse_cards(play.cards, position.rules.suits)) == set(chosen):
                        return index
                what = "the pass" if not chosen else f"the cards {_quoted(cards)}"
                raise Fault(f"answered with {what}, which is none of the legal plays")
        raise Fault(f'answered {_quoted(said)}; the answer is {{"index": …}} or {{"cards": […]}}')

    def end(self) -> None:
        """Say bye, wait a little, and end it with all that it started."""
        if self._process.poll() is None:
            with suppress(OSError):
                os.write(self._in, _json({"type": "bye"}).encode() + b"\n")
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PARTING)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._listening.join(PARTING)
        self._process.stdout.close()

    def _ask(self, message: dict[str, Any], limit: str) -> Any:
        """Send a line, read one. Raises Fault."""
        until = time.monotonic() + self._file.limits[limit]
        if limit == "decision" and (self._unread or select.select([self._out], [], [], 0)[0]):
            raise Fault(f"wrote {self._rest()} before it was asked; every answer is one line")
        data = memoryview(_json(message).encode() + b"\n")
        while data:
            self._wait(until, limit, writing=True)
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                break  # what it said before it ended, or how it ended, tells
        while b"\n" not in self._unread:
            if len(self._unread) > MOST_LINE:
                raise Fault(f"wrote a line of more than {MOST_LINE:,} bytes")
            self._wait(until, limit, writing=False)
            piece = os.read(self._out, 1 << 16)
            if not piece:
                raise Fault(self._how_it_ended())
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            return parse_json(line)
        except Unreadable:
            raise Fault(
                f"wrote {_quoted(line.decode('utf-8', 'replace'))}, which is no JSON"
            ) from None

    def _wait(self, until: float, limit: str, writing: bool) -> None:
        left = max(0.0, until - time.monotonic())
        ready = select.select(
            [] if writing else [self._out],
            [self._in] if writing else [],
            [],
            None if math.isinf(left) else left,
        )
        if not any(ready):
            what = "no answer to hello" if limit == "start" else "no answer"
            raise Fault(f"gave {what} for {self._file.limits[limit]:g} seconds (limits.{limit})")

    def _rest(self) -> str:
        """What it has written without being asked, or how it ended meanwhile."""
        rest = self._unread or os.read(self._out, 1 << 10)
        if not rest:
            raise Fault(self._how_it_ended())
        return _quoted(rest.decode("utf-8", "replace"))

    def _how_it_ended(self) -> str:
        try:
            how = ending(self._process.wait(2.0))
        except subprocess.TimeoutExpired:
            how = "closed the pipe that its answers come through"
        self._listening.join(PARTING)
        said = f", with {_quoted(self._last_words)} on stderr" if self._last_words else ""
        return how + said

    def _listen(self) -> None:
        """Pass on what it writes to stderr, and keep the last line."""
        assert self._process.stderr is not None
        with self._process.stderr as errors:
            while piece := errors.read(1 << 16):
                os.write(2, piece)
                if said := piece.decode("utf-8", "replace").strip():
                    self._last_words = said.splitlines()[-1]


def _json(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """A play, or a number of numpy's, as JSON has them."""
    if isinstance(value, Play):
        return {"cards": value.cards, "kind": value.kind, "strength": value.strength}
    return int(value)


def _quoted(said: object) -> str:
    """What a program said, short enough for a sentence."""
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
