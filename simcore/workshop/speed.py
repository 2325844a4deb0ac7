"""How fast this machine is, with goals that hold on any machine.

Goals are stated in rounds of a fixed calibration kernel (simcore.foundation.calibration), which is
timed in turn with what it is compared with. One thread is timed by its processor time, so that a
busy machine disturbs little; several threads by the clock.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any

from simcore.errors import RunError
from simcore.foundation.calibration import calibrate
from simcore.runs.collect import Collector, usable_cores
from simcore.simulation.setup import Setup, Workspace, make_setup
from simcore.strategies.registry import BUILT_IN
from simcore.workshop.profile import profile

# Rounds that a playout took a C program with bit tricks, compiled with gcc -O3 -march=native, that
# lists every legal play on every turn of douque: choosing at random, and choosing the weakest.
# Measured beside the calibration kernel on one core of a Zen 4 server processor.
LISTING_RANDOM, LISTING_LOWEST = 151.0, 96.0
TIMES_AS_FAST = 1.5  # as that program
OTHER_RULES = 0.8  # as fast as douque
TWO_THREADS = 1.9  # as fast as one
KEEPING_PLAYOUTS = 0.85  # as fast as keeping sums only
DECISION_ROUNDS = {"linear": 117.0, "smart": 175.0}  # 2 µs and 3 µs there

CASES = [
    ("douque", "random"),
    ("douque", "lowest"),
    ("douque", "dump"),
    ("maceplay", "random"),
    ("lockout", "random"),
    ("royal", "random"),
]
PARALLEL = [("douque", "random"), ("douque", "lowest")]
ROUNDS = 15  # short ones, in turn: a slow moment of the machine hits all alike
PARALLEL_ROUNDS = 5


@dataclass(frozen=True)
class Figure:
    """One measured figure with its goal."""

    what: str
    rules: str
    strategy: str  # in all slots
    threads: int
    figure: float
    unit: str  # playouts/s, ns (lower is better) or × (a ratio of two speeds)
    rounds: float | None  # of the calibration kernel in the time of one playout or decision
    goal: float | None  # in the unit of the figure, for this machine

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached, where there is one."""
        if self.goal is None:
            return None
        return self.figure <= self.goal if self.unit == "ns" else self.figure >= self.goal

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return asdict(self) | {"reached": self.reached}


def calibration(rounds: int = 400_000) -> float:
    """Rounds of the calibration kernel in a second of processor time."""
    started = thread_time()
    calibrate(rounds)
    return rounds / (thread_time() - started)


class _Pace:
    """A workspace that plays for about `seconds`, on and on through the deals."""

    def __init__(self, setup: Setup, seconds: float) -> None:
        self._work = Workspace(setup)
        self._at = 0
        self._deals = 64
        while self._play() < seconds / 2:
            self._deals *= 2

    def _play(self) -> float:
        started = thread_time()
        self._work.play(self._at, self._deals)
        self._at += self._deals
        return thread_time() - started

    def speed(self) -> float:
        """Playouts a second of processor time."""
        return self._deals / self._play()


def one_thread(seconds: float) -> Iterator[Figure]:
    """Playouts a second of the cases, dealing and payoffs included; about `seconds` for each."""
    paces = [_Pace(make_setup(*case, seatings="fixed"), seconds / ROUNDS) for case in CASES]
    calibrations, speeds = [], []
    for _ in range(ROUNDS):
        calibrations.append(calibration())
        speeds.append([pace.speed() for pace in paces])
    machine = median(calibrations)
    relative = [
        median(c / v for c, v in zip(calibrations, column, strict=True))
        for column in zip(*speeds, strict=True)
    ]
    for (rules, strategy), rounds, column in zip(
        CASES, relative, zip(*speeds, strict=True), strict=True
    ):
        listing = LISTING_RANDOM if strategy == "random" else LISTING_LOWEST
        goal = machine * TIMES_AS_FAST / listing
        if rules != "douque":
            goal = machine * OTHER_RULES / relative[0]
        yield Figure("playouts", rules, strategy, 1, median(column), "playouts/s", rounds, goal)


def _collected(setup: Setup, deals: int, threads: int, out: str | None = None) -> float:
    """Playouts a second of a whole run."""
    run = Collector(setup, deals, threads, out, summary_only=out is None).run()
    return run.played / run.seconds


def parallel(seconds: float) -> Iterator[Figure]:
    """Two threads against one, and keeping every playout against keeping sums only."""
    threads = min(2, usable_cores())
    for rules, strategy in PARALLEL:
        setup = make_setup(rules, strategy, seatings="fixed")
        speed = _collected(setup, max(1_000, int(100_000 * seconds)), 1)
        deals = max(1_000, int(speed * seconds))
        more: list[float] = []
        keeping: list[float] = []
        for _ in range(PARALLEL_ROUNDS):
            before, several, after = (_collected(setup, deals * n, n) for n in (1, threads, 1))
            more.append(2 * several / (before + after))
            with tempfile.TemporaryDirectory() as folder:
                kept = _collected(setup, deals * threads, threads, str(Path(folder, "run")))
            keeping.append(kept / several)
        if threads > 1:
            yield Figure(
                "threads: two over one", rules, strategy, 2, median(more), "×", None, TWO_THREADS
            )
        yield Figure(
            "playouts kept over sums only", rules, strategy, threads, median(keeping), "×", None,
            KEEPING_PLAYOUTS,
        )  # fmt: skip


def decisions(seconds: float) -> Iterator[Figure]:
    """Nanoseconds for the legal plays and the choice of every built-in strategy."""
    for name in BUILT_IN:
        machine = calibration()
        cost = profile(make_setup("douque", name), rounds=5, seconds=seconds / 10).decision
        rounds = DECISION_ROUNDS.get(name)
        yield Figure(
            "a decision", "douque", name, 1, cost, "ns", cost * machine / 1e9,
            None if rounds is None else 1e9 * rounds / machine,
        )  # fmt: skip


# --------------------------------------------------------------------------- growth

_RUN = """
import resource, sys
from simcore import simulate
deals, players, threads, out = sys.argv[1:]
run = simulate("royal", "random", int(deals), players=int(players), threads=int(threads),
               out=out or None, summary_only=not out)
print(run.played / run.seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class Growth:
    """The cost of one run of `random` on royal, which three play as well as four."""

    deals: int
    players: int
    keeps: str  # playouts or sums
    playouts_per_second: float
    peak_bytes: int
    disk_bytes: int


def growth(deals: int, players: int, keep: bool) -> Growth:
    """Play such a run in a process of its own, with all cores. Raises RunError if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "run")) if keep else ""
        command = [sys.executable, "-c", _RUN, *map(str, (deals, players, usable_cores())), out]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RunError(f"a run of {deals} deals failed: {done.stderr.strip()[-300:]}")
        speed, peak = done.stdout.split()
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss
    keeps = "playouts" if keep else "sums"
    return Growth(deals, players, keeps, float(speed), int(peak) * unit, size)


Measure = Callable[[float], Iterator[Figure]]
MEASURES: tuple[Measure, ...] = (one_thread, parallel, decisions)
