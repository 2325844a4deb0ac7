"""Guards the worked examples and statements of the rule document of douque, a named test each."""

import pytest

import simcore
from tests.documents import DRAGON, beats, kind, plays
from tests.reference import RANKS
from tests.support import cards, play_hands


def test_douque_worked_example_of_the_payoff() -> None:
    """Stake 10, last play a pair of 2s: 3 cards; 9 with one 2; 10 with one 2."""
    left = ["", "4d 6h 8s", "3d 4c 5h 6s 7c 9d Th Js 2c", "3h 4h 5s 6c 7d 9h Tc Jd Qs 2d"]
    payoffs = simcore.payoffs("douque", 0, left, "2h 2s", stake=10)
    assert payoffs == [3_960, -120, -1_440, -2_400]


@pytest.mark.parametrize(
    "text",
    ["7c 7d 7h", "3c 3d 4c 4d", "3c 5c 8c Tc Kc", "3c 5d 9h", "3c 5d 9h Js", "7c 7d 7h 7s"],
)
def test_douque_what_is_no_combination(text: str) -> None:
    """A triple, two pair, a flush, three loose cards, four loose cards, four without a fifth."""
    assert kind("douque", text) is None


def test_douque_six_combinations() -> None:
    texts = {
        "single": "3c",
        "pair": "3c 3d",
        "straight": "3c 4d 5h 6s 7c",
        "full_house": "3c 3d 3h 4c 4d",
        "four_of_a_kind": "3c 3d 3h 3s 4c",
        "straight_flush": "3c 4c 5c 6c 7c",
    }
    assert {name: kind("douque", text) for name, text in texts.items()} == {n: n for n in texts}


def test_douque_sequences_around_the_two_are_no_straights() -> None:
    for text in ("Jc Qd Kh As 2c", "Qc Kd Ah 2s 3c", "Kc Ad 2h 3s 4c"):
        assert kind("douque", text) is None


def test_douque_23456_is_the_highest_and_a2345_the_lowest_straight() -> None:
    assert beats("douque", "2c 3d 4h 5s 6c", "Td Js Qs Ks As")
    assert not beats("douque", "Ac 2d 3h 4s 5c", "3c 4d 5d 6s 7c")


def test_douque_equal_straights_compare_the_suit_of_the_highest_ranked_card() -> None:
    """The 2 in A2345 and 23456, the ace in TJQKA."""
    assert beats("douque", "Ac 2s 3c 4c 5d", "As 2h 3s 4s 5s")
    assert beats("douque", "2s 3c 4c 5c 6d", "2h 3s 4s 5s 6s")
    assert beats("douque", "Tc Jc Qc Kd As", "Ts Js Qs Ks Ah")


def test_douque_a_straight_and_a_full_house_do_not_beat_each_other() -> None:
    straight, full_house = "9c Td Jh Qs Kc", "3c 3d 3h 4c 4d"
    assert not beats("douque", straight, full_house)
    assert not beats("douque", full_house, straight)


def test_douque_a_monster_beats_any_regular_combination() -> None:
    for table in ("2s", "2h 2s", "2s 3d 4h 5s 6d", "2d 2h 2s Ac Ad"):
        assert beats("douque", "3c 4c 5c 6c 7c", table)
        assert beats("douque", "7d 7h 7s 7c 8d", table)


def test_douque_monsters_among_each_other() -> None:
    """Any straight flush beats any four; fours by rank; straight flushes by order, then suit."""
    assert beats("douque", "3d 4d 5d 6d 7d", "As Ac Ad Ah 3c")
    assert beats("douque", "9c 9d 9h 9s 3c", "8c 8d 8h 8s 2c")
    assert beats("douque", "2c 3c 4c 5c 6c", "Ts Js Qs Ks As")
    assert beats("douque", "3d 4d 5d 6d 7d", "3c 4c 5c 6c 7c")


def test_douque_the_first_play_need_not_include_the_opening_card() -> None:
    hand = "3c 4d 4h 5s 7c 7d 9h Ts Jc Qd Kh As 2c"
    assert "4d 4h" in plays("douque", hand, opening=True)


def test_douque_qqq_may_go_with_any_pair_of_tens() -> None:
    found = plays("douque", "Qc Qd Qh Tc Td Th")
    for pair in ("Tc Td", "Tc Th", "Td Th"):
        assert f"{pair} Qc Qd Qh" in found


def test_douque_34567_may_use_any_three() -> None:
    found = plays("douque", "3c 3d 3h 3s 4c 5d 6h 7s")
    assert sum(text.endswith("4c 5d 6h 7s") and len(text.split()) == 5 for text in found) == 4


def test_douque_no_ding_da() -> None:
    """Any single may be played even when the next player has one card left."""
    assert plays("douque", "3c 9d Ks", next_left=1) == ["3c", "9d", "Ks"]


def test_douque_who_passed_may_come_back_and_a_trick_ends_after_three_passes() -> None:
    hands = [cards("4c Jc 3d"), cards("5d Qs 6d"), cards("6c Ks 7d"), cards("7c 8c 9c")]
    played = play_hands("douque", hands, 0, None, "timeout,timeout,lowest,timeout")
    # 4c, pass, 6c, pass, pass, pass: three in a row, so seat 2 leads.
    assert [kind for _, _, kind in played.turns[:7]] == [
        *("single", "pass", "single", "pass", "pass", "pass", "single")
    ]
    assert played.turns[6][0] == 2
    back = play_hands("douque", hands, 0, None, "lowest,lowest,lowest,timeout")
    # Seat 3 passes on 6c, may play again after J, Q and K, and is asked again.
    assert [seat for seat, _, _ in back.turns[:8]] == [0, 1, 2, 3, 0, 1, 2, 3]


def test_douque_the_hand_ends_with_the_last_card() -> None:
    hands = [cards("4c"), cards("5d 6d"), cards("6c 7d"), cards("7c 8c")]
    played = play_hands("douque", hands, 0, None, "lowest")
    assert [seat for seat, _, _ in played.turns] == [0]
    assert played.winner == 0


def test_douque_the_round_follows_the_monster() -> None:
    assert not beats("douque", "2s", "3c 3d 3h 3s 4c")
    assert not beats("douque", "2c 2d 2h As Ac", "3c 3d 3h 3s 4c")


def test_douque_a_dragon_needs_all_thirteen_cards_and_nothing_beats_it() -> None:
    assert kind("douque", DRAGON) == "dragon"
    assert kind("douque", " ".join(rank + "h" for rank in RANKS)) == "flush_dragon"
    for table in ("2s", "2h 2s", "Td Jd Qd Kd Ad", "9d 9h 9s Td Th"):
        assert beats("douque", " ".join(rank + "c" for rank in RANKS), table)
        assert not beats("douque", table, " ".join(rank + "c" for rank in RANKS))
    assert DRAGON in plays("douque", DRAGON, "2s", fresh=True)
    assert DRAGON not in plays("douque", DRAGON, "2s", fresh=False)


def test_douque_scoring_a_dragon_with_the_opening_card_as_the_opening_play() -> None:
    """x2 Monster, x2 for its 2, x2 for the 3 of clubs, x2 Grand Slam."""
    left = ["", "3d", "4c 5c", "6c 7d 8c"]
    assert simcore.payoffs("douque", 0, left, DRAGON, grand_slam=True) == [96, -16, -32, -48]


def test_douque_a_flush_dragon_takes_twenty_in_place_of_two() -> None:
    flush_dragon = " ".join(rank + "c" for rank in RANKS)
    assert simcore.payoffs("douque", 0, ["", "3d", "4d", "5d"], flush_dragon) == [
        240,
        -80,
        -80,
        -80,
    ]


def test_douque_exactly_four_of_a_rank_left_are_no_unplayed_monster() -> None:
    left = ["", "7c 7d 7h 7s", "8c 8d 8h 8s 3d", "4c"]
    assert simcore.payoffs("douque", 0, left, "9c") == [15, -4, -10, -1]


def test_douque_grand_slam_doubles() -> None:
    hands = [cards("3c 3d 3h 4c 4d"), cards("5c 6c"), cards("7c 8c"), cards("9c Tc")]
    assert play_hands("douque", hands, 0, None, "dump").grand_slam
    hands[0] = cards("3c 3d 3h 4c 4d Jd")
    hands[3] = cards("9c Tc 2s")
    played = play_hands("douque", hands, 0, None, "lowest")
    assert not played.grand_slam
    assert simcore.payoffs("douque", 0, ["", "5c", "7c", "9c"], "4d", True) == [6, -2, -2, -2]
