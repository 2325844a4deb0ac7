"""Guards what cards form and what beats what: every combination of the deck, in every rule set.

All 2,598,960 five-card subsets are classified, and every combination found is compared with the
reference: its kind, and its place among all the others.
"""

import hashlib
import random
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from simcore.foundation.jit import kernel
from simcore.game import combinations as kernels
from simcore.game.kinds import KINDS, SIZES
from tests.support import (
    RULE_SETS,
    cards,
    cards_of,
    kernel_classify,
    mask_of,
    reference,
    table,
)

FIVE = ("straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush")

# Plays of at most five cards over the full deck; straights, flushes and so on beside the pairs.
COUNTS = {
    "straight": 10_200,
    "flush": 5_108,
    "full_house": 3_744,
    "four_of_a_kind": 624,
    "straight_flush": 40,
    "pair": 78,
    "triple": 52,
    "single": 52,
}
BOMB_RULES = {kind: n for kind, n in COUNTS.items() if kind not in ("triple", "flush")}
ROYAL_RULES = {**COUNTS, "straight_flush": 36, "royal_flush": 4}
EXPECTED = {
    "douque": BOMB_RULES,
    "maceplay": COUNTS,
    "lockout": BOMB_RULES,
    "royal": ROYAL_RULES,
    "hongkong": COUNTS,
    "pagat": COUNTS,
    # nine straights: 9 * (4**5 - 4); a suited A2345 or 23456 is a plain flush
    "pusoy": {**COUNTS, "straight": 9_180, "flush": 5_112, "straight_flush": 36},
    # eight straights: 8 * (4**5 - 4); a suited A2345 or 23456 is a plain flush
    "capsa": {
        **COUNTS,
        "straight": 8_160,
        "flush": 5_116,
        "straight_flush": 28,
        "royal_flush": 4,
    },
}
TOTALS = {"douque": 14_738, "maceplay": 19_898, "lockout": 14_738, "royal": 19_898}

# sha256 over (mask, kind, place in the order) of every combination of at most five cards. A change
# here changes who wins, so it needs a new ENGINE_VERSION.
ORDER_HASHES = {
    "douque": "b1a3af77e04b93c7",
    "maceplay": "c466458914d6b4f9",
    "lockout": "74cf8632bf57b715",
    "royal": "281cd3e87ffdfb0e",
    "hongkong": "11aff021afa15bca",
    "pagat": "7473e31000c5bedb",
    "pagat@1": "d15f2fbf79ff5afe",
    "pusoy": "7cc470bb9c0e0163",
    "pusoy@1": "11aff021afa15bca",
    "capsa": "273cbc35ac7737d4",
    "capsa@1": "d721c430277f038f",
}


@kernel
def _classify_all(rules, masks, kinds, strengths):
    """Every subset of one to five cards that is a combination; returns how many there are."""
    n = 0
    for a in range(52):
        for b in range(-1, a):
            for c in range(-1, max(b, 0)):
                for d in range(-1, max(c, 0)):
                    for e in range(-1, max(d, 0)):
                        mask = 1 << a
                        for card in (b, c, d, e):  # -1: no further card
                            if card >= 0:
                                mask |= 1 << card
                        kind, strength = kernels.classify(rules, mask)
                        if kind != 0:
                            masks[n] = mask
                            kinds[n] = kind
                            strengths[n] = strength
                            n += 1
    return n


@lru_cache(maxsize=8)
def every_combination(name: str) -> list[tuple[int, str, int]]:
    """(mask, kind, strength) of every combination of at most five cards."""
    found = np.zeros((3, 25_000), np.int64)
    n = _classify_all(table(name), *found)
    masks, kinds, strengths = found[:, :n].tolist()
    return list(zip(masks, [KINDS[kind] for kind in kinds], strengths, strict=True))


@lru_cache(maxsize=8)
def by_reference(name: str) -> list[tuple[str, tuple[int, ...]]]:
    """What the reference says of every one of them, in the same order."""
    rules = reference.RULES[name]
    found = []
    for mask, _, _ in every_combination(name):
        combination = reference.classify(rules, cards_of(rules.suits, mask))
        assert combination is not None, cards_of(rules.suits, mask)
        found.append(combination)
    return found


def places(strengths: list[Any]) -> list[int]:
    """Strengths as places in their order, equal ones on the same place."""
    place = {strength: i for i, strength in enumerate(sorted(set(strengths)))}
    return [place[strength] for strength in strengths]


@pytest.mark.parametrize("name", RULE_SETS)
def test_counts_over_the_full_deck(name: str) -> None:
    kinds = [kind for _, kind, _ in every_combination(name)]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == EXPECTED[name]
    assert len(kinds) == TOTALS.get(name, len(kinds))
    assert sum(EXPECTED[name].values()) == TOTALS.get(name, len(kinds))


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_combination_has_the_kind_that_the_reference_gives(name: str) -> None:
    kinds = [kind for _, kind, _ in every_combination(name)]
    assert kinds == [kind for kind, _ in by_reference(name)]


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_combination_has_its_place_in_the_order_of_its_kind(name: str) -> None:
    ours, theirs = every_combination(name), by_reference(name)
    for kind in set(EXPECTED[name]):
        mine = [strength for _, k, strength in ours if k == kind]
        wanted = [strength for k, strength in theirs if k == kind]
        assert places(mine) == places(wanted), kind


@pytest.mark.parametrize("name", ORDER_HASHES)
def test_the_order_of_all_combinations_is_pinned(name: str) -> None:
    found = every_combination(name)
    place = {}
    for kind in EXPECTED[name.partition("@")[0]]:
        strengths = sorted({strength for _, k, strength in found if k == kind})
        place.update({(kind, strength): i for i, strength in enumerate(strengths)})
    listed = sorted((mask, kind, place[kind, strength]) for mask, kind, strength in found)
    assert hashlib.sha256(repr(listed).encode()).hexdigest()[:16] == ORDER_HASHES[name]


@pytest.mark.parametrize("name", RULE_SETS)
def test_beats_agrees_with_the_reference_on_pairs_of_combinations(name: str) -> None:
    """24,000 pairs: any two kinds, the same kind, and neighbours in the order of one kind."""
    rng = random.Random(name)
    rules, record = reference.RULES[name], table(name)
    ours, theirs = every_combination(name), by_reference(name)
    by_kind: dict[str, list[int]] = {}
    for i, (_, kind, _) in enumerate(ours):
        by_kind.setdefault(kind, []).append(i)
    for indices in by_kind.values():
        indices.sort(key=lambda i: theirs[i][1])
    kinds = list(by_kind)
    pairs = []
    for _ in range(8_000):
        pairs.append(
            (rng.choice(by_kind[rng.choice(kinds)]), rng.choice(by_kind[rng.choice(kinds)]))
        )
        same = by_kind[rng.choice(kinds)]
        pairs.append((rng.choice(same), rng.choice(same)))
        at = rng.randrange(len(same) - 1)
        pairs.append((same[at + 1], same[at]))
    outcomes = []
    for a, b in pairs:
        kind, table_kind = KINDS.index(ours[a][1]), KINDS.index(ours[b][1])
        beaten = bool(kernels.beats(record, kind, ours[a][2], table_kind, ours[b][2]))
        assert beaten == reference.outranks(rules, theirs[a], theirs[b]), (ours[a], ours[b])
        outcomes.append(beaten)
    assert 0.2 < sum(outcomes) / len(outcomes) < 0.8


@pytest.mark.parametrize("name", RULE_SETS)
def test_nothing_beats_itself_and_no_two_plays_beat_each_other(name: str) -> None:
    """Every class of equal plays against every other."""
    record = table(name)
    classes = sorted(
        {(KINDS.index(kind), strength) for _, kind, strength in every_combination(name)}
    )
    chosen = random.Random(1).sample(classes, min(300, len(classes)))
    for a in chosen:
        assert not kernels.beats(record, *a, *a)
        for b in chosen:
            assert not (kernels.beats(record, *a, *b) and kernels.beats(record, *b, *a))


def test_sizes_that_are_no_play_are_no_combination() -> None:
    rng = random.Random(2)
    for name in RULE_SETS:
        for size in (*range(6, 13), *range(14, 20)):
            for _ in range(20):
                mask = sum(1 << card for card in rng.sample(range(52), size))
                assert kernel_classify(name, mask) == ("pass", 0)


# Dragons


def test_thirteen_ranks_are_a_dragon_and_of_one_suit_a_flush_dragon() -> None:
    for suit in range(4):
        one_suit = sum(1 << (4 * rank + suit) for rank in range(13))
        assert kernel_classify("douque", one_suit)[0] == "flush_dragon"
        for rank in range(13):
            other = one_suit ^ 1 << (4 * rank + suit) ^ 1 << (4 * rank + (suit + 1) % 4)
            assert kernel_classify("douque", other)[0] == "dragon"
        for name in RULE_SETS[1:]:
            assert kernel_classify(name, one_suit) == ("pass", 0)


def test_thirteen_cards_of_twelve_ranks_are_no_dragon() -> None:
    for lacking in range(13):
        ranks = [rank for rank in range(13) if rank != lacking]
        mask = sum(1 << (4 * rank) for rank in ranks) | 1 << (4 * ranks[-1] + 1)
        assert kernel_classify("douque", mask) == ("pass", 0)


def test_number_of_dragons_is_four_to_the_thirteenth() -> None:
    """Every choice of suits is a Dragon: 20,000 random ones, four of all being Flush Dragons."""
    rng = random.Random(3)
    for _ in range(20_000):
        mask = sum(1 << (4 * rank + rng.randrange(4)) for rank in range(13))
        assert kernel_classify("douque", mask)[0] == "dragon"
    assert 4**13 == 67_108_864


def test_a_dragon_beats_every_play_and_nothing_beats_a_dragon() -> None:
    record = table("douque")
    for kind in (*EXPECTED["douque"], "dragon", "flush_dragon"):
        number = KINDS.index(kind)
        for dragon in ("dragon", "flush_dragon"):
            assert kernels.beats(record, KINDS.index(dragon), 0, number, 0) == (SIZES[number] < 13)
            assert not kernels.beats(record, number, 0, KINDS.index(dragon), 0)


# Named cases of the order


STRAIGHTS_LOW_TO_HIGH = {
    "douque": "A2345 34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA 23456",
    "maceplay": "34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA A2345 23456",
    "lockout": "A2345 34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA 23456",
    "royal": "A2345 23456 34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA",
    "hongkong": "34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA 23456 A2345",
    "pagat": "A2345 23456 34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA",
    "pusoy": "34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA JQKA2",
    "capsa": "34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA",
}


def straight(name: str, sequence: str, suits: str) -> tuple[str, int]:
    order = reference.RULES[name].suits
    text = [rank + suit for rank, suit in zip(sequence, suits, strict=True)]
    return kernel_classify(name, mask_of(order, text))


@pytest.mark.parametrize("name", RULE_SETS)
def test_straights_and_straight_flushes_have_the_documents_order(name: str) -> None:
    sequences = STRAIGHTS_LOW_TO_HIGH[name].split()
    plain = [straight(name, sequence, "cdhsc") for sequence in sequences]
    assert [kind for kind, _ in plain] == ["straight"] * len(sequences)
    assert [strength for _, strength in plain] == sorted(strength for _, strength in plain)
    suited = [straight(name, sequence, "ccccc") for sequence in sequences]
    if "royal_flush" in reference.RULES[name].kinds_allowed:
        assert suited.pop()[0] == "royal_flush"
    assert {kind for kind, _ in suited} == {"straight_flush"}
    assert [strength for _, strength in suited] == sorted(strength for _, strength in suited)


@pytest.mark.parametrize("name", RULE_SETS)
def test_sequences_around_the_two_are_no_straights(name: str) -> None:
    allowed = {"capsa": "", "pusoy": "JQKA2"}.get(name, "34562")  # that one is 23456
    for sequence in ("JQKA2", "QKA23", "KA234", "34562"):
        expected = sequence == allowed
        assert (straight(name, sequence, "cdhsc")[0] == "straight") == expected


TIE_CARDS = {
    ("douque", "A2345"): 1,
    ("douque", "23456"): 0,
    ("maceplay", "A2345"): 1,
    ("maceplay", "23456"): 0,
    ("lockout", "A2345"): 4,
    ("lockout", "23456"): 4,
    ("royal", "A2345"): 4,
    ("royal", "23456"): 4,
    ("hongkong", "A2345"): 1,
    ("hongkong", "23456"): 0,
}


@pytest.mark.parametrize(
    ("name", "sequence"),
    [
        (name, sequence)
        for name in RULE_SETS
        for sequence in ("A2345", "23456", "45678", "TJQKA", "JQKA2")
        if sequence in STRAIGHTS_LOW_TO_HIGH[name]
    ],
)
def test_equal_straights_compare_the_suit_of_the_tie_break_card_only(
    name: str, sequence: str
) -> None:
    base = {"pagat": "royal"}.get(name, name)
    tie = TIE_CARDS.get((base, sequence), 4)
    order = reference.RULES[name].suits
    for card in range(5):
        suits = [order[1]] * 5
        suits[card - 1] = order[2]  # some other card, so that it is no straight flush
        low, high = suits.copy(), suits.copy()
        low[card], high[card] = order[0], order[3]
        a, b = straight(name, sequence, "".join(low)), straight(name, sequence, "".join(high))
        assert a[0] == b[0] == "straight"
        assert (a[1] < b[1]) if card == tie else (a[1] == b[1])


def test_pairs_compare_rank_and_then_the_higher_suit() -> None:
    def strength(text: str) -> int:
        return kernel_classify("maceplay", mask_of("cdhs", cards(text)))[1]

    assert strength("Ks Kc") > strength("Kh Kd")
    assert strength("Kh Kc") == strength("Kh Kd")
    assert strength("3c 3d") < strength("4c 4d")
