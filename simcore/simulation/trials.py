"""Trying every play of a position on numbered samples of the hidden cards, with many threads."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from simcore.foundation.jit import records
from simcore.game.groups import PLAY
from simcore.game.turns import STATE
from simcore.simulation.drawn import (
    HOLDINGS,
    count_holdings,
    draw_samples,
    play_samples,
    solve_samples,
)
from simcore.simulation.sandbox import in_sandbox
from simcore.simulation.setup import Setup, Workspace
from simcore.simulation.watch import watched
from simcore.strategies.endgame import DEPTH, MOST_SOLVED, WIDTH, played_seats
from simcore.strategies.sampling import hidden_cards

SMALLEST = 16  # samples that are worth a thread
T = TypeVar("T")


@dataclass(frozen=True)
class Played:
    """What some plays brought on the same samples: payoff and cards left of the seat that asks."""

    payoffs: NDArray[np.int32]  # [plays, samples], at stake 1
    left: NDArray[np.int8]  # [plays, samples]
    drew: bool  # whether a strategy drew random numbers


class Trials:
    """The plays of one position, to be tried; seats are counted from the one that asks.

    view: record array VIEW[1] of the position; plays: records PLAY, its legal plays.
    """

    def __init__(
        self, setup: Setup, view: Any, plays: Any, threads: int, decision_limit: float
    ) -> None:
        self.setup, self.view, self.plays = setup, view, plays
        self.limit = decision_limit
        self.played = np.int64(played_seats(view[0]))
        self._tables: SimpleQueue[_Table] = SimpleQueue()
        for _ in range(threads):
            self._tables.put(_Table(setup))
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> "Trials":
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def play(self, candidates: Sequence[int], first: int, drawn: Any) -> Played:
        """Try some plays on given arrangements, numbered from `first` on. Raises StrategyError."""
        plays = self.plays[list(candidates)]
        payoffs = np.empty((len(plays), len(drawn)), np.int32)
        left = np.empty(payoffs.shape, np.int8)

        def part(table: _Table, begin: int, end: int) -> bool:
            given = self.view, self.played, plays, drawn[begin:end], first + begin
            call = partial(table.play_on_after, *given)
            payoffs[:, begin:end], left[:, begin:end], drew = watched(table, call, self.limit)
            return drew

        return Played(payoffs, left, any(self._share(len(drawn), part)))

    def draw(self, first: int, number: int) -> Any:
        """Hidden cards of so many samples: int64[number, players]."""
        drawn = np.empty((number, self.setup.players), np.int64)
        table = self._tables.get()
        draw_samples(
            self.view[0], np.uint64(self.setup.seed), first, table._streams[-1], table.cards, drawn
        )
        self._tables.put(table)
        return drawn

    def holdings(self, drawn: Any) -> Any:
        """How many of the arrangements give each seat each of HOLDINGS: int64[players, 4]."""

        def part(table: _Table, begin: int, end: int) -> Any:
            held = np.zeros((self.setup.players, len(HOLDINGS)), np.int64)
            count_holdings(self.view[0], self.played, drawn[begin:end], table._plays, held)
            return held

        return sum(self._share(len(drawn), part))

    def solve(self, drawn: Any) -> Any:
        """Payoffs with all seats at their best, int32[plays, samples]; None if that takes long."""
        smallest = min(int(play.mask).bit_count() for play in self.plays)
        if int(self.view[0].cards_left.sum()) - smallest > MOST_SOLVED:
            return None
        solved = np.empty((len(self.plays), len(drawn)), np.int32)

        def part(table: _Table, begin: int, end: int) -> bool:
            found = np.empty((len(self.plays), end - begin), np.int32)
            done = table.solve(self, drawn[begin:end], found)
            solved[:, begin:end] = found
            return done

        return solved if all(self._share(len(drawn), part)) else None

    def arrangements(self, most: int) -> Any:
        """All arrangements of the hidden cards, each equally likely; None for more than `most`."""
        view, cards = self.view[0], np.empty(52, np.int64)
        n, opening = (int(x) for x in hidden_cards(view.rules, view, cards))
        hidden = [int(card) for card in cards[:n]]
        sizes = [int(size) for size in view.cards_left[1 : self.setup.players]]
        begin = [0] * len(sizes)
        if opening:
            sizes[view.starter - 1] -= 1
            begin[view.starter - 1] = opening
        ways, rest = 1, n
        for size in sizes:
            ways *= math.comb(rest, size)
            rest -= size
        if ways > most:
            return None
        own = int(view.hand)
        return np.array(
            [
                [own, *(a | b for a, b in zip(begin, hands, strict=True))]
                for hands in _dealt(hidden, sizes)
            ],
            np.int64,
        )

    def _share(self, number: int, part: "Callable[[_Table, int, int], T]") -> list[T]:
        """part(table, begin, end) of pieces of `number` samples, in order."""

        def run(begin: int, end: int) -> T:
            table = self._tables.get()
            try:
                return part(table, begin, end)
            finally:
                self._tables.put(table)

        pieces = max(1, min(self._threads, number // SMALLEST))
        ends = [number * i // pieces for i in range(pieces + 1)]
        found = [self._pool.submit(run, *ends[i : i + 2]) for i in range(pieces)]
        return [future.result() for future in found]


class _Table(Workspace):
    """The buffers of one thread that tries plays."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.cards = np.empty(52, np.int64)
        self._search: tuple[Any, ...] | None = None

    @in_sandbox
    def play_on_after(
        self, view: Any, played: np.int64, plays: Any, drawn: Any, first: int
    ) -> tuple[Any, Any, bool]:
        """The payoffs, the cards left, and whether a strategy drew. Raises StrategyError."""
        payoffs = np.empty((len(plays), len(drawn)), np.int32)
        left = np.empty(payoffs.shape, np.int8)
        try:
            done, drew = play_samples(
                view[0], played, plays, drawn, first, np.uint64(self.setup.seed), *self._asking,
                self._scratch, *self._kept, payoffs, left,
            )  # fmt: skip
        except Exception as error:
            self._blame(error)
            raise
        self._check_untouched(first, max(1, len(drawn)))
        if done < len(drawn):
            raise self._fault(self._what_was_returned())
        return payoffs, left, bool(drew)

    def solve(self, trials: Trials, drawn: Any, solved: Any) -> bool:
        """Fill solved; False if a search was too long."""
        if self._search is None:
            values = np.zeros((DEPTH, 4), np.int64)
            self._search = records(STATE, DEPTH), records(PLAY, WIDTH), values
        done = solve_samples(
            trials.view[0], trials.played, trials.plays, drawn, self._scratch[1], *self._search,
            solved,
        )  # fmt: skip
        return bool(done)

    def place(self) -> str:
        found = self._question[0]
        return f"sample {found.deal} of the hidden cards, turn {found.turn}"


def _dealt(cards: list[int], sizes: list[int]) -> Iterator[list[int]]:
    """Every way to deal hands of such sizes out of one-card masks; what is left is nobody's."""
    if not sizes:
        yield []
        return
    for chosen in combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in chosen]
        for hands in _dealt(rest, sizes[1:]):
            yield [sum(chosen), *hands]
