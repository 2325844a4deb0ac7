"""What several tests need: kernels called from Python, the reference beside them, statistics.

Cards cross the border between the engine and the reference as notation ("3c"); the conversions here
are written out on their own, so that a mistake in the engine's cannot cancel out.
"""

import json
import random
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Any, get_origin

import numpy as np

from simcore.foundation.jit import records
from simcore.foundation.rng import STRATEGY, WORDS
from simcore.game import combinations, plays, rule_format
from simcore.game.groups import PLAY
from simcore.game.kinds import KINDS
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import KEYS, Key, RuleSet, load_rules
from simcore.game.turns import start_state
from simcore.simulation.setup import Rows, Setup, Workspace, make_setup
from tests import reference
from tests.reference import RANKS, Play, Rules
from tests.reference_playout import Position, opening_card_in_play

EXACT = ("douque", "maceplay", "lockout", "royal")
RULE_SETS = tuple(reference.RULES)
FULL_DECK = (1 << 52) - 1

# Every table: (rule set or house rule, number of players).
TABLES = [
    *((name, 4) for name in RULE_SETS),
    *(("lockout", 3), ("royal", 3), ("royal:deal=13", 3), ("royal:deal=13", 4)),
    *(("pagat", 3), ("hongkong", 2), ("hongkong", 3), ("pusoy", 3), ("capsa", 2)),
]

# The kernels take their record arrays from here; tests run one at a time.
BUFFER = records(PLAY, plays.buffer_size(18))


@lru_cache(maxsize=200)
def table(rules: str | RuleSet) -> Any:
    """The record that the kernels take, of a rule set or its name."""
    return rule_table(load_rules(rules))[0]


@lru_cache(maxsize=100)
def _bit_of(suits: str) -> dict[str, int]:
    return {
        rank + suit: 1 << (4 * r + s)
        for r, rank in enumerate(RANKS)
        for s, suit in enumerate(suits)
    }


def mask_of(suits: str, cards: Iterable[str]) -> int:
    """Mask of cards in notation; `suits` is the rule set's order, low to high."""
    bit_of = _bit_of(suits)
    return sum(bit_of[card] for card in cards)


def cards_of(suits: str, mask: int) -> tuple[str, ...]:
    """Notation of the cards of a mask, low to high."""
    return tuple(card for card, bit in _bit_of(suits).items() if mask & bit)


def cards(text: str) -> list[str]:
    """ "3c Td" as a list."""
    return text.split()


def kernel_classify(rules: str | RuleSet, mask: int) -> tuple[str, int]:
    """(kind, strength) of a mask; kind "pass" for no combination."""
    kind, strength = combinations.classify(table(rules), mask)
    return KINDS[kind], int(strength)


def kernel_plays(
    rule_table: Any,
    hand: int,
    kind: int = 0,
    strength: int = 0,
    required: int = 0,
    next_left: int = 0,
    fresh: bool = False,
) -> list[tuple[int, str, int]]:
    """What the kernel legal_plays lists: (mask, kind, strength), the pass (mask 0) included."""
    n = plays.legal_plays(rule_table, hand, kind, strength, required, next_left, fresh, BUFFER)
    assert n <= len(BUFFER), "the kernel wrote behind its buffer"
    found = BUFFER[:n]
    return list(
        zip(
            found.mask.tolist(),
            [KINDS[k] for k in found.kind.tolist()],
            found.strength.tolist(),
            strict=True,
        )
    )


def reference_rules(rules: RuleSet) -> Rules:
    """A rule set read from a file, for the reference: by name, key for key."""

    def as_there(field: Any) -> Any:
        value = getattr(rules, field.name)
        return frozenset(value) if get_origin(field.type) is frozenset else value

    return Rules(**{field.name: as_there(field) for field in fields(Rules)})


WRAPS = tuple((RANKS * 2)[i : i + 5] for i in range(13))
FIVE = ("straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush")


MONSTERS = ("bare_four", "four_of_a_kind", "straight_flush", "royal_flush")


def toml(value: Any) -> str:
    """A value as a rule file has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {item}" for key, item in value.items()) + " }"
    return json.dumps(value)


def random_value(rng: random.Random, key: Key) -> Any:
    """Any value of a flag, a choice, a list of sizes, or an item of the payoff."""
    if key.form is rule_format.FLAG:
        return rng.choice([True, False])
    if key.form.known:
        return rng.choice(list(key.form.known))
    if key.form is rule_format.RANK_VALUES:
        return {r: rng.choice([0, 1, 5, 20]) for r in RANKS if rng.random() < 0.3}
    if isinstance(key.form, rule_format.ItemForm):
        if rng.random() < 0.5:
            return {}
        return {"times": rng.choice([1, 1, 2, 3]), "points": rng.choice([0, 0, -2, 5])}
    assert key.form.words == "a list of whole numbers, [1, …]", f"draw a value for {key.name}"
    return [size for size in range(1, 6) if rng.random() < 0.3]


def random_house_rules(rng: random.Random, number: int) -> RuleSet:
    """A rule set that nobody plays: kinds, ladder, bombs, straights and all the rest at random."""
    pick = rng.choice
    kinds = {"single"} | {kind for kind in reference.KINDS if rng.random() < 0.7}
    if "royal_flush" in kinds:
        kinds.add("straight_flush")
    if "flush_dragon" in kinds:
        kinds.add("dragon")
    straights = [text for text in WRAPS if rng.random() < 0.7 or text == "TJQKA"]
    rng.shuffle(straights)
    five = [kind for kind in FIVE if kind in kinds]
    rng.shuffle(five)
    ladder = five if rng.random() < 0.6 else []
    apart = [kind for kind in ladder if rng.random() < 0.2]
    bombs = [kind for kind in ladder or five if rng.random() < 0.3]
    ladder = [kind for kind in ladder if kind not in apart]
    if "bare_four" in kinds and rng.random() < 0.5:
        bombs.insert(rng.randrange(len(bombs) + 1), "bare_four")
    own_sizes = {kind: rng.sample(range(1, 6), pick([1, 2, 3])) for kind in bombs}
    highest = 0 if rng.random() < 0.6 else pick([1, 1, 2, 4])
    sizes = [size for size in range(1, 6) if rng.random() < 0.5] or [1]
    suits = "".join(rng.sample("cdhs", 4))
    changes = {
        "name": f"house{number}",
        "players": [2, 3, 4],
        "deal": 13,
        "suits": suits,
        "opening.card": pick(RANKS) + pick(suits),
        "kinds.allowed": sorted(kinds),
        "kinds.ladder": ladder,
        "kinds.apart": apart if ladder else [],
        "kinds.bombs": bombs,
        "kinds.bombs_beat": sizes if bombs else [],
        "kinds.bombs_each": {k: own_sizes[k] for k in bombs if rng.random() < 0.4},
        "kinds.bombs_twos_only": [kind for kind in bombs if rng.random() < 0.3],
        "kinds.singles_beat_all": ["2" + suit for suit in suits[4 - highest :]],
        "kinds.unbeatable": [kind for kind in sorted(kinds) if rng.random() < 0.1],
        "kinds.unbeatable_singles": pick([[], ["2" + suits[3]]]),
        "straights.order": [f"{text}:{pick(text)}" for text in straights],
        "payoff.tiers": [[1, 1], [pick([8, 9, 10]), pick([2, 3])]],
        "payoff.monsters": [kind for kind in MONSTERS if kind in kinds and rng.random() < 0.5],
    }
    without = {  # what nothing of these rules can fulfil
        "payoff.monster_left": not changes["payoff.monsters"],
        "payoff.finish_flush_dragon": "flush_dragon" not in kinds,
    }
    changes["session.hands"] = pick([2, 3])
    changes["last_card.no_pass"] = rng.random() < 0.5
    changes["last_card.pays"] = rng.random() < 0.5
    changes["last_card.highest_single"] = (
        not (changes["last_card.no_pass"] and changes["last_card.pays"]) and rng.random() < 0.5
    )
    changes["opening.must_include"] = rng.random() < 0.5
    changes["opening.alone"] = changes["opening.must_include"] and rng.random() < 0.4
    for key in KEYS.values():  # a key that is added is drawn here too
        if key.name not in changes and key.name != "title" and not without.get(key.name):
            changes[key.name] = random_value(rng, key)
    lines = [f"{key} = {toml(value)}" for key, value in changes.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "house.toml"
        path.write_text("\n".join(['extends = "maceplay"', *lines]), encoding="utf-8")
        return load_rules(path)


def playable_house_rules(rng: random.Random, number: int) -> RuleSet:
    """With singles that can be beaten: the shortcut of `random` needs that."""
    while "single" in (rules := random_house_rules(rng, number)).kinds_unbeatable:
        pass
    return rules


# Playouts


@dataclass(frozen=True)
class Played:
    """A playout of chosen hands: turns as (seat, cards, kind), and what the engine says of it."""

    turns: list[tuple[int, tuple[str, ...], str]]
    winner: int
    plays: int
    passes: int
    tricks: int
    last_kind: str
    grand_slam: bool
    left: list[tuple[str, ...]]
    params: Any  # float64 by slot, as the strategies left them


@lru_cache(maxsize=200)
def _workspace(setup: Setup, listed: bool) -> Workspace:
    work = Workspace(setup, traced=1)
    if listed:
        work._direct[:] = 0
    return work


def play_hands(
    rules: str | RuleSet,
    hands: Sequence[Iterable[str]],
    starter: int,
    must_include: str | None,
    lineup: Any,
    listed: bool = False,
    seed: int = 0,
) -> Played:
    """The engine's playout of given hands; `listed`: without the shortcuts of the built-ins."""
    rule_set = load_rules(rules)
    suits = rule_set.suits
    players = len(hands)
    setup = make_setup(rule_set, lineup, seed, players, "fixed")
    work = _workspace(setup, listed)
    work.write_params(setup.lineup)
    for slot in range(players):
        stream = work._streams[slot]
        stream.seed, stream.deal, stream.purpose = seed, 0, STRATEGY + slot
        stream.block, stream.used = 0, WORDS
    masks = work._scratch[1]
    masks[:players] = [mask_of(suits, hand) for hand in hands]
    work._scratch[2, :players] = range(players)
    required = 0 if must_include is None else mask_of(suits, [must_include])
    start_state(work._state[0], starter, required)
    work.play_on()
    assert not work._question[0].fault, "a strategy chose no play"
    state = work._state[0]
    return Played(
        turns=[
            (int(turn.seat), cards_of(suits, int(turn.mask)), KINDS[turn.kind])
            for turn in work.trace[: int(state.turn)]
        ],
        winner=int(state.seat),
        plays=int(state.plays),
        passes=int(state.turn - state.plays),
        tricks=int(state.trick),
        last_kind=KINDS[state.kind],
        grand_slam=bool(state.played == 1 << state.starter),
        left=[cards_of(suits, int(mask)) for mask in masks[:players]],
        params=work._params.copy(),
    )


def follow(turns: Sequence[tuple[int, Iterable[str], str]]) -> Callable[..., Play | None]:
    """A strategy for the reference that repeats given turns; the reference checks each of them."""

    def choose(position: Position, plays: list[Play], may_pass: bool) -> Play | None:
        seat, played, kind = turns[position.turn]
        assert seat == position.seat, f"turn {position.turn} is not seat {seat}'s"
        return None if kind == "pass" else (tuple(played), kind)

    return choose


def opening_of(name: str, hands: Sequence[Sequence[str]]) -> str:
    """The opening card in play, by the reference."""
    return opening_card_in_play(reference.RULES[name], [list(hand) for hand in hands])


def same_rows(a: Rows, b: Rows) -> bool:
    blocks = ("deals", "block8", "block16", "block32")
    return all(np.array_equal(getattr(a, block), getattr(b, block)) for block in blocks)


# Statistics


def z_of_mean(values: Any, expected: float) -> float:
    """Standard errors by which the mean of independent values is off."""
    values = np.asarray(values, float)
    return float((values.mean() - expected) / (values.std(ddof=1) / sqrt(len(values))))


def z_of_share(hits: Any, probability: float) -> float:
    """Standard errors by which the share of hits among independent trials is off."""
    hits = np.asarray(hits, bool)
    return float((hits.mean() - probability) / sqrt(probability * (1 - probability) / len(hits)))


def z_of_counts(observed: Any, probabilities: Any) -> float:
    """Chi-squared test of counts against probabilities, as a normal deviate (Wilson-Hilferty).

    Cells that expect fewer than ten are put together with their neighbours.
    """
    observed = np.asarray(observed, float)
    expected = np.asarray(probabilities, float) * observed.sum()
    assert abs(expected.sum() - observed.sum()) < 1e-3 * observed.sum()
    cells: list[list[float]] = [[0.0, 0.0]]
    for seen, wanted in zip(observed, expected, strict=True):
        if cells[-1][1] >= 10:
            cells.append([0.0, 0.0])
        cells[-1][0] += seen
        cells[-1][1] += wanted
    if cells[-1][1] < 10:
        seen, wanted = cells.pop()
        cells[-1][0] += seen
        cells[-1][1] += wanted
    freedom = len(cells) - 1
    chi2 = sum((seen - wanted) ** 2 / wanted for seen, wanted in cells)
    spread = 2 / (9 * freedom)
    return float(((chi2 / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def expected_share(
    wins: Any, counts: Any, most: float = 1.0, level: float = 0.95
) -> tuple[float, float]:
    """The interval of a share of clustered playouts, deal by deal; wins, counts: int[deals]."""
    from scipy import stats
    from statsmodels.stats.proportion import proportion_confint

    wins, counts = np.asarray(wins, float), np.asarray(counts, float)
    number = counts.sum() * most  # playouts in which somebody who counts can win
    share = wins.sum() / number
    deals = counts.sum() ** 2 / (counts**2).sum()
    residual = wins - share * counts * most
    effect = deals / (deals - 1) * (residual**2).sum()  # against that of independent playouts
    seen = min(wins.sum(), number - wins.sum())
    if seen > 0:
        effect = seen * effect / (number * share * (1 - share))
    effect = (effect + 0.5 * number / deals) / (seen + 0.5)
    t = [stats.t.ppf((1 + level) / 2, max(1, k - 1)) for k in (number, deals)]
    effective = number / effect * (t[0] / t[1]) ** 2
    low, high = proportion_confint(share * effective, effective, 1 - level, "wilson")
    return low * most, high * most
