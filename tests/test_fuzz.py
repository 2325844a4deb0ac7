"""Whatever is handed over: exit 0 or 2 and a sentence, no traceback, bounded time and memory.

Seeded: a failure names its kind and number, and `attempt(kind, number, …)` tries that input again.
The short part is for every day; the long one (-m slow) prints its figures.
"""

import os
import random
import resource
import shutil
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

from simcore import simulate
from simcore.strategies.weights import SHIPPED
from tests.bent_runs import RUN_KINDS
from tests.command import Result, call
from tests.mutations import lineup_of, records_of, rules_of, weights_of

STORED = Path(__file__).parent / "data" / "stored"
KINDS = (*RUN_KINDS, "rules", "lineup", "weights", "records")
SHORT = dict.fromkeys(KINDS, 30) | {"document": 60, "rules": 60, "lineup": 50}
CPU = 20  # seconds of all threads that one command may take
WALL = 300  # seconds until one counts as waiting for ever, on a machine that is busy
GROWTH = 1 << 30  # bytes that one command may add to what the process has
LONGEST = 4000  # characters of what is said on stderr


class Hang(BaseException):
    """A command took too long."""


@dataclass
class Figures:
    """What one kind of input took."""

    tried: int = 0
    accepted: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    peak: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.tried} tried, {self.accepted} accepted, {self.seconds:.0f} s of CPU, longest "
            f"{self.longest:.2f} s, peak +{self.peak >> 20} MB, {len(self.faults)} faults"
        )


@contextmanager
def watched() -> Iterator[None]:
    """Raises Hang for a command that takes too long; ends the process if a kernel does."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang(signal.Signals(number).name)

    before = {n: signal.signal(n, stop) for n in (signal.SIGPROF, signal.SIGALRM)}
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 6 * CPU, hard))
    signal.setitimer(signal.ITIMER_PROF, CPU)
    signal.setitimer(signal.ITIMER_REAL, WALL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)


def memory(what: str) -> int:
    """VmRSS, or VmHWM, its peak since `forget_peak`, in bytes."""
    text = Path("/proc/self/status").read_text("ascii")
    return int(text.split(f"{what}:")[1].split()[0]) << 10


def run_commands(run: Path, folder: Path, lineup: str) -> list[list[object]]:
    """What is asked of a run."""
    return [
        ["runs", "show", run],
        ["runs", "show", run, "--check", "--json"],
        ["runs", "list", run.parent],
        ["runs", "verify", run, "--sample", 3],
        ["analyse", "means", run],
        ["analyse", "distributions", run],
        ["analyse", "rare", run],
        ["analyse", "hands", run, "--deals", 5],
        ["replay", run, "--deal", 1],
        ["report", run, "-o", folder / "r.md", "--deals", 3],
        ["runs", "export", run, "--to", "csv", "--out", folder / "r.csv"],
        ["runs", "export", run, "--to", "parquet", "--out", folder / "r.parquet"],
        ["runs", "combine", run, STORED / "maceplay", "--out", folder / "whole"],
        ["simulate", "--lineup", lineup, "--deals", 12, "--seed", 3, "--out", run],
    ]


def rules_commands(rules: str) -> list[list[object]]:
    """What is asked of rules."""
    return [
        ["rules", "check", rules],
        ["rules", "show", rules],
        ["rules", "show", rules, "--file"],
        ["payoff", "--rules", rules, "--last", "3d", "--left", "2s 2h", "--left", "4c 4d",
         "--left", "9c"],
        ["plays", "--rules", rules, "--hand", "3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c"],
        ["simulate", "--lineup", "random", "--deals", 1, "--rules", rules],
    ]  # fmt: skip


RECORDS: list[list[object]] = [
    ["records", "check"],
    ["records", "check", "--json"],
    ["records", "show"],
    ["records", "show", "--hand", 2],
    ["audit"],
]


@cache
def written_by(run: Path) -> list[str]:
    """The playouts of a run as records, a line each."""
    return call("records", "write", run).out.splitlines()


def attempt(
    kind: str, number: int, bases: list[Path], folder: Path, figures: Figures, commands: int = 1
) -> None:
    """Make one input, and run some commands on it; faults are noted in the figures."""
    rng = random.Random(f"{kind} {number}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if kind in RUN_KINDS:
        run = folder / "runs" / "run"
        shutil.copytree(rng.choice(bases), run)
        what = RUN_KINDS[kind](rng, run)
        possible = run_commands(run, folder, "random,dump")
    elif kind == "records":
        file = folder / "hands.jsonl"
        what = records_of(rng, file, written_by(bases[0]))
        possible = [[*words, file] for words in RECORDS]
    elif kind == "rules":
        what = rules_of(rng, folder)
        possible = rules_commands(what)
    else:
        os.mkfifo(folder / "pipe")
        (folder / "binary.py").write_bytes(rng.randbytes(100))
        shipped = (SHIPPED / "linear-douque.toml").read_text("utf-8")
        what = lineup_of(rng, folder) if kind == "lineup" else weights_of(rng, folder, shipped)
        possible = [["simulate", "--lineup", what, "--deals", 1]]
    for words in rng.sample(possible, min(commands, len(possible))):
        figures.tried += 1
        fault = _fault(words, figures)
        if fault:
            figures.faults.append(f"{kind} {number} ({what!r:.150}), {words[:2]}: {fault}")


def _fault(words: list[object], figures: Figures) -> str:
    """What is wrong with how one command ended, "" for nothing."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak begins anew
    rss, started = memory("VmRSS"), time.process_time()
    try:
        with watched():
            done = call(*words)
    except Hang as hang:
        return f"no end ({hang}): {traceback.format_exc()[-1500:]}"
    except BaseException:
        return traceback.format_exc()[-1500:]
    took, grown = time.process_time() - started, memory("VmHWM") - rss
    figures.seconds += took
    figures.longest, figures.peak = max(figures.longest, took), max(figures.peak, grown)
    figures.accepted += done.status == 0
    sentence = done.err.splitlines()[-1:] if done.status else ["bigtwo: "]
    if done.status == 1 and words[0] in ("records", "audit"):  # their answer: there is a fault
        sentence = ["bigtwo: "]
        done = Result(0, done.out, done.err)
    if done.status not in (0, 2) or not sentence or not sentence[0].startswith("bigtwo: "):
        return f"status {done.status}, {done.err[-300:]!r}"
    if len(done.err) > LONGEST or "Traceback" in done.err:
        return f"{len(done.err)} characters: {done.err[:300]!r}"
    if any(ord(c) < 32 and c not in "\t\n" for c in done.err + done.out):
        return "commands for the terminal"
    return f"{grown >> 20} MB" if grown > GROWTH else ""


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Small runs: of today, with rows and with sums, and of version 0.1.0."""
    place = tmp_path_factory.mktemp("bases")
    simulate("douque", "random,dump", 10, seed=3, out=place / "rows", threads=1)
    simulate("douque", "random,dump", 12, seed=3, out=place / "rows", threads=1)
    simulate("douque", "random,dump", 12, out=place / "sums", summary_only=True, threads=1)
    stored = [STORED / name for name in ("maceplay", "two", "summary")]
    return [place / "rows", place / "sums", *stored]


@pytest.mark.parametrize("kind", KINDS)
def test_some_inputs_of_each_kind(kind: str, bases: list[Path], tmp_path: Path) -> None:
    figures = Figures()
    for number in range(SHORT[kind]):
        attempt(kind, number, bases, tmp_path / "x", figures)
    assert not figures.faults, "\n".join(figures.faults[:3])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_inputs_of_each_kind(
    kind: str, bases: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`BIGTWO_FUZZ` inputs of each kind (2,000), with three commands each."""
    figures = Figures()
    for number in range(int(os.environ.get("BIGTWO_FUZZ", 2000))):
        attempt(kind, 1_000_000 + number, bases, tmp_path / "x", figures, 3)
    with capsys.disabled():
        print(f"\n{kind}: {figures}")
    assert not figures.faults, "\n".join(figures.faults[:20])
