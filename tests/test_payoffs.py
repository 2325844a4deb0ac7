"""Guards who pays what: the reference on thousands of endings, each item alone, worked examples."""

import random
from math import prod

import numpy as np
import pytest

import simcore
from simcore.errors import InputError
from simcore.game import payoffs as kernels
from simcore.game.kinds import KINDS
from simcore.game.rule_format import NO_ITEM
from simcore.game.rule_table import max_payoff
from simcore.game.ruleset import ITEMS, RuleSet
from simcore.rulebook import itemised_payoffs
from tests import reference
from tests.reference import RANKS, Rules
from tests.support import (
    RULE_SETS,
    cards,
    kernel_classify,
    mask_of,
    random_house_rules,
    reference_rules,
    table,
)

Ending = tuple[int, list[tuple[str, ...]], tuple[str, ...], bool, set[int]]


def ending(rules: Rules, players: int, rng: random.Random) -> Ending:
    """(winner, cards left by seat, last play, grand slam, idle), rich in 2s and Monsters."""
    deck = reference.full_deck(rules)
    if "dragon" in rules.kinds_allowed and rng.random() < 0.1:
        suits = rules.suits if rng.random() < 0.6 else rng.choice(rules.suits)
        last = tuple(rank + rng.choice(suits) for rank in RANKS)
    else:
        hand = rng.sample(deck, 9) if rng.random() < 0.5 else rng.sample(deck[-24:], 9)
        plays = reference.legal_plays(rules, hand)
        kinds = sorted({kind for _, kind in plays})
        wanted = rng.choice(kinds)
        last = rng.choice([played for played, kind in plays if kind == wanted])
    rest = [card for card in deck if card not in last]
    rng.shuffle(rest)
    if rng.random() < 0.4:  # neighbours together: pairs, fours
        rest.sort(key=lambda card: (RANKS.index(card[0]) * 5 % 13, card))
    elif rng.random() < 0.4:  # suits together: straight flushes
        rest.sort(key=lambda card: (card[1], RANKS.index(card[0])))
    winner = rng.randrange(players)
    left: list[tuple[str, ...]] = []
    for seat in range(players):
        size = 0 if seat == winner else rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13))
        left.append(tuple(rest[:size]))
        del rest[:size]
    slam = rng.random() < 0.2
    idle = {seat for seat in range(players) if seat != winner and (slam or rng.random() < 0.2)}
    return winner, left, last, slam, idle


def settle(rules: str | RuleSet, players: int, at: Ending) -> tuple[list[int], int, int]:
    """The kernel's payoffs at stake 1, winner multiplier, and bit set of Monsters left."""
    winner, left, last, slam, idle = at
    suits = simcore.load_rules(rules).suits
    hands = np.array([mask_of(suits, hand) for hand in left], np.int64)
    result = np.zeros(players, np.int64)
    mask = mask_of(suits, last)
    kind = KINDS.index(kernel_classify(rules, mask)[0])
    played = sum(1 << seat for seat in range(players) if seat not in idle)
    times, monsters = kernels.settle(
        table(rules), players, hands, winner, mask, kind, int(slam), played, result
    )
    return result.tolist(), int(times), int(monsters)


@pytest.mark.parametrize("name", RULE_SETS)
def test_payoffs_are_the_reference_s(name: str) -> None:
    """Two thousand random endings with every allowed number of players, all zero-sum."""
    rules = reference.RULES[name]
    rng = random.Random(f"{name} payoffs")
    counts = simcore.load_rules(name).players
    slow = (
        rules.payoff_monster_left != reference.NOTHING
    )  # the reference looks for Monsters in every subset
    for _ in range(700 if slow else 2_000):
        players = rng.choice(counts)
        at = ending(rules, players, rng)
        ours, times, monsters = settle(name, players, at)
        winner, left, last, slam, _ = at
        assert ours == reference.payoffs(rules, winner, left, last, slam), at
        assert times == reference.winner_effect(rules, last, slam)[0]
        assert sum(ours) == 0
        if slow:
            found = [bool(monsters >> seat & 1) for seat in range(players)]
            assert found == [bool(hand) and reference.has_monster(rules, hand) for hand in left]


def test_payoffs_of_random_house_rules_are_the_reference_s_and_within_their_bound() -> None:
    """Points, pairwise settlement, and every item that a rule file may hold."""
    rng = random.Random(12)
    used: set[str] = set()
    for number in range(60):
        rules = random_house_rules(rng, number)
        theirs = reference_rules(rules)
        used |= {name for name, item in rules.payoff_items.items() if item != NO_ITEM}
        for _ in range(12):
            players = rng.choice((2, 3, 4))
            at = ending(theirs, players, rng)
            ours = settle(rules, players, at)[0]
            assert ours == reference.payoffs(theirs, *at[:4], idle=at[4]), (rules, at)
            assert max(map(abs, ours)) <= max_payoff(rules, players, 13)
    assert used == set(ITEMS)


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_public_payoffs_are_the_kernel_s_times_the_stake(name: str) -> None:
    rules = reference.RULES[name]
    rng = random.Random(f"{name} api")
    for _ in range(30):
        players = rng.choice(simcore.load_rules(name).players)
        winner, left, last, slam, idle = at = ending(rules, players, rng)
        stake = rng.choice((1, 2, 10, 1000))
        public = simcore.payoffs(name, winner, left, last, slam, stake, idle)
        assert public == [stake * value for value in settle(name, players, at)[0]]


def test_holds_monster_is_the_reference_s() -> None:
    """Hands of 1 to 13 cards with fours, nearly fours, and straights of nearly one suit."""
    rules = reference.RULES["douque"]
    rng = random.Random(7)
    found = 0
    for _ in range(400):
        _, left, *_ = ending(rules, 4, rng)
        for hand in filter(None, left):
            expected = reference.has_monster(rules, hand)
            assert kernels.holds_monster(table("douque"), mask_of("cdhs", hand)) == expected
            found += expected
    assert found > 100


# Items of douque, one by one


def douque(left: str, last: str = "9c", slam: bool = False) -> int:
    """What one loser pays in douque; the other two hold one card each, that counts once."""
    others = [card for card in ("4h", "5h", "6h") if card not in cards(left) + cards(last)]
    payoffs = simcore.payoffs("douque", 0, ["", left, others[0], others[1]], last, slam)
    assert payoffs[2] == payoffs[3]
    return -payoffs[1]


def some_cards(number: int) -> str:
    """Cards without a 2 or a Monster."""
    return " ".join(
        ["3d", "4s", "5d", "6s", "7d", "8s", "Td", "Jh", "Qs", "Kd", "Ah", "Jc", "Qc"][:number]
    )


@pytest.mark.parametrize(
    ("number", "tier"),
    [(1, 1), (2, 1), (7, 1), (8, 2), (9, 2), (10, 3), (11, 3), (12, 3), (13, 4)],
)
def test_douque_tiers_of_cards_left(number: int, tier: int) -> None:
    assert douque(some_cards(number)) == number * tier


def test_douque_each_two_left_doubles() -> None:
    assert douque("3d 2c") == 2 * 2
    assert douque("3d 2c 2d") == 3 * 4
    assert douque("2c 2d 2s") == 3 * 8
    assert douque("2c 2d 2h 2s") == 4 * 16  # no fifth card, so no Monster
    assert douque("2c 2d 2h 2s 3d") == 5 * 16 * 2


def test_douque_an_unplayed_monster_doubles_once_however_many() -> None:
    assert douque("7c 7d 7h 7s") == 4
    assert douque("7c 7d 7h 7s 8c") == 5 * 2
    assert douque("7c 7d 7h 7s 8c 8d 8h 8s") == 8 * 2 * 2
    assert douque("3d 4d 5d 6d 7d") == 5 * 2
    assert douque("3d 4d 5d 6d 7d 8d 9d") == 7 * 2  # straight flushes that overlap count once
    assert douque("Ad 2d 3d 4d 5d") == 5 * 2 * 2
    assert douque("Jd Qd Kd Ad 2d") == 5 * 2  # no straight, so no Monster; one 2
    assert douque("3d 4d 5d 6d 7c") == 5


def test_douque_what_the_last_play_multiplies() -> None:
    assert douque("3d", "2s") == 2
    assert douque("3d", "2h 2s") == 4
    assert douque("3d", "7c 7d 7h 2s 2c") == 4
    assert douque("3d", "7c 7d 7h 7s 8c") == 2  # a Monster
    assert douque("3d", "7c 7d 7h 7s 2c") == 4
    assert douque("3d", "7d 8d 9d Td Jd") == 2
    assert douque("3d", "2d 3s 4d 5d 6d") == 2  # the 2 of a straight counts
    assert douque("4d", "3c") == 2
    assert douque("4d", "3c 3d") == 2
    assert douque("4d", "3c", slam=True) == 4
    assert douque("4d", "3s", slam=True) == 2


def test_douque_a_dragon_with_the_opening_card_as_the_first_play_pays_sixteenfold() -> None:
    """A Dragon x2, its 2 x2, the 3 of clubs x2, nobody else has played x2."""
    dragon = "3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c"
    left = ["", "3d", "4c 5c", "3h 3s 4h 4s 5s 6c 6h 7d 7h 7s 8c 8h 9c"]
    assert simcore.payoffs("douque", 0, left, dragon, grand_slam=True) == [
        *(16 + 2 * 16 + 13 * 4 * 16, -16, -2 * 16, -13 * 4 * 16)
    ]
    assert simcore.payoffs("douque", 0, left, dragon)[1] == -8
    without = dragon.replace("3c", "3d")
    assert simcore.payoffs("douque", 0, ["", "3c", *left[2:]], without)[1] == -4


def test_douque_a_flush_dragon_takes_twenty_instead_of_two() -> None:
    clubs = " ".join(rank + "c" for rank in RANKS)
    hearts = clubs.replace("c", "h")
    left = ["", "3d", "4d 5d", "6d"]
    assert simcore.payoffs("douque", 0, left, hearts) == [160, -40, -80, -40]
    assert simcore.payoffs("douque", 0, left, clubs) == [320, -80, -160, -80]
    assert simcore.payoffs("douque", 0, left, clubs, grand_slam=True)[1] == -160


@pytest.mark.parametrize(("number", "pays"), [(1, 1), (9, 9), (10, 20), (12, 24), (13, 39)])
def test_maceplay_pays_by_cards_left_only(number: int, pays: int) -> None:
    left = some_cards(number)
    assert simcore.payoffs("maceplay", 0, ["", left, "2c", "2d"], "2s")[1] == -pays
    assert simcore.payoffs("maceplay", 0, ["", "2c", "2d 2h", "4d"], "3c")[1:] == [-1, -2, -1]


@pytest.mark.parametrize("name", ["lockout", "royal", "pusoy"])
def test_one_for_each_card_left_where_the_document_gives_no_payoff(name: str) -> None:
    left = ["", "3d", some_cards(13)[3:]]
    assert simcore.payoffs(name, 0, left, "2s") == [13, -1, -12]
    assert simcore.payoffs(name, 1, ["2c 2d", "", "3d"], "2s") == [-2, 3, -1]


def test_capsa_tiers_begin_at_nine_cards() -> None:
    for number, pays in ((8, 8), (9, 18), (12, 24), (13, 39)):
        assert simcore.payoffs("capsa", 0, ["", some_cards(number), "2c", "2d"], "2s")[1] == -pays


# Items in words


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_items_multiply_to_the_payoff(name: str) -> None:
    rules = reference.RULES[name]
    rng = random.Random(f"{name} items")
    for _ in range(30):
        players = rng.choice(simcore.load_rules(name).players)
        winner, left, last, slam, _ = ending(rules, players, rng)
        losers = [hand for seat, hand in enumerate(left) if seat != winner]
        payoffs, items = itemised_payoffs(name, last, losers, slam, stake=3)
        one_by_one = [i["times"] for i in items if i["who"] == "winner" and i["item"] != "all"]
        (together,) = [i["times"] for i in items if i["item"] == "all"]
        assert prod(one_by_one) == together
        for number, hand in enumerate(losers, 1):
            own = [i for i in items if i["who"] == f"loser {number}"]
            assert own[0]["cards"] == len(hand)
            assert payoffs[number] == -3 * len(hand) * prod(i["times"] for i in own) * together
        assert payoffs[0] == -sum(payoffs[1:])


def test_every_item_says_from_what_it_comes() -> None:
    _, items = itemised_payoffs("douque", "2h 2s", ["3d", "2c 4d", "7c 7d 7h 7s 8c"])
    assert {(i["who"], i["item"], i["times"]) for i in items} == {
        ("winner", "finish_two", 4),
        ("winner", "all", 4),
        ("loser 1", "cards_left", 1),
        ("loser 2", "cards_left", 1),
        ("loser 2", "two_left", 2),
        ("loser 3", "cards_left", 1),
        ("loser 3", "monster_left", 2),
    }
    assert all(item["why"] for item in items if item["item"] != "all")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"winner": 4}, "winner 4 is out of bounds: 0 to 3"),
        ({"winner": -1}, "winner -1 is out of bounds: 0 to 3"),
        ({"winner": 1}, "seat 1 won, so it has no cards left"),
        ({"stake": 0}, "stake 0 is out of bounds: 1 to"),
        ({"last_play": "3c 4d"}, "the last play '3c 4d' is no legal combination"),
        ({"last_play": ""}, "the last play is empty"),
        ({"last_play": "5d"}, "card 5d is given twice"),
        ({"left": ["", "4d", "4d", "6d"]}, "card 4d is given twice"),
        ({"left": ["", "4d", "5d"]}, "2 losers: in rule set 'douque' there are 3"),
        ({"left": ["", "4d", "5d", ""]}, "the hand of loser 3 is empty"),
        ({"left": ["", some_cards(13) + " 9d", "5s", "6c"]}, "loser 1 has 14 cards"),
    ],
)
def test_an_impossible_ending_is_refused(arguments: dict[str, object], named: str) -> None:
    given: dict[str, object] = {"winner": 0, "left": ["", "4d", "5d", "6d"], "last_play": "3c"}
    with pytest.raises(InputError) as caught:
        simcore.payoffs("douque", **{**given, **arguments})  # type: ignore[arg-type]
    assert named in str(caught.value)
