"""Tuning a strategy's parameters for a rule set: CMA-ES over the mean payoff on common deals.

Every generation draws candidates from a normal distribution and plays each of them on the same
deals against the same opponents; the next generation gets new deals, so that none are learnt by
heart. What is written is the distribution's mean, judged on deals that no generation saw. The log
beside the weights holds one line a generation, and the same call goes on from it.
Source: N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772; library: cmaes.
"""

import json
import math
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simcore.errors import InputError, RunError, check_whole, nearest
from simcore.game.ruleset import RuleSet
from simcore.game.seatings import N_ORDERS, ORDER
from simcore.runs.provenance import command, now, software
from simcore.simulation.setup import Setup, Workspace, make_setup
from simcore.statistics import t_quantile
from simcore.strategies.registry import Entrant, parse_entrant, parse_lineup
from simcore.strategies.weights import history, weights_file

HELD_OUT = 2**61  # the first deal of the verdict; generations begin at deal 0
SPREAD = 0.3  # first standard deviation: this share of a parameter, and at least this much
Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Verdict:
    """Mean payoffs per playout on held-out deals, with half 95 % intervals over deals."""

    deals: int
    before: float
    after: float
    gain: float
    gain_half_width: float


@dataclass(frozen=True)
class Tuned:
    """What came out: the parameters by name, how they fare, and whether the budget was played."""

    weights: dict[str, float]
    verdict: Verdict
    playouts: int
    complete: bool


class Tuner:
    """One tuning, from its beginning or from its log on."""

    def __init__(
        self,
        strategy: str,
        rules: str | RuleSet,
        against: str,
        budget: int,
        out: str | Path,
        seed: int = 0,
        population: int | None = None,
        deals: int = 1000,
        verdict_deals: int = 10_000,
        only: str | None = None,
        players: int | None = None,
        threads: int = 1,
    ) -> None:
        """strategy: an entrant, whose parameters are the start; against: opponents, as a lineup.

        Fewer opponents than there are seats sit down again, more take turns from generation to
        generation. budget: playouts in all; deals: of a candidate in one generation; only: names of
        parameters to change. Raises InputError, RunError if the log is of another tuning.
        """
        self.start = parse_entrant(strategy)
        self.opponents = parse_lineup(against)
        self.base = make_setup(rules, [self.start], seed, players, "balanced")
        self.start = self.base.lineup[0]
        shipped = (weights_file(f, self.base.rules) for f in self.start.strategy.weights)
        began_at = [Path(self.start.file)] if self.start.file else [f for f in shipped if f]
        self.history = [made for file in began_at for made in history(file)]
        self.players = self.base.players
        parameters = self.start.strategy.parameters
        self.names = [p.name for p in parameters if not p.words]
        if only is not None:
            chosen = [key.strip() for key in only.split(",")]
            for key in chosen:
                if key not in self.names:
                    raise InputError(
                        f"{strategy!r} has no parameter {key!r} to tune; {nearest(key, self.names)}"
                    )
            self.names = [key for key in self.names if key in chosen]
        if not self.names:
            raise InputError(
                f"strategy {strategy!r} has no parameters to tune; tune linear, smart …"
            )
        self.population = population or 4 + 3 * int(math.log(max(len(self.names), 2)) + 1)
        if not 4 <= self.population <= 1000:
            raise InputError(f"population {self.population} is out of bounds: 4 to 1000")
        for what, number in (("deals", deals), ("verdict deals", verdict_deals)):
            if not 10 <= number <= 10_000_000:
                raise InputError(f"{number} {what} are out of bounds: 10 to 10,000,000")
        check_whole("the number of deals", deals, self.base.session_hands)
        self.deals, self.verdict_deals = deals, verdict_deals
        self.per_generation = self.population * deals * self.base.seatings_per_deal
        self.generations = budget // self.per_generation
        if self.generations < 1:
            raise InputError(
                f"a budget of {budget:,} playouts is less than one generation of "
                f"{self.per_generation:,}; raise it, or lower the deals or the population"
            )
        self.threads = threads
        self.out = Path(out)
        self.log = self.out.with_name(self.out.name + ".log")
        if not self.out.parent.is_dir():
            raise InputError(f"the folder of {str(out)!r} does not exist; make it first")
        self.stop = False
        self._values = np.array(self.start.params)
        self._least, self._most = np.array([(p.least, p.most) for p in parameters], float).T
        self._places = [k for k, p in enumerate(parameters) if p.name in self.names]
        self._origin = self._values[self._places]
        self._scale = np.maximum(SPREAD, SPREAD * np.abs(self._origin))

    # ------------------------------------------------------------------ playing

    def entrant(self, point: Any) -> Entrant:
        """The strategy with the parameters of a point of the search space, within their bounds."""
        params = self._values.copy()
        params[self._places] = self._origin + self._scale * point
        params = np.clip(params, self._least, self._most)
        return replace(self.start, params=tuple(float(value) for value in params))

    def _setup(self, entrant: Entrant, turn: int) -> Setup:
        """Its table in one generation."""
        n = len(self.opponents)
        others = [self.opponents[(turn + k) % n] for k in range(self.players - 1)]
        tuned = tuple(o.tuned_for(self.base.rules) for o in others)
        return replace(self.base, lineup=(entrant, *tuned))

    def payoffs(self, entrant: Entrant, turn: int, first_deal: int, deals: int) -> Any:
        """Its mean payoff in every deal, or session (float64[deals])."""
        setup = self._setup(entrant, turn)
        rows = Workspace(setup).play(first_deal, deals)
        orders = range(int(N_ORDERS[self.players]))
        seat_of = np.array([list(ORDER[self.players, k]).index(0) for k in orders])
        seats = seat_of[rows["seating"]]
        found = rows["payoff"][seats, np.arange(len(seats))]
        return found.reshape(deals // setup.session_hands, -1).mean(axis=1)

    def _generation(self, pool: ThreadPoolExecutor, points: list[Any], turn: int) -> list[float]:
        first = turn * self.deals
        jobs = [pool.submit(self.payoffs, self.entrant(p), turn, first, self.deals) for p in points]
        return [float(job.result().mean()) for job in jobs]

    # ------------------------------------------------------------------ the log

    def _header(self) -> dict[str, Any]:
        """What the generations depend on."""
        return {
            "strategy": self.start.strategy.name,
            "source": self.start.strategy.source_hash,
            "start": {n: float(v) for n, v in zip(self.names, self._origin, strict=True)},
            "rules": self.base.rules.as_dict(),
            "against": [o.name for o in self.opponents],
            "seed": self.base.seed,
            "players": self.players,
            "population": self.population,
            "deals": self.deals,
        }

    def _read_log(self) -> list[dict[str, Any]]:
        """The generations already played. Raises RunError if they are of another tuning."""
        if not self.log.exists():
            self.log.write_text(json.dumps(self._header()) + "\n", "utf-8")
            return []
        whole = self.log.read_text("utf-8")
        lines = whole.splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):  # the machine stopped while it was written
            lines.pop()
            self.log.write_text("".join(lines), "utf-8")
        try:
            header, *generations = [json.loads(line) for line in lines]
        except ValueError:
            raise RunError(f"{self.log} is no log of a tuning; move it away") from None
        if header != json.loads(json.dumps(self._header())):
            old, new = header, json.loads(json.dumps(self._header()))
            changed = [key for key in new if not isinstance(old, dict) or old.get(key) != new[key]]
            raise RunError(
                f"{self.log} is the log of another tuning ({', '.join(changed)} differ); "
                "give another --out, or move the log away"
            )
        return generations

    # ------------------------------------------------------------------ the loop

    def run(self, progress: Progress | None = None) -> Tuned:
        """Play what is missing of the budget, judge the result and write the weights."""
        from cmaes import CMA  # takes a moment to load

        search = CMA(
            mean=np.zeros(len(self.names)), sigma=1.0, seed=self.base.seed % 2**32,
            population_size=self.population,
        )  # fmt: skip
        played = self._read_log()
        done = 0
        with ThreadPoolExecutor(self.threads) as pool, self.log.open("a", encoding="utf-8") as log:
            for turn in range(self.generations):
                points = [search.ask() for _ in range(self.population)]
                drawn = zlib.crc32(np.round(np.array(points), 6).tobytes())
                if turn < len(played):
                    if played[turn]["drawn"] != drawn:
                        raise RunError(
                            f"{self.log} was made by other versions of numpy or cmaes, which draw "
                            "other candidates; start anew with another --out"
                        )
                    values = played[turn]["payoffs"]
                elif self.stop:
                    break
                else:
                    values = self._generation(pool, points, turn)
                    log.write(json.dumps({"drawn": drawn, "payoffs": values}) + "\n")
                    log.flush()
                search.tell([(p, -v) for p, v in zip(points, values, strict=True)])
                done = turn + 1
                if progress is not None:
                    progress(done * self.per_generation, float(np.mean(values)))
            result = self.entrant(search.mean)
            verdict = self._judge(pool, result)
        by_name = dict(
            zip((p.name for p in result.strategy.parameters), result.params, strict=True)
        )
        weights = {name: round(by_name[name], 5) for name in self.names}
        tuned = Tuned(weights, verdict, done * self.per_generation, done == self.generations)
        self._write(tuned)
        return tuned

    def _judge(self, pool: ThreadPoolExecutor, result: Entrant) -> Verdict:
        """Before and after on the same held-out deals, against each table of opponents in turn."""
        turns = len(self.opponents) if len(self.opponents) > self.players - 1 else 1
        hands = self.base.session_hands
        per_table = -(-max(10, self.verdict_deals // turns) // hands) * hands
        step = -(-per_table // (self.threads * hands)) * hands
        jobs = []
        for turn in range(turns):
            for low in range(0, per_table, step):
                first = HELD_OUT // hands * hands + turn * per_table + low
                n = min(step, per_table - low)
                jobs.append(
                    [
                        pool.submit(self.payoffs, entrant, turn, first, n)
                        for entrant in (self.start, result)
                    ]
                )
        before, after = (np.concatenate([job[k].result() for job in jobs]) for k in (0, 1))
        gain = after - before
        half = t_quantile(0.95, len(gain) - 1) * float(gain.std(ddof=1)) / math.sqrt(len(gain))
        return Verdict(
            len(gain), float(before.mean()), float(after.mean()), float(gain.mean()), half
        )

    @staticmethod
    def _table(made: dict[str, Any]) -> list[str]:
        """One item of [[made]] as TOML."""
        return ["[[made]]", *(f"{k} = {json.dumps(v)}" for k, v in made.items()), ""]

    def _write(self, tuned: Tuned) -> None:
        """The weights file, whole or not at all."""
        v = tuned.verdict
        this = {
            "command": " ".join(command()),
            "rules": self.base.rules.name,
            "playouts": tuned.playouts,
            "payoff": round(v.after, 3),
            "ended": now(),
            "versions": " ".join(f"{name} {value}" for name, value in software().items()),
        }
        lines = [
            f"# Payoff {v.after:+.3f} a playout on {v.deals:,} held-out deals; before "
            f"{v.before:+.3f}, gain {v.gain:+.3f} ± {v.gain_half_width:.3f} (95 %).",
            f"strategy = {json.dumps(self.start.strategy.name)}",
            f"rules = {json.dumps(self.base.rules.name)}",
            "",
            "[weights]",
            *(f"{name} = {value!r}" for name, value in tuned.weights.items()),
            "",
            *(line for made in [*self.history, this] for line in self._table(made)),
        ]
        temporary = self.out.with_name(f".{self.out.name}.new")
        temporary.write_text("\n".join(lines), "utf-8")
        temporary.replace(self.out)


def tune(
    strategy: str,
    rules: str | RuleSet = "douque",
    against: str = "dump,keep,lowest",
    budget: int = 10_000_000,
    out: str | Path = "weights.toml",
    seed: int = 0,
    population: int | None = None,
    deals: int = 1000,
    verdict_deals: int = 10_000,
    only: str | None = None,
    players: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Tuned:
    """Tune a strategy's parameters for a rule set (`bigtwo tune`), and write them into `out`.

    Arguments as those of `Tuner`. Raises InputError, StrategyError, RunError.
    """
    return Tuner(
        strategy, rules, against, budget, out, seed, population, deals, verdict_deals, only,
        players, threads,
    ).run(progress)  # fmt: skip
