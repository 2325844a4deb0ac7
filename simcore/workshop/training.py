"""Training a network for a rule set by playing against itself.

It begins with playouts of `linear` and `control`, who now and then play at random, and goes on in
rounds: the network as it is plays against itself, and learns once from every choice of the round,
by what its seat was paid in the end. What plays, and is judged on deals that no round saw, is the
average of the newest weights, in whole numbers.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simcore.errors import InputError, RunError
from simcore.game.ruleset import RuleSet, load_rules
from simcore.runs.provenance import command, now, software
from simcore.runs.stopping import parse_time
from simcore.simulation.setup import Setup, make_setup
from simcore.strategies.networks import (
    HIDDEN,
    N_INPUTS,
    SCALES,
    WIDTH,
    Network,
    network,
    write_network,
)
from simcore.strategies.registry import Entrant, parse_entrant, parse_lineup
from simcore.workshop.judging import Judgement, judge
from simcore.workshop.learning import FLOATS, learn
from simcore.workshop.lessons import Lesson, join, record_lesson

ROUND = 40_000  # playouts of a round
FIRST = 200_000  # playouts of the cheap strategies, before it plays itself
JOB = 2_000  # playouts that a thread plays at once
TEACHERS, FIRST_NOISE = ("linear", "control"), 0.1
NOISE = 0.03  # how often it plays at random in training
FASTEST, SLOWEST = 2e-3, 5e-5  # rates of learning, first and last
# Learners work side by side and agree on the mean of their weights after so many positions each.
LEARNERS, AGREED = 2, 25_600
BATCH, SHARE = 128, 0.001  # positions of a step; weight of the newest values in the average
CURVE = 20  # judgements on the way
CURVE_DEALS = 500
SIZE = FLOATS.itemsize // 4


@dataclass(frozen=True)
class Budget:
    """How long to train: playouts, or seconds."""

    playouts: int | None = None
    seconds: float | None = None

    def share(self, playouts: int, seconds: float) -> float:
        """How much of it is used up, 0 to 1."""
        if self.playouts is not None:
            return min(1.0, playouts / self.playouts)
        return min(1.0, seconds / (self.seconds or 1.0))


@dataclass(frozen=True)
class Trained:
    """What came out."""

    network: Network
    verdict: list[Judgement]
    curve: list[Judgement]
    playouts: int
    seconds: float
    complete: bool


def quantised(values: Any, unit: float, about: dict[str, Any]) -> Network:
    """The network of whole numbers; values: float32[SIZE], in the order of FLOATS."""
    floats = values.view(FLOATS)[0]
    first, second, third = SCALES
    whole = np.iinfo(np.int16)

    def rounded(name: str, scale: int) -> Any:
        return np.clip(np.rint(floats[name] * scale), whole.min, whole.max)

    fields = {
        "first": rounded("first", first),
        "second": rounded("second", second),
        "second_bias": np.rint(np.clip(floats["second_bias"], -1e3, 1e3) * first * second),
        "third": rounded("third", third),
        "third_bias": np.rint(np.clip(floats["third_bias"][0], -1e3, 1e3) * first * third),
        "unit": unit,
    }
    # Sums of the second layer have to fit into 32 bits whatever the inputs are.
    most = np.abs(fields["second"]).sum(axis=1) * 16 * first + np.abs(fields["second_bias"])
    if most.max() >= 2**31:
        raise RunError("training went astray: weights of the second layer are too large")
    return network(fields, about)


class Trainer:
    """One training, from its beginning or from its checkpoint on."""

    def __init__(
        self,
        rules: str | RuleSet,
        out: str | Path,
        budget: Budget,
        seed: int = 0,
        players: Sequence[int] | None = None,
        threads: int = 1,
        round_playouts: int = ROUND,
        first_playouts: int = FIRST,
        verdict_deals: int = 4_000,
    ) -> None:
        """players: numbers of players to train with; default: all that the rule set allows.

        Raises InputError, RunError if the checkpoint is of another training.
        """
        self.rules = load_rules(rules)
        self.out, self.budget, self.seed, self.threads = Path(out), budget, seed, threads
        allowed = self.rules.players
        for number in players or ():
            if number not in allowed:
                names = " or ".join(map(str, allowed))
                raise InputError(
                    f"{number} players: rule set {self.rules.name!r} is played by {names}"
                )
        self.players = tuple(players or allowed)
        if self.out.suffix != ".npz":
            raise InputError(f"weights of a network go into a file .npz, not {str(out)!r}")
        if not self.out.parent.is_dir():
            raise InputError(f"the folder of {str(out)!r} does not exist; make it first")
        if threads < 1:
            raise InputError(f"{threads} threads are out of bounds: at least 1")
        for what, number in (("a round", round_playouts), ("the start", first_playouts)):
            if not 100 <= number <= 10_000_000:
                raise InputError(f"{number} playouts of {what}: out of bounds, 100 to 10,000,000")
        self.round_playouts, self.first_playouts = round_playouts, first_playouts
        self.verdict_deals = verdict_deals
        self.checkpoint = self.out.with_name(self.out.name + ".checkpoint")
        self.log = self.out.with_name(self.out.name + ".log")
        self.stop = False
        self.flat = np.zeros((5, SIZE), np.float32)
        self.round = self.steps = self.playouts = 0
        self.seconds, self.unit = 0.0, 1.0
        self.curve: list[Judgement] = []

    # ------------------------------------------------------------------ playing

    def first_table(self) -> Setup:
        """A table of the first round."""
        return next(self._setups(1))

    @property
    def _numbers(self) -> tuple[int, ...]:
        """Numbers of players, by job: every second one is the largest, which is the usual one."""
        most, *others = sorted(self.players, reverse=True)
        return tuple(n for other in others for n in (most, other)) or (most,)

    def entrant(self) -> Entrant:
        """`net` with the weights as they are."""
        weights = quantised(self.flat[4], self.unit, {"rules": self.rules.name})
        return replace(parse_entrant("net"), network=weights)

    def _setups(self, jobs: int) -> Iterator[Setup]:
        """The tables of a round: of the teachers, later of itself."""
        seed = (self.seed * 1_000_003 + self.round) % 2**64
        for job in range(jobs):
            players = self._numbers[job % len(self._numbers)]
            if self.round == 0:
                teachers = parse_lineup(TEACHERS)
                k = job // len(self._numbers)
                lineup = [
                    replace(teachers[(k >> seat) % 2], noise=FIRST_NOISE) for seat in range(players)
                ]
            else:
                lineup = [replace(self.entrant(), noise=NOISE)] * players
            yield make_setup(self.rules, lineup, seed, players, "fixed")

    def _play_round(self, pool: ThreadPoolExecutor) -> Lesson:
        """Play a round, with all threads."""
        playouts = self.first_playouts if self.round == 0 else self.round_playouts
        jobs = -(-playouts // JOB)
        hands = self.rules.session_hands
        deals = -(-playouts // jobs // hands) * hands
        pieces = [
            pool.submit(record_lesson, setup, job * deals, deals)
            for job, setup in enumerate(self._setups(jobs))
        ]
        return join([piece.result() for piece in pieces])

    # ------------------------------------------------------------------ learning

    def _begin(self, lesson: Lesson) -> None:
        """First weights, drawn; the unit is the spread of payoffs."""
        rng = np.random.default_rng(self.seed)
        self.unit = float(np.float32(lesson.payoffs.std() or 1.0))
        floats = self.flat[0].view(FLOATS)[0]
        set_inputs = len(lesson.inputs) / len(lesson.ends)
        floats["first"][:] = rng.normal(0, math.sqrt(1 / set_inputs), (N_INPUTS, WIDTH))
        floats["second"][:] = rng.normal(0, math.sqrt(2 / WIDTH), (HIDDEN, WIDTH))
        floats["third"][:] = rng.normal(0, math.sqrt(1 / HIDDEN), HIDDEN)
        self.flat[4] = self.flat[0]

    def _learn(self, pool: ThreadPoolExecutor, lesson: Lesson, rate: float) -> float:
        """Learn from a round; returns the mean squared error, in units squared."""
        order = np.random.default_rng((self.seed, self.round)).permutation(len(lesson.ends))
        everybody = [self.flat, *(self.flat.copy() for _ in range(LEARNERS - 1))]
        total = 0.0
        for begin in range(0, len(order), AGREED * LEARNERS):
            parts = np.array_split(order[begin : begin + AGREED * LEARNERS], LEARNERS)
            jobs = [
                pool.submit(self._learn_part, flat, lesson, part, rate)
                for flat, part in zip(everybody, parts, strict=True)
            ]
            total += sum(job.result() for job in jobs)
            self.steps += -(-len(parts[0]) // BATCH)
            np.copyto(self.flat, sum(everybody) / np.float32(LEARNERS))
            for flat in everybody[1:]:
                flat[:] = self.flat
        return total / len(order)

    def _learn_part(self, flat: Any, lesson: Lesson, order: Any, rate: float) -> float:
        """One learner's share, with its own weights; returns the sum of squared errors."""
        floats, gradient = (flat[i].view(FLOATS).view(np.recarray)[0] for i in (0, 1))
        scratch = [np.zeros(n, np.float32) for n in (WIDTH, WIDTH, HIDDEN, WIDTH)]
        error: float = learn(
            floats, gradient, flat, self.steps, lesson.inputs, lesson.ends, lesson.payoffs, order,
            np.float32(self.unit), np.float32(rate), np.float32(SHARE), BATCH, *scratch,
        )  # fmt: skip
        return error * len(order)

    # ------------------------------------------------------------------ judging

    def _judge(
        self, pool: ThreadPoolExecutor, against: str, players: int, deals: int, at: int
    ) -> Judgement:
        """The network against another strategy, on held-out deals."""
        other = parse_entrant(against)
        number, gain, half = judge(
            pool, self.rules, self.entrant(), other, self.seed, players, deals, at
        )
        return Judgement(
            self.playouts, round(self.seconds, 1), against, players, number, round(gain, 4),
            round(half, 4),
        )  # fmt: skip

    # ------------------------------------------------------------------ the loop

    def run(self, progress: Callable[["Trainer", float], None] | None = None) -> Trained:
        """Train what is missing of the budget, judge the result and write the weights.

        Stopped before anything was learnt, it raises KeyboardInterrupt.
        """
        self._resume()
        with ThreadPoolExecutor(self.threads) as pool:
            begun = time.monotonic() - self.seconds
            share = self.budget.share(self.playouts, self.seconds)
            while not self.stop and share < 1.0:
                lesson = self._play_round(pool)
                if self.round == 0:
                    self._begin(lesson)
                rate = FASTEST * (SLOWEST / FASTEST) ** share
                error = self._learn(pool, lesson, rate)
                self.round += 1
                self.playouts += lesson.playouts
                self.seconds = time.monotonic() - begun
                share = self.budget.share(self.playouts, self.seconds)
                judged = None
                if share * CURVE >= len(self.curve) + 1 or not self.curve:
                    most = max(self.players)
                    judged = self._judge(pool, "control", most, CURVE_DEALS, 0)
                    self.curve.append(judged)
                self._write_log(lesson, error, rate, judged)
                self._save()
                if progress is not None:
                    progress(self, share)
            if self.round == 0:
                raise KeyboardInterrupt  # nothing was learnt, so nothing is written
            verdict = [
                self._judge(pool, name, players, self.verdict_deals, 2**40)
                for players in sorted(self.players, reverse=True)
                for name in ("control", "linear")
            ]
        return self._finish(verdict, share)

    def _finish(self, verdict: list[Judgement], share: float) -> Trained:
        made = {
            "command": " ".join(command()),
            "rules": self.rules.name,
            "players": list(self.players),
            "playouts": self.playouts,
            "seconds": round(self.seconds),
            "verdict": [asdict(judgement) for judgement in verdict],
            "ended": now(),
            "versions": " ".join(f"{name} {value}" for name, value in software().items()),
        }
        about = {"rules": self.rules.name, "players": list(self.players), "made": [made]}
        found = quantised(self.flat[4], self.unit, about)
        write_network(found, self.out)
        return Trained(found, verdict, self.curve, self.playouts, self.seconds, share >= 1.0)

    # ------------------------------------------------------------------ checkpoint and log

    def _header(self) -> dict[str, Any]:
        """What rounds depend on."""
        return {
            "rules": self.rules.as_dict(),
            "seed": self.seed,
            "players": list(self.players),
            "round": self.round_playouts,
            "first": self.first_playouts,
            "shape": [N_INPUTS, WIDTH, HIDDEN],
        }

    def _save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        state = {
            "header": self._header(), "round": self.round, "steps": self.steps,
            "playouts": self.playouts, "seconds": self.seconds, "unit": self.unit,
            "curve": [asdict(judgement) for judgement in self.curve],
        }  # fmt: skip
        temporary = self.checkpoint.with_name(f".{self.checkpoint.name}.new")
        with temporary.open("wb") as file:
            np.savez(file, flat=self.flat, state=np.array(json.dumps(state)))
        temporary.replace(self.checkpoint)

    def _resume(self) -> None:
        """Go on from the checkpoint, if there is one. Raises RunError if it is another's."""
        if not self.checkpoint.exists():
            return
        try:
            with np.load(self.checkpoint, allow_pickle=False) as stored:
                flat = stored["flat"]
                state = json.loads(str(stored["state"][()]))
            if flat.shape != self.flat.shape or flat.dtype != np.float32:
                raise ValueError("of another shape")
            header = state["header"]
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise RunError(
                f"{self.checkpoint} is no checkpoint of a training ({error}); move it away"
            ) from None
        due = json.loads(json.dumps(self._header()))
        if header != due:
            changed = ", ".join(key for key in due if header.get(key) != due[key])
            raise RunError(
                f"{self.checkpoint} is of another training ({changed} differ); give another --out, "
                "or move it away"
            )
        self.flat = flat
        self.round, self.steps = state["round"], state["steps"]
        self.playouts, self.seconds, self.unit = (
            state["playouts"], state["seconds"], state["unit"],
        )  # fmt: skip
        self.curve = [Judgement(**judgement) for judgement in state["curve"]]

    def _write_log(
        self, lesson: Lesson, error: float, rate: float, judged: Judgement | None
    ) -> None:
        """One line of JSON a round."""
        line: dict[str, Any] = {
            "round": self.round, "playouts": self.playouts, "positions": len(lesson.ends),
            "seconds": round(self.seconds, 1), "rate": rate, "error": round(error, 5),
        }  # fmt: skip
        if judged is not None:
            line["judged"] = asdict(judged)
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def train(
    rules: str | RuleSet = "douque",
    out: str | Path = "net.npz",
    budget: str = "20m",
    playouts: int | None = None,
    players: Sequence[int] | None = None,
    seed: int = 0,
    threads: int = 1,
    verdict_deals: int = 4_000,
    progress: Callable[[Trainer, float], None] | None = None,
) -> Trained:
    """Train a network for a rule set (`bigtwo train`), and write it into `out`.

    budget: a time, as in "90s", "20m", "1h"; playouts: how many instead. The same call goes on from
    the checkpoint beside `out`. Raises InputError, RunError.
    """
    limit = Budget(playouts) if playouts is not None else Budget(seconds=parse_time(budget))
    return Trainer(rules, out, limit, seed, players, threads, verdict_deals=verdict_deals).run(
        progress
    )
