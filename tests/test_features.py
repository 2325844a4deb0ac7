"""Guards what `linear` weighs: every feature against its definition, on random positions."""

import random
from itertools import combinations

import numpy as np
import pytest

from simcore.foundation.jit import kernel, records
from simcore.game.groups import PLAY
from simcore.game.kinds import KINDS, SIZES
from simcore.strategies.features import FOLLOW_FEATURES, LEAD_FEATURES, context_of, play_value
from simcore.strategies.interface import VIEW
from simcore.strategies.linear import linear
from tests.support import EXACT, FULL_DECK, kernel_plays, table
from tests.test_partition import least_plays

NAMES = (*LEAD_FEATURES, *FOLLOW_FEATURES)
TOP = 51


@kernel
def value_of(view, plays, i, weights):  # type: ignore[no-untyped-def]
    return play_value(view, plays[i], weights, context_of(view))


def ranks(mask: int) -> list[int]:
    """Ranks of the cards, low to high, as often as they occur."""
    return [card // 4 for card in range(52) if mask >> card & 1]


def position(rng: random.Random, name: str):  # type: ignore[no-untyped-def]
    """(view, plays): a hand, what has been seen, three opponents, and a play to beat or none."""
    deck = list(range(52))
    rng.shuffle(deck)
    left = [rng.randint(2, 13), *(rng.choice([1, 2, 3, 5, 9, 13]) for _ in range(3))]
    hand = sum(1 << c for c in deck[: left[0]])
    seen = sum(1 << c for c in deck[sum(left) :])
    view = records(VIEW, 1)
    view[0].rules = table(name)
    view[0].hand, view[0].seen, view[0].players = hand, seen, 4
    view[0].cards_left[:] = left
    tables = kernel_plays(table(name), seen)[:-1] if seen else []
    if tables and rng.random() < 0.7:
        mask, kind, strength = rng.choice(tables)
        view[0].to_beat, view[0].to_beat_kind = mask, KINDS.index(kind)
        view[0].to_beat_strength, view[0].to_beat_by = strength, rng.randint(1, 3)
    asked = kernel_plays(
        table(name), hand, int(view[0].to_beat_kind), int(view[0].to_beat_strength)
    )
    plays = records(PLAY, len(asked))
    for i, (mask, kind, strength) in enumerate(asked):
        plays[i].mask, plays[i].kind, plays[i].strength = mask, KINDS.index(kind), strength
    return view, plays


def nobody_beats(name: str, play, unseen: int, most: int) -> bool:  # type: ignore[no-untyped-def]
    """By trying every pair or triple of unseen cards of one rank; larger plays by the sizes."""
    size = SIZES[play.kind]
    if size <= 3:
        if size > 1 and most < size:
            return True
        cards = [1 << c for c in range(52) if unseen >> c & 1]
        groups = (sum(g) for g in combinations(cards, size) if len(set(ranks(sum(g)))) == 1)
        strength = (lambda m: m.bit_length() - 1) if size < 3 else (lambda m: ranks(m)[0])
        return all(strength(group) < play.strength for group in groups)
    return most < size or KINDS[play.kind] in (
        "four_of_a_kind", "straight_flush", "royal_flush", "dragon", "flush_dragon",
    )  # fmt: skip


def by_definition(name: str, view, play) -> dict[str, float]:  # type: ignore[no-untyped-def]
    """The features of a play that are plain to state; those of estimates are compared apart."""
    rules = view.rules
    hand, mask = int(view.hand), int(play.mask)
    rest, unseen = hand & ~mask, FULL_DECK & ~hand & ~int(view.seen)
    others = [int(n) for n in view.cards_left[1:]]
    hidden = [c for c in range(52) if unseen >> c & 1]
    above = [sum(h > c for h in hidden) for c in range(52) if rest >> c & 1]
    held = ranks(rest)
    twos = held.count(12)
    kind = KINDS[play.kind]
    danger = min(others) <= 2
    found = {
        "cards": len(held),
        "boss": above.count(0),
        "near": above.count(1) + above.count(2),
        "twos": twos,
        "aces": held.count(11),
        "four": float(len(held) > 4 and any(held.count(r) == 4 for r in held)),
        "exposure": 0.1
        * len(held)
        * int(rules.payoff_tiers[len(held)])
        * (2**twos if name == "douque" else 1),
    }
    if mask == 0:
        owner = int(view.to_beat_by)
        found |= {
            "pass": 1.0,
            "pass_danger": float(danger),
            "pass_upstream": float(owner == 3),
            "pass_owner": float(view.cards_left[owner] <= 4),
            "pass_cards": len(ranks(hand)) / 13,
        }
    else:
        small = kind in ("single", "pair", "triple")
        high = (mask.bit_length() - 1) / TOP if small else int(rules.position[play.kind]) / 9
        found |= {
            "pair": float(kind == "pair"),
            "triple": float(kind == "triple"),
            "five": float(not small),
            "height": high,
            "stands": float(nobody_beats(name, play, unseen, max(others))),
            "bomb": float(
                name in ("douque", "lockout")
                and kind in ("four_of_a_kind", "straight_flush")
                and kind != KINDS[view.to_beat_kind]
            ),
            "danger_height": danger * high,
            "danger_cards": float(danger * len(held)),
            "gift": (1 - high) * (kind == "single" and others[0] == 1),
            "early": high * len(hidden) / 39,
        }
    where = "lead" if view.to_beat_kind == 0 else "follow"
    return {f"{where}_{key}": value for key, value in found.items()}


@pytest.mark.parametrize("name", EXACT)
def test_features_are_what_their_names_say(name: str) -> None:
    rng = random.Random(f"features {name}")
    compared = 0
    while compared < 150:
        view, plays = position(rng, name)
        i = rng.randrange(len(plays))
        if plays[i].mask == view[0].hand:
            continue
        compared += 1
        found = {
            key: value_of(view[0], plays, i, row)
            for key, row in zip(NAMES, np.eye(len(NAMES)), strict=True)
        }
        wanted = by_definition(name, view[0], plays[i])
        own = {key: found[key] for key in wanted}
        assert own == pytest.approx(wanted), (view[0].hand, plays[i].mask)
        left = int(view[0].hand) & ~int(plays[i].mask)
        where = "lead" if view[0].to_beat_kind == 0 else "follow"
        least = least_plays(name, left)
        assert found[f"{where}_plays"] >= least
        assert found[f"{where}_last"] == float(found[f"{where}_plays"] == 1)
        assert found[f"{where}_run"] == found[f"{where}_last"] * found[f"{where}_stands"]
        alone = {r for r in ranks(left) if ranks(left).count(r) == 1}
        assert found[f"{where}_low"] <= sum(r < 5 for r in alone) + least
        silent = (
            set(NAMES)
            - set(wanted)
            - {f"{where}_{key}" for key in ("plays", "low", "middle", "last", "run")}
        )
        assert not any(found[key] for key in silent)


def test_every_feature_has_a_weight() -> None:
    assert tuple(p.name for p in linear.parameters) == NAMES
    assert len(set(NAMES)) == len(NAMES)
