"""How long each kernel takes, beside its goal in nanoseconds on a 3 GHz Zen 4 core.

`pytest tests/benchmarks -m slow -s` prints the table. Otherwise each loop runs a few times, to see
that it works; no time is asserted. A case is a loop of calls, compiled like the kernels themselves,
over hands as they are in play; the cost of the loop is in the figure.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import thread_time
from typing import Any

import numpy as np
import pytest

from cli.output import out, table
from simcore.foundation.calibration import calibrate
from simcore.foundation.jit import kernel, records
from simcore.foundation.rng import STREAM, below, refill
from simcore.game import kinds as K
from simcore.game.combinations import beats, classify
from simcore.game.dealing import deal, opening_seat
from simcore.game.groups import PLAY
from simcore.game.payoffs import settle
from simcore.game.plays import (
    buffer_size,
    count_kind,
    formable_kinds,
    legal_plays,
    weakest_of_kind,
)
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import load_rules
from simcore.runs.executors import Tally, empty_summary
from simcore.runs.parts import encode
from simcore.runs.schema import to_table
from simcore.simulation.seatings import choose_seatings
from simcore.simulation.setup import Workspace, make_setup
from simcore.strategies.estimate import estimate_plays
from simcore.strategies.partition import least_plays

HANDS = 4_096  # more than a processor learns by heart


@kernel
def loop_refill(rng, n):
    for _ in range(n):
        refill(rng)


@kernel
def loop_below(rng, n):
    total = 0
    for i in range(n):
        total += below(rng, 2 + (i & 15))
    return total


@kernel
def loop_deal(rules, rng, deck, hands, n):
    for i in range(n):
        deal(rules, 4, np.uint64(1), i, rng, deck, hands)


@kernel
def loop_opening(rules, dealt, n):
    total = 0
    for i in range(n):
        total += opening_seat(rules, 4, dealt[i % len(dealt)])[0]
    return total


@kernel
def loop_seatings(rng, chosen, n):
    for i in range(n):
        choose_seatings(2, 4, np.uint64(1), i, rng, chosen)


@kernel
def loop_classify(rules, masks, n):
    total = 0
    for i in range(n):
        total += classify(rules, masks[i % len(masks)])[0]
    return total


@kernel
def loop_beats(rules, kinds, strengths, n):
    total = 0
    for i in range(n):
        a, b = i % len(kinds), (i + 1) % len(kinds)
        total += beats(rules, kinds[a], strengths[a], kinds[b], strengths[b])
    return total


@kernel
def loop_formable(rules, hands, n):
    total = 0
    for i in range(n):
        total += formable_kinds(rules, hands[i % len(hands)])
    return total


@kernel
def loop_legal(rules, hands, kind, strength, plays, n):
    total = 0
    for i in range(n):
        total += legal_plays(rules, hands[i % len(hands)], kind, strength, 0, 0, 0, plays)
    return total


@kernel
def loop_count(rules, hands, kind, plays, n):
    total = 0
    for i in range(n):
        total += count_kind(rules, hands[i % len(hands)], kind, -1, plays)
    return total


@kernel
def loop_weakest(rules, hands, kind, plays, n):
    total = 0
    for i in range(n):
        total += weakest_of_kind(rules, hands[i % len(hands)], kind, -1, plays)[1]
    return total


@kernel
def loop_settle(rules, ends, payoffs, n):
    total = 0
    for i in range(n):
        total += settle(rules, 4, ends[i % len(ends)], 0, 1, K.SINGLE, 0, 15, payoffs)[0]
    return total


@kernel
def loop_estimate(rules, hands, n):
    total = 0
    for i in range(n):
        total += estimate_plays(rules, hands[i % len(hands)])[0]
    return total


@kernel
def loop_least(rules, hands, groups, scratch, starts, known, n):
    total = 0
    for i in range(n):
        total += least_plays(
            rules, hands[i % len(hands)], groups, scratch[0], scratch[1], starts, scratch[2], known
        )
    return total


@dataclass(frozen=True)
class Benchmark:
    """A kernel's loop: run(n) makes n calls."""

    name: str
    goal: float  # nanoseconds a call
    run: Callable[[int], object]

    @property
    def calls(self) -> int:
        """In one measurement: about 20 ms, much more than entering compiled code takes."""
        return int(2e7 / self.goal)


def benchmarks() -> list[Benchmark]:
    """Every kernel that a run spends time in, on douque unless its name says otherwise."""
    rules = rule_table(load_rules("douque"))[0]
    rng = records(STREAM, 1)[0]
    plays = records(PLAY, buffer_size(13))
    deck, dealt = np.zeros(52, np.int64), np.zeros((HANDS // 4, 4), np.int64)
    for i, hands in enumerate(dealt):
        deal(rules, 4, np.uint64(7), i, rng, deck, hands)
    full = dealt.ravel()
    small = np.array([int(h) & 0x5A5A5A5A5A5A5 for h in full], np.int64)
    small[small == 0] = 1
    ends = small.reshape(dealt.shape).copy()
    ends[:, 0] = 0
    five = int(legal_plays(rules, full[0], K.PASS, 0, 0, 0, 0, plays))
    masks = np.array([plays[i % five].mask for i in range(HANDS)], np.int64)
    formed = [classify(rules, mask) for mask in masks]
    kinds = np.array([kind for kind, _ in formed], np.int64)
    strengths = np.array([strength for _, strength in formed], np.int64)
    chosen, payoffs = np.zeros(24, np.int64), np.zeros(4, np.int64)
    groups = records(PLAY, buffer_size(13))
    scratch, starts = np.zeros((3, len(groups)), np.int64), np.zeros(53, np.int64)
    known = np.zeros(1 << 13, np.int16)
    setup = make_setup("douque", "random", seatings="fixed")
    work = Workspace(setup)
    rows = work.play(0, 20_000)
    table_of_rows, sums = to_table(rows, setup.needed), empty_summary(setup)

    def playouts(rule_set: str, lineup: str) -> Callable[[int], object]:
        found = Workspace(make_setup(rule_set, lineup, seatings="fixed"))
        return lambda n: found.play(0, n)

    def per_row(work: Callable[[], object]) -> Callable[[int], object]:
        return lambda n: [work() for _ in range(-(-n // len(rows)))]

    def leading(hands: Any) -> Callable[[int], object]:
        return lambda n: loop_legal(rules, hands, K.PASS, 0, plays, n)

    found = [
        Benchmark("calibrate, a round", 18, calibrate),
        Benchmark("refill, 32 random words", 25, lambda n: loop_refill(rng, n)),
        Benchmark("below", 3, lambda n: loop_below(rng, n)),
        Benchmark("deal", 120, lambda n: loop_deal(rules, rng, deck, payoffs, n)),
        Benchmark("opening_seat", 4, lambda n: loop_opening(rules, dealt, n)),
        Benchmark("choose_seatings, balanced", 30, lambda n: loop_seatings(rng, chosen, n)),
        Benchmark("classify", 5, lambda n: loop_classify(rules, masks, n)),
        Benchmark("beats", 5, lambda n: loop_beats(rules, kinds, strengths, n)),
        Benchmark("formable_kinds, 13 cards", 8, lambda n: loop_formable(rules, full, n)),
        Benchmark("legal_plays, lead, 13 cards", 320, leading(full)),
        Benchmark("legal_plays, lead, 6 cards", 65, leading(small)),
        Benchmark(
            "legal_plays, follow a single", 40,
            lambda n: loop_legal(rules, full, K.SINGLE, 20, plays, n),
        ),
        Benchmark(
            "legal_plays, follow a pair", 45,
            lambda n: loop_legal(rules, full, K.PAIR, 20, plays, n),
        ),
        Benchmark(
            "legal_plays, follow a straight", 55,
            lambda n: loop_legal(rules, full, K.STRAIGHT, 8, plays, n),
        ),
        Benchmark("estimate_plays, 13 cards", 16, lambda n: loop_estimate(rules, full, n)),
        Benchmark(
            "least_plays, 13 cards", 1_300,
            lambda n: loop_least(rules, full, groups, scratch, starts, known, n),
        ),
        Benchmark("settle", 22, lambda n: loop_settle(rules, ends, payoffs, n)),
        Benchmark("tally_rows, a row", 90, per_row(lambda: Tally(setup).add(rows, len(rows)))),
        Benchmark("to_table, a row", 15, per_row(lambda: to_table(rows, setup.needed))),
        Benchmark("encode, a row", 180, per_row(lambda: encode("", 0, 1, sums, table_of_rows))),
    ]  # fmt: skip
    for kind, count, weakest in (
        ("pair", 8, 13),
        ("triple", 8, 10),
        ("straight", 16, 16),
        ("full_house", 10, 10),
        ("four_of_a_kind", 6, 6),
        ("straight_flush", 11, 17),
    ):
        number = K.KINDS.index(kind)
        found += [
            Benchmark(
                f"count_kind, {kind}", count,
                lambda n, number=number: loop_count(rules, full, number, plays, n),  # type: ignore[misc]
            ),
            Benchmark(
                f"weakest_of_kind, {kind}", weakest,
                lambda n, number=number: loop_weakest(rules, full, number, plays, n),  # type: ignore[misc]
            ),
        ]  # fmt: skip
    for rule_set, lineup, goal in (
        ("douque", "random", 1_850),
        ("douque", "lowest", 800),
        ("douque", "dump", 1_000),
        ("maceplay", "random", 2_000),
        ("lockout", "random", 2_000),
        ("royal", "random", 2_000),
        ("douque", "highest", 3_700),
        ("douque", "keep", 3_700),
        ("douque", "smart", 7_500),
        ("douque", "linear", 9_000),
        ("douque", "minplays", 34_000),
        ("douque", "control", 40_000),
    ):
        found.append(
            Benchmark(f"playout, {rule_set}, {lineup} × 4", goal, playouts(rule_set, lineup))
        )
    return found


@pytest.fixture(scope="module")
def cases() -> list[Benchmark]:
    return benchmarks()


def test_every_benchmark_runs(cases: list[Benchmark]) -> None:
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        case.run(10)


@pytest.mark.slow
def test_print_the_figures(cases: list[Benchmark], capsys: pytest.CaptureFixture[str]) -> None:
    rows = table("kernel", ">ns", ">goal", "")
    for case in cases:
        times = []
        for _ in range(15):
            started = thread_time()
            case.run(case.calls)
            times.append(1e9 * (thread_time() - started) / case.calls)
        figure = median(times[1:])
        rows.add_row(
            case.name, f"{figure:,.1f}", f"{case.goal:,.0f}", "" if figure <= case.goal else "over"
        )
    with capsys.disabled():
        print()
        out.print(rows)
