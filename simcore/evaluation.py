"""What each play of a position is worth: all of them played on with the same hidden cards."""

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from simcore.described import describe, plays_in
from simcore.errors import InputError
from simcore.game.ruleset import RuleSet, load_rules
from simcore.racing import Race
from simcore.rulebook import Cards
from simcore.simulation.asking import Asking
from simcore.simulation.drawn import HOLDINGS
from simcore.simulation.setup import Setup, make_setup
from simcore.simulation.trials import Trials
from simcore.simulation.watch import DECISION_LIMIT
from simcore.statistics import t_quantile, wilson
from simcore.strategies.plain import PlainStrategy
from simcore.strategies.position import Play, names, plays_of
from simcore.strategies.registry import Entrant
from simcore.worths import Evaluation, Holding, Worth

LEVEL = 0.95
MOST_ARRANGEMENTS = 3000  # of the hidden cards, that are all tried instead of drawn
MOST_SAMPLES = 10_000_000
FIRST_ROUND = 64  # samples
FRESH = 256  # samples at least for a difference that is estimated anew
LEAST = 1024  # samples before an interval may end an evaluation: then its coverage holds
Interval = tuple[float, float, float]  # estimate, low, high


def evaluate(
    rules: str | RuleSet,
    hand: Cards,
    to_beat: Cards | None = None,
    *,
    policy: str | Entrant | Sequence[str | Entrant] = "linear",
    to_beat_by: int | None = None,
    cards_left: Sequence[int] | None = None,
    seen: Cards | None = None,
    passed: Iterable[int] | None = None,
    locked: Iterable[int] | None = None,
    starter: int | None = None,
    fresh: bool | None = None,
    first_hand: bool = True,
    required: Cards | None = None,
    turn: int | None = None,
    trick: int = 1,
    players: int | None = None,
    seed: int = 0,
    half_width: float | None = 0.1,
    max_time: float | None = None,
    samples: int = 200_000,
    alpha: float = 0.05,
    threads: int | None = None,
    decision_limit: float = DECISION_LIMIT,
    progress: Callable[[Evaluation], object] | None = None,
) -> Evaluation:
    """What each legal play of `hand` is worth. The position is described as for `decide`.

    The hidden cards are drawn among all arrangements that agree with what is known (cards seen and
    left; the opening card is its starter's until it is seen), every play is made with the same
    arrangements and the same random numbers, and `policy` plays on: one compiled strategy for all
    seats, or one for each, oneself first. Plays that are certainly worse than the best stop getting
    samples (simcore.racing): the chance that the truly best one is dropped is at most `alpha`.

    It ends when the difference of the best two is known to ± half_width (None: never), after
    max_time seconds, compiling aside, or with that many samples of the best play. Without max_time
    the result depends on nothing but the arguments; threads (default: one a core) change nothing.
    With at most MOST_ARRANGEMENTS arrangements all of them are tried: then the values are exact, if
    the policy draws no random numbers, and with few cards the values with all seats at their best
    and all hands known stand beside them. progress: called with what is known after each round.

    Raises InputError for a position that cannot be, StrategyError for a strategy that fails.
    """
    rules = load_rules(rules)
    threads = (os.cpu_count() or 1) if threads is None else threads
    check_bounds(half_width, max_time, samples, alpha, threads)
    lineup = policy if isinstance(policy, str) else _as_list(policy)
    if players is None and cards_left is not None:
        players = len(cards_left)
    setup = make_setup(rules, lineup, seed, players, "fixed")
    check_policy(setup)
    work = Asking(setup)
    describe(
        work, hand, to_beat, to_beat_by=to_beat_by, cards_left=cards_left, seen=seen, passed=passed,
        locked=locked, starter=starter, fresh=fresh, first_hand=first_hand, required=required,
        turn=turn, trick=trick,
    )  # fmt: skip
    return judge(
        work,
        plays_in(work),
        half_width,
        max_time,
        samples,
        alpha,
        threads,
        decision_limit,
        progress,
    )  # fmt: skip


def judge(
    work: Asking,
    plays: Any,
    half_width: float | None,
    max_time: float | None,
    samples: int,
    alpha: float,
    threads: int,
    decision_limit: float = DECISION_LIMIT,
    progress: Callable[[Evaluation], object] | None = None,
    played: int | None = None,
) -> Evaluation:
    """`evaluate` of the position in the view of `work`; plays: records PLAY, its legal plays.

    played: index of a play whose difference to the best is then estimated again, from samples that
    had no part in finding the best, since the best of several estimates is one that erred upwards.
    """
    plays = plays.copy()
    with Trials(work.setup, work._view.copy(), plays, threads, decision_limit) as trials:
        found, end = _Sampled(trials, alpha), ""
        arrangements = trials.arrangements(MOST_ARRANGEMENTS)
        if arrangements is not None:
            found.try_all(arrangements)
            end = "exact"
        if not found.exact:
            found = _Sampled(trials, alpha)
            end = _until(found, half_width, max_time, samples, progress)
            if played is not None and played != found.best:
                found.again(played, half_width, samples)
        return found.evaluation(end)


def _as_list(policy: Entrant | Sequence[str | Entrant]) -> list[str | Entrant]:
    return [policy] if isinstance(policy, Entrant) else list(policy)


def check_policy(setup: Setup) -> None:
    """Raises InputError for who cannot play on: what is not compiled."""
    for entrant in setup.lineup:
        if isinstance(entrant.strategy, PlainStrategy):
            raise InputError(
                f"policy {entrant.name!r} is plain Python or a program, too slow to play on "
                "thousands of times; give a compiled strategy (@strategy), or a built-in one"
            )


def check_bounds(
    half_width: float | None, max_time: float | None, samples: int, alpha: float, threads: int
) -> None:
    """Raises InputError for bounds that nothing can keep."""
    for name, value in (("half_width", half_width), ("max_time", max_time)):
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise InputError(f"{name} {value:g} is out of bounds: above 0")
    if not 2 <= samples <= MOST_SAMPLES:
        raise InputError(f"samples {samples} is out of bounds: 2 to {MOST_SAMPLES}")
    if not 0 < alpha < 0.5:
        raise InputError(f"alpha {alpha:g} is out of bounds: between 0 and 0.5")
    if threads < 1:
        raise InputError(f"threads {threads} is out of bounds: at least 1")


class _Sampled:
    """The plays of a position with what they have brought so far."""

    def __init__(self, trials: Trials, alpha: float) -> None:
        self.trials, self.alpha = trials, alpha
        n = len(trials.plays)
        self.race = Race(n, alpha)
        self.best, self.runner_up = 0, None if n == 1 else 1
        self.left: list[list[Any]] = [[] for _ in range(n)]  # cards left, by play and round
        self.anew: dict[int, Interval] = {}  # differences to the best from samples of their own
        self.held: Any = 0
        self.exact = False
        self.solved: Any = None

    def round(self, number: int) -> None:
        """Try those that race on so many more samples."""
        self._try(self.trials.draw(self.race.samples, number))
        self.best, self.runner_up = self.race.drop()

    def try_all(self, arrangements: Any) -> None:
        """Try every play on every arrangement; exact, unless chance plays on too."""
        self.exact = not self._try(arrangements)
        if not self.exact:
            return
        best, *rest = self.race.ranked()
        self.best, self.runner_up = best, rest[0] if rest else None
        self.race.worse = {i for i in rest if self.race.difference(best, i)[0] > 0}
        self.solved = self.trials.solve(arrangements)

    def _try(self, drawn: Any) -> bool:
        """Try those that race on some arrangements; whether a strategy drew random numbers."""
        race = self.race
        played = self.trials.play(race.active, race.samples, drawn)
        race.add(played.payoffs)
        for i, left in zip(race.active, played.left, strict=True):
            self.left[i].append(left)
        self.held = self.held + self.trials.holdings(drawn)
        return played.drew

    def again(self, i: int, half_width: float | None, samples: int) -> None:
        """Estimate the difference of a play to the best anew, to about ± half_width."""
        _, variance, n = self.race.difference(i, self.best)
        if half_width is not None and n > 1:
            enough = math.ceil(variance * (t_quantile(LEVEL, n - 1) / half_width) ** 2)
            samples = min(samples, max(FRESH, enough))
        drawn = self.trials.draw(self.race.samples, samples)
        values = self.trials.play([i, self.best], self.race.samples, drawn).payoffs.astype(float)
        off = values[0] - values[1]
        self.anew[i] = self._interval(float(off.mean()), float(off.var(ddof=1)), len(off))

    def half_width(self) -> float:
        """Half the interval of the difference of the best two; with one play, of its payoff."""
        if self.runner_up is None:
            _, low, high = self._mean(self.race.values[self.best])
        else:
            _, low, high = self._difference(self.runner_up)
        return (high - low) / 2

    def evaluation(self, stopped: str) -> Evaluation:
        """What is known now."""
        view, setup = self.trials.view[0], self.trials.setup
        suits = setup.rules.suits
        readable = plays_of(self.trials.plays, suits)
        worths = [self._worth(i, play) for i, play in enumerate(readable)]
        first = worths[self.best]
        worths.sort(key=lambda w: (w is not first, -w.difference))
        return Evaluation(
            rules=setup.rules.name,
            hand=names(int(view.hand), suits),
            to_beat=names(int(view.to_beat), suits),
            policy=tuple(e.name for e in setup.lineup),
            plays=tuple(worths),
            others=tuple(self._holding(k) for k in range(1, setup.players)),
            samples=self.race.samples,
            exact=self.exact,
            half_width=self.half_width(),
            stopped=stopped,
            alpha=self.alpha,
        )

    def _worth(self, i: int, play: Play) -> Worth:
        tiers = self.trials.view[0].rules.payoff_tiers
        left = np.concatenate(self.left[i])
        return Worth(
            play,
            *self._mean(self.race.values[i]),
            *self._share(int((left == 0).sum()), len(left)),
            *self._share(int((tiers[left] > 1).sum()), len(left)),
            *self._difference(i),
            may_be_best=i == self.best or i not in self.race.worse,
            samples=len(left),
            solved=math.nan if self.solved is None else float(self.solved[i].mean()),
        )

    def _holding(self, k: int) -> Holding:
        view = self.trials.view[0]
        known = {"beats": bool(view.to_beat), "bomb": bool(view.rules.kinds_bombs)}
        chances: list[float] = []
        for name, count in zip(HOLDINGS, self.held[k], strict=True):
            there = known.get(name, True)
            chances += self._share(int(count), self.race.samples) if there else [math.nan] * 3
        return Holding(k, int(view.cards_left[k]), *chances)

    def _difference(self, i: int) -> Interval:
        if i == self.best:
            return 0.0, 0.0, 0.0
        if i in self.anew:
            return self.anew[i]
        return self._interval(*self.race.difference(i, self.best))

    def _mean(self, values: Any) -> Interval:
        n = len(values)
        return self._interval(
            float(values.mean()), float(values.var(ddof=1)) if n > 1 else math.nan, n
        )

    def _interval(self, mean: float, variance: float, n: int) -> Interval:
        if self.exact:
            return mean, mean, mean
        half = t_quantile(LEVEL, n - 1) * math.sqrt(variance / n)
        return mean, mean - half, mean + half

    def _share(self, count: int, n: int) -> Interval:
        share = count / n
        return (share, share, share) if self.exact else (share, *wilson(share, n))


def _until(
    found: _Sampled,
    half_width: float | None,
    max_time: float | None,
    samples: int,
    progress: Callable[[Evaluation], object] | None,
) -> str:
    """Sample in rounds until the end; returns which end it was."""
    found.trials.play([0], 0, found.trials.draw(0, 1))  # compiling is no part of the time
    begun = time.monotonic()
    number = min(FIRST_ROUND, samples)
    while True:
        found.round(number)
        n = found.race.samples
        half = found.half_width()
        if half_width is not None and n >= LEAST and half <= half_width:
            return "half_width"
        if n >= samples:
            return "samples"
        number = max(FIRST_ROUND, n // 2)
        if half_width is not None and n >= LEAST:  # no more than it is likely to take
            number = min(number, max(FIRST_ROUND, math.ceil(n * ((half / half_width) ** 2 - 1))))
        number = min(number, samples - n)
        if max_time is not None:
            spent = time.monotonic() - begun
            number = min(number, int(n * (max_time - spent) / max(spent, 1e-9)))
            if number < 1:
                return "max_time"
        if progress is not None:
            progress(found.evaluation(""))
