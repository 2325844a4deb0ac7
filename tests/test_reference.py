"""Guards the reference itself: its two generators of plays agree, and its playouts end."""

import random
from dataclasses import replace
from itertools import permutations

import pytest

from tests import reference
from tests.reference import KINDS, RANKS, RULES, Rules, full_deck, legal_plays
from tests.reference_playout import STRATEGIES, deal, play_out

HOUSE = replace(
    RULES["capsa"],
    name="house",
    kinds_allowed=frozenset(KINDS),
    kinds_ladder=("flush", "straight", "straight_flush", "royal_flush"),
    kinds_bombs=("bare_four", "four_of_a_kind"),
    kinds_bombs_beat=(1, 2, 3),
    straights_order=(("A2345", "5"), ("23456", "6"), ("JQKA2", "2")),
    last_card_highest_single=True,
)


def hands_of(rules: Rules, rng: random.Random) -> list[list[str]]:
    """Random ones of several sizes, one suit, 4-4-4-1, all ranks."""
    deck = full_deck(rules)
    hands = [rng.sample(deck, size) for size in (1, 2, 3, 4, 5, 8, 11, 13)]
    hands += [[rank + rules.suits[2] for rank in RANKS]]
    hands += [deck[-13:], deck[:13], deck[23:36]]
    return [*hands, [rank + rng.choice(rules.suits) for rank in RANKS]]


@pytest.mark.parametrize("rules", [*RULES.values(), HOUSE], ids=lambda rules: rules.name)
def test_both_generators_of_legal_plays_agree(rules: Rules) -> None:
    """Leading, opening, and following plays made of the other cards."""
    rng = random.Random(1)
    for hand in hands_of(rules, rng):
        others = [card for card in full_deck(rules) if card not in hand]
        answers = [cards for cards, _ in legal_plays(rules, rng.sample(others, 13))]
        small = [cards for cards in answers if len(cards) < 5]
        for to_beat in (None, rng.choice(small), rng.choice(answers)):
            must_include = rng.choice([None, hand[0]]) if to_beat is None else None
            where = to_beat, must_include, rng.choice([1, 2, 13]), rng.random() < 0.5
            by_kind = legal_plays(rules, hand, *where)
            assert by_kind == legal_plays(rules, hand, *where, candidates=reference.by_definition)


@pytest.mark.parametrize("name", ["douque", "lockout", "royal", "capsa"])
def test_playouts_end_and_are_zero_sum(name: str) -> None:
    rng = random.Random(2)
    for slots in permutations(STRATEGIES, 3):
        players = 4 if name == "douque" else 3
        hands, starter, opening = deal(name, players, rng)
        rules = RULES[name]
        lineup = [STRATEGIES[slot] for slot in (*slots, "lowest")[:players]]
        playout = play_out(
            rules, hands, starter, opening if rules.opening_must_include else None, lineup
        )
        assert sum(playout.payoffs) == playout.cards_left[playout.winner] == 0
        assert playout.turns[0].seat == starter
        assert playout.turns[-1].seat == playout.winner


def test_a_choice_that_is_not_legal_is_refused() -> None:
    hands = [["3c"], ["4c"], ["5c"], ["6c", "7c"]]
    with pytest.raises(ValueError, match="seat 3 chose"):
        play_out(RULES["maceplay"], hands, 3, None, [lambda *_: (("2s",), "single")] * 4)
