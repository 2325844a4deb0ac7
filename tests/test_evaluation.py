"""Guards `simcore.evaluate`: its values against plain playouts, solved ends, its bounds."""

import json
import math
import random
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import simcore
from simcore import InputError, StrategyError
from tests import reference
from tests.command import data, line, refuse
from tests.played_on import FACTS, Plain, asked
from tests.support import EXACT
from tests.test_endgame import best_play
from tests.test_notebook import words

MIDGAME = Path(__file__).parent / "data" / "midgame.jsonl"


def interval_covers(name: str, policy: str, position: dict[str, Any], number: int) -> bool:
    """Whether the difference of an evaluation and plain playouts is within both their errors."""
    rng = random.Random(f"{name} {policy} {number}")
    found = simcore.evaluate(
        name, policy=policy, seed=number, samples=400, half_width=None, alpha=1e-9, **position
    )
    worth = rng.choice(found.plays)
    plain = Plain(name, policy, position)
    values = []
    for k in range(200):
        values.append(plain.play(plain.hidden(rng), worth.play.cards, k)[0])
    mean, error = np.mean(values), np.std(values, ddof=1) / math.sqrt(len(values))
    if found.exact:
        return abs(worth.payoff - mean) <= 1.96 * error + 1e-12
    own = (worth.payoff_high - worth.payoff_low) / 2 / 1.96
    return abs(worth.payoff - mean) <= 1.96 * math.hypot(own, error) + 1e-12


def covered(positions: int) -> int:
    """In how many of so many positions an evaluation agrees with plain playouts."""
    tables = [("maceplay", 4), ("douque", 4), ("lockout", 3), ("royal", 4), ("lockout", 4)]
    policies = ["linear", "random", "keep,dump,linear,lowest"]
    found = done = 0
    rng = random.Random(positions)
    while done < positions:
        name, players = tables[done % len(tables)]
        policy = policies[done // len(tables) % len(policies)]
        if players == 3 and "," in policy:
            policy = "keep,dump,linear"
        turns = list(asked(name, "linear", rng.randrange(10**9), 1, players))
        position, _ = rng.choice(turns)
        found += interval_covers(name, policy, position, done)
        done += 1
    return found


def test_values_agree_with_plain_playouts() -> None:
    """Cards shuffled in Python, played on one by one. A false alarm in a thousand."""
    assert binomtest(covered(30), 30, 0.95).pvalue > 1e-3


@pytest.mark.slow
def test_values_of_many_positions_agree_with_plain_playouts() -> None:
    found = covered(2000)
    print(f"{found} of 2,000 within the errors")
    assert binomtest(found, 2000, 0.95).pvalue > 0.01


# Few cards: every arrangement is tried


def small_position(name: str, rng: random.Random) -> dict[str, Any]:
    """Four hands of a card or two, everything else seen."""
    deck = reference.full_deck(reference.RULES[name])
    rng.shuffle(deck)
    own, sizes = rng.randint(2, 3), [rng.randint(1, 2) for _ in range(3)]
    standing = rng.random() < 0.5
    return {
        "hand": deck[:own],
        "to_beat": [deck[-1]] if standing else None,
        "to_beat_by": rng.randint(1, 3) if standing else None,
        "cards_left": [own, *sizes],
        "seen": deck[own + sum(sizes) :],
        "starter": rng.randrange(4),
        "fresh": False,
    }


def arrangements(position: dict[str, Any], name: str) -> Iterator[list[list[str]]]:
    gone = {*position["hand"], *position["seen"]}
    rest = [c for c in reference.full_deck(reference.RULES[name]) if c not in gone]
    a, b, _ = position["cards_left"][1:]
    opening = simcore.load_rules(name).opening_card
    for first in combinations(rest, a):
        others = [c for c in rest if c not in first]
        for second in combinations(others, b):
            third = [c for c in others if c not in second]
            hands = [list(position["hand"]), list(first), list(second), third]
            # The starter holds the opening card until it is seen.
            if (
                position["starter"] == 0
                or opening not in rest
                or opening in hands[position["starter"]]
            ):
                yield hands


@pytest.mark.parametrize("name", EXACT)
def test_with_few_cards_values_are_exact_and_solved(name: str) -> None:
    """Against the same policy played on by hand, and max^n written with the reference."""
    rng = random.Random(f"small {name}")
    rules = reference.RULES[name]
    for _ in range(4):
        position = small_position(name, rng)
        found = simcore.evaluate(name, policy="keep", **position)
        assert found.exact and found.stopped == "exact" and found.half_width == 0
        everything = list(arrangements(position, name))
        plain = Plain(name, "keep", position | dict.fromkeys(FACTS) | position | {"trick": 1})
        by = position["to_beat_by"]
        for worth in found.plays:
            assert worth.payoff_low == worth.payoff == worth.payoff_high
            ends = [plain.play(hands, worth.play.cards, 0) for hands in everything]
            assert worth.samples == len(ends)
            assert worth.payoff == pytest.approx(np.mean([payoff for payoff, _ in ends]))
            assert worth.win == pytest.approx(np.mean([left == 0 for _, left in ends]))
            best = []
            for hands in everything:
                left = [[c for c in hands[0] if c not in worth.play.cards], *hands[1:]]
                passing = not worth.play
                played = frozenset({0, 1, 2, 3})
                if not left[0]:
                    slam = False
                    best.append(reference.payoffs(rules, 0, left, worth.play.cards, slam)[0])
                    continue
                standing = tuple(position["to_beat"]) if passing else worth.play.cards
                out, seat = frozenset(), 1
                if by is not None and len(position["to_beat"]) in rules.passing_locks_on:
                    out = frozenset(range(by + 1, 4)) | frozenset([0] if passing else [])
                while seat in out:
                    seat = (seat + 1) % 4
                best.append(
                    best_play(
                        rules, left, seat, position["starter"], standing, by if passing else 0,
                        out, played,
                    )[0]
                )  # fmt: skip
            assert worth.solved == pytest.approx(np.mean(best))
        for holding in found.others:
            hands = [each[holding.seat] for each in everything]
            assert holding.two == pytest.approx(
                np.mean([any(c[0] == "2" for c in h) for h in hands])
            )
            assert holding.pair == pytest.approx(
                np.mean([len({c[0] for c in hand}) < len(hand) for hand in hands])
            )
            if by is None:
                assert math.isnan(holding.beats)
                continue
            locked = holding.seat > by and 1 in rules.passing_locks_on
            answers = [
                not locked
                and bool(reference.legal_plays(rules, h, tuple(position["to_beat"]), None))
                for h in hands
            ]
            assert holding.beats == pytest.approx(np.mean(answers))


def test_a_policy_that_draws_is_sampled_also_with_few_cards() -> None:
    position = small_position("royal", random.Random(3))
    found = simcore.evaluate("royal", policy="random", samples=3000, **position)
    assert not found.exact and found.stopped in ("half_width", "samples")
    assert all(math.isnan(w.solved) for w in found.plays)


# Sampling


def midgame() -> list[dict[str, Any]]:
    """Fifty positions of maceplay in mid-game, with seven to nine plays each."""
    return [json.loads(text) for text in MIDGAME.read_text("utf-8").splitlines()]


def test_threads_change_nothing_and_a_seed_does() -> None:
    position = midgame()[0]
    one, three, other = (
        simcore.evaluate("maceplay", seed=seed, threads=threads, samples=3000, **position).as_dict()
        for seed, threads in ((1, 1), (1, 3), (2, 1))
    )
    assert one == three
    assert one != other


def test_the_table_grows_and_ends_by_its_rules() -> None:
    position = midgame()[1]
    seen: list[simcore.Evaluation] = []
    found = simcore.evaluate("maceplay", half_width=0.3, progress=seen.append, **position)
    counts = [each.samples for each in seen]
    assert counts == sorted(set(counts)) and counts[0] == 64 and found.samples > counts[-1]
    assert found.stopped == "half_width" and found.half_width <= 0.3
    longer = simcore.evaluate("maceplay", half_width=None, samples=5000, **position)
    assert (longer.stopped, longer.samples) == ("samples", 5000)
    short = simcore.evaluate("maceplay", half_width=None, max_time=1e-6, **position)
    assert (short.stopped, short.samples) == ("max_time", 64)
    stopped = [w for w in longer.plays if w.samples < 5000]
    assert stopped and not any(w.may_be_best for w in stopped)
    assert [w.difference for w in longer.plays] == sorted(
        (w.difference for w in longer.plays), reverse=True
    )


def test_one_play_is_worth_something_too() -> None:
    found = simcore.evaluate("maceplay", "3d", "2s", samples=2000, cards_left=[1, 5, 5, 5])
    assert [str(w.play) for w in found.plays] == ["pass"]
    assert found.half_width == pytest.approx(
        (found.plays[0].payoff_high - found.plays[0].payoff_low) / 2
    )


@pytest.mark.slow
def test_what_two_seconds_bring() -> None:
    """Half the interval of the difference of the best two; no limit, for machines differ."""
    simcore.evaluate("maceplay", max_time=0.1, **midgame()[0])
    halves, times = [], []
    for position in midgame():
        begun = time.perf_counter()
        found = simcore.evaluate("maceplay", max_time=2, **position)
        times.append(time.perf_counter() - begun)
        halves.append(found.half_width)
    print(
        f"median half width {np.median(halves):.3f}, {np.mean(np.array(halves) <= 0.1):.0%} within "
        f"0.1; median {np.median(times):.2f} s, longest {max(times):.2f} s"
    )
    assert len(halves) == 50 and np.isfinite(halves).all()


# What cannot be


PLAIN_BOT = "def plain(position):\n    return position.plays[0]\n"
FAULTY = """
from simcore import strategy

@strategy
def faulty(view, plays, n_plays, params, rng):
    return n_plays
"""


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"half_width": 0}, "half_width 0 is out of bounds: above 0"),
        ({"max_time": -1.0}, "max_time -1 is out of bounds"),
        ({"samples": 1}, "samples 1 is out of bounds: 2 to"),
        ({"alpha": 0.5}, "alpha 0.5 is out of bounds"),
        ({"threads": 0}, "threads 0 is out of bounds: at least 1"),
        ({"policy": "linea"}, "did you mean linear"),
        ({"policy": ["dump"] * 3}, "lineup names 3 strategies"),
        ({"cards_left": [3, 5, 5, 5]}, "cards_left[0] is 3"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], fragment: str) -> None:
    with pytest.raises(InputError) as caught:
        simcore.evaluate("maceplay", "3d 4d", "3c", **arguments)
    assert fragment in str(caught.value)


def test_policies_of_users_are_blamed_for_their_faults(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(FAULTY + PLAIN_BOT, "utf-8")
    with pytest.raises(StrategyError, match=r"returned index .* in sample 0 of the hidden cards"):
        simcore.evaluate("maceplay", "3d 4d 5d 6h", "3c", policy=f"{tmp_path}/bots.py:faulty")
    with pytest.raises(InputError, match="is plain Python or a program, too slow"):
        simcore.evaluate("maceplay", "3d 4d", "3c", policy=f"{tmp_path}/bots.py:plain")


# How it is shown


HAND = '--rules maceplay --hand "3d 4d 5h 9s Tc" --table 6c --samples 500'


def test_the_command_says_what_the_function_does() -> None:
    found = simcore.evaluate("maceplay", "3d 4d 5h 9s Tc", "6c", samples=500)
    assert data(f"evaluate {HAND}") == json.loads(json.dumps(found.as_dict()))
    shown = line(f"evaluate {HAND}")
    assert shown.status == 0 and "best?" in shown.out and "500 arrangements" in shown.err
    refuse(line(f"evaluate {HAND} --half-width 0"), "half_width 0", "above 0")
    refuse(line(f"evaluate {HAND} --policy nobody"), "nobody")


def test_frames_and_notebooks() -> None:
    found = simcore.evaluate("maceplay", "3d 4d 5h 9s Tc", "6c", samples=500)
    assert list(found.frame["cards"]) == [str(w.play) for w in found.plays]
    assert {"payoff", "payoff_low", "payoff_high", "win", "difference", "solved"} <= {*found.frame}
    assert list(found.hidden["seat"]) == [1, 2, 3]
    assert str(found) == str(found.plays[0].play) and str(found) in words(found)
