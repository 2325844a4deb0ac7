"""Guards the worked examples and statements of three rule documents, one named test each."""

import pytest

import simcore
from simcore.game.ruleset import load_rules
from tests.documents import beats, kind, plays
from tests.support import cards, play_hands

# maceplay


def test_maceplay_example_1_a2345_beats_tjqka() -> None:
    assert beats("maceplay", "Ad 2c 3s 4h 5c", "Tc Jd Qh Kc As")


def test_maceplay_example_1_23456_beats_a2345() -> None:
    assert beats("maceplay", "2d 3c 4c 5d 6h", "Ad 2c 3s 4h 5c")


def test_maceplay_example_1_jqka2_is_illegal() -> None:
    assert kind("maceplay", "Jc Qd Kh As 2c") is None


def test_maceplay_example_2_flushes_compare_ranks_before_suits() -> None:
    assert beats("maceplay", "As Qs 8s 5s 4s", "Ah Qh 8h 5h 3h")
    assert beats("maceplay", "Ac Qc 8c 5c 4c", "As Qs 8s 5s 3s")
    assert beats("maceplay", "As Qs 8s 5s 3s", "Ah Qh 8h 5h 3h")  # all five ranks match


def test_maceplay_example_2_four_fours_beat_a_full_house_of_twos() -> None:
    assert beats("maceplay", "4c 4d 4h 4s 3c", "2c 2d 2h Ac Ad")


def test_maceplay_example_2_four_of_a_kind_cannot_bomb_a_single() -> None:
    assert not beats("maceplay", "4c 4d 4h 4s 3c", "2s")
    assert not beats("maceplay", "4c 5c 6c 7c 8c", "3d 3h 3s")


def test_maceplay_example_3_scoring() -> None:
    """1, 10 and 13 cards lose 1, 20 and 39 points; 9 cards lose 9; a 2 costs nothing more."""
    ten = "3d 4d 5d 6d 7d 8d 9d Td Jd 2d"
    thirteen = "3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah 2h"
    assert simcore.payoffs("maceplay", 3, ["2c", ten, thirteen, ""], "2s") == [-1, -20, -39, 60]
    nine = ten.removesuffix(" 2d")
    assert simcore.payoffs("maceplay", 0, ["", nine, "3c", "4c"], "2s") == [11, -9, -1, -1]


def test_maceplay_king_of_spades_pair_beats_the_red_kings() -> None:
    assert beats("maceplay", "Ks Kc", "Kh Kd")


def test_maceplay_triples_compare_rank() -> None:
    assert beats("maceplay", "4c 4d 4h", "3d 3h 3s")
    assert not beats("maceplay", "3d 3h 3s", "4c 4d 4h")


def test_maceplay_a_higher_type_always_beats_a_lower_type() -> None:
    weak = [
        "3c 4c 5d 6h 7s",
        "3c 4c 5c 6c 8c",
        "3c 3d 3h 4c 4d",
        "7c 7d 7h 7s 8c",
        "3c 4c 5c 6c 7c",
    ]
    strong = ["2s 3s 4s 5h 6s", "2s As Ks Qs Js", "2d 2h 2s Ad As", "2c 2d 2h 2s As"]
    for lower, strongest in enumerate(strong):
        for weakest in weak[lower + 1 :]:
            assert beats("maceplay", weakest, strongest)
            assert not beats("maceplay", strongest, weakest)


def test_maceplay_four_cards_and_two_pairs_are_no_plays() -> None:
    assert kind("maceplay", "4c 4d 4h 4s") is None
    assert kind("maceplay", "4c 4d 5h 5s 6c") is None


def test_maceplay_the_first_play_must_include_the_three_of_clubs() -> None:
    hand = "3c 3d 4d 4h 5s 6c 7d 9h Ts Jc Qd Kh As"
    found = plays("maceplay", hand, opening=True)
    assert found[:2] == ["3c", "3c 3d"]
    assert all("3c" in text for text in found)


def test_maceplay_when_time_runs_out_one_passes_or_leads_the_lowest_single() -> None:
    hands = [cards("3c 3d 5d"), cards("4c 4d"), cards("6c 7c"), cards("8c 9c")]
    played = play_hands("maceplay", hands, 0, "3c", "timeout")
    assert played.turns[0] == (0, ("3c",), "single")
    assert [kind for _, _, kind in played.turns[1:4]] == ["pass"] * 3
    assert played.turns[4] == (0, ("3d",), "single")


# lockout


def test_lockout_three_players_get_eighteen_and_seventeen_cards() -> None:
    for deal in range(20):
        played = simcore.replay("lockout", "lowest,lowest,lowest", 1, deal)
        sizes = [len(hand) for hand in played.hands]
        assert sorted(sizes) == [17, 17, 18]
        assert "3c" in played.hands[sizes.index(18)]
        assert played.starter == sizes.index(18)
        assert "3c" in played.turns[0]["cards"]


def test_lockout_order_of_straights() -> None:
    assert beats("lockout", "3c 4d 5h 6s 7c", "As 2s 3s 4s 5d")
    assert beats("lockout", "2c 3d 4h 5s 6c", "Ts Js Qs Ks Ad")
    assert kind("lockout", "Jc Qd Kh As 2c") is None


def test_lockout_equal_straights_compare_the_last_card() -> None:
    """The 5 in A2345, the 6 in 23456."""
    assert beats("lockout", "Ac 2c 3c 4c 5s", "As 2s 3s 4s 5h")
    assert beats("lockout", "2c 3c 4c 5c 6s", "2s 3s 4s 5s 6h")
    assert not beats("lockout", "As 2s 3s 4s 5h", "Ac 2c 3c 4c 5s")


def test_lockout_full_house_and_four_of_a_kind_of_the_document() -> None:
    assert kind("lockout", "8c 8d 8h 4c 4d") == "full_house"
    assert kind("lockout", "Jc Jd Jh Js 3c") == "four_of_a_kind"
    assert kind("lockout", "4h 5h 6h 7h 8h") == "straight_flush"
    assert beats("lockout", "9c 9d 9h 3c 3d", "8c 8d 8h Ac Ad")


@pytest.mark.parametrize("text", ["7c 7d 7h", "3c 5c 8c Tc Kc", "3c 3d 4c 4d"])
def test_lockout_no_triples_flushes_or_two_pairs(text: str) -> None:
    assert kind("lockout", text) is None


def test_lockout_bombs() -> None:
    for table in ("2h", "2h 2s", "2c 3d 4h 5s 6c", "2c 2d 2h Ac Ad"):
        assert beats("lockout", "8c 8d 8h 8s 3c", table)
    assert beats("lockout", "9c 9d 9h 9s 3c", "8c 8d 8h 8s 2c")
    assert beats("lockout", "4h 5h 6h 7h 8h", "Ac Ad Ah As 2c")
    assert not beats("lockout", "Ac Ad Ah As 2c", "4h 5h 6h 7h 8h")


def test_lockout_the_two_of_spades_alone_cannot_be_beaten() -> None:
    assert not beats("lockout", "8c 8d 8h 8s 3c", "2s")
    assert not beats("lockout", "4h 5h 6h 7h 8h", "2s")
    assert plays("lockout", "8c 8d 8h 8s 3c 4h 5h 6h 7h", "2s") == []
    assert beats("lockout", "8c 8d 8h 8s 3c", "2h 2s")


def test_lockout_who_passes_on_a_pair_sits_out() -> None:
    """Seat 1 passes on the pair of 4s; after the 6s and Js it is not asked before the next lead."""
    hands = [cards("4c 4d Jc Jd 3d"), cards("Qc Qd 3h"), cards("6c 6d 7c"), cards("8c 9d Td")]
    pair = play_hands("lockout", hands, 0, None, "dump,timeout,dump,dump")
    assert [seat for seat, _, _ in pair.turns[:6]] == [0, 1, 2, 3, 0, 2]
    assert pair.turns[4][1] == ("Jc", "Jd")
    free = play_hands("lockout:passing.locks_on=[]", hands, 0, None, "dump,timeout,dump,dump")
    assert [seat for seat, _, _ in free.turns[:6]] == [0, 1, 2, 3, 0, 1]


def test_lockout_who_passes_on_a_single_may_come_back() -> None:
    hands = [cards("4c Jc 3d"), cards("5d Qs 6d"), cards("6c Ks 7d"), cards("8c 9d Td")]
    single = play_hands("lockout", hands, 0, None, "lowest,timeout,lowest,lowest")
    assert [seat for seat, _, _ in single.turns[:6]] == [0, 1, 2, 3, 0, 1]


def test_lockout_the_last_card_rule() -> None:
    """With one card at the next player a single must be one's highest; the rest is free."""
    hand = "4c 4d 5c 6h 7s 8d Kh"
    found = plays("lockout", hand, next_left=1)
    assert [text for text in found if len(text.split()) == 1] == ["Kh"]
    assert "4c 4d" in found
    assert "4c 5c 6h 7s 8d" in found
    assert plays("lockout", hand, "Qd", next_left=1) == ["Kh"]
    assert plays("lockout", hand, "Ad", next_left=1) == []
    assert plays("lockout", hand + " 4h 4s", "Ad", next_left=1)[0] == "4c 4d 4h 4s 5c"


# royal


def test_royal_flush_example_spades_beat_hearts_by_suit_first() -> None:
    assert beats("royal", "2s 5s 7s 9s Ts", "8h Th Jh Kh Ah")


def test_royal_flush_example_highest_card_decides_with_the_two_low() -> None:
    assert beats("royal", "8s Ts Js Ks As", "2s 5s 7s 9s 6s")
    assert not beats("royal", "2s 5s 7s 9s 6s", "8s Ts Js Ks As")


def test_royal_23456_is_a_straight_and_jqka2_is_not() -> None:
    assert kind("royal", "2c 3d 4h 5s 6c") == "straight"
    assert kind("royal", "Jc Qd Kh As 2c") is None


def test_royal_twos_are_not_high_in_straights() -> None:
    assert beats("royal", "3c 4d 5h 6h 7c", "2s 3s 4s 5d 6s")
    assert beats("royal", "2c 3c 4c 5d 6c", "As 2s 3s 4s 5h")


def test_royal_a_flush_beats_any_straight() -> None:
    assert beats("royal", "2d 3d 4d 5d 7d", "Tc Jh Qs Kc As")


def test_royal_full_houses_compare_the_triple() -> None:
    assert beats("royal", "9c 9d 9h 3c 3d", "8c 8d 8h 2c 2d")
    assert not beats("royal", "8c 8d 8h 2c 2d", "9c 9d 9h 3c 3d")


def test_royal_four_of_a_kind_beats_full_house_flush_and_straight() -> None:
    for table in ("2c 2d 2h Ac Ad", "8s Ts Js Ks As", "Tc Jh Qs Kc Ah"):
        assert beats("royal", "3c 3d 3h 3s 4c", table)


def test_royal_a_straight_flush_beats_four_of_a_kind() -> None:
    assert beats("royal", "3d 4d 5d 6d 7d", "2c 2d 2h 2s Ac")


def test_royal_a_royal_flush_cannot_be_beaten() -> None:
    """By no other royal flush either."""
    diamonds, spades = "Td Jd Qd Kd Ad", "Ts Js Qs Ks As"
    assert kind("royal", diamonds) == "royal_flush"
    assert beats("royal", diamonds, "9s Ts Js Qs Ks")
    assert not beats("royal", spades, diamonds)
    assert kind("pagat", diamonds) == "straight_flush"
    assert beats("pagat", spades, diamonds)


def test_royal_suits_from_diamonds_to_spades() -> None:
    assert beats("royal", "3c", "3d")
    assert beats("royal", "3h", "3c")
    assert beats("royal", "3s", "3h")
    assert load_rules("royal").suits == "dchs"


def test_royal_the_first_play_contains_the_three_of_diamonds_or_the_next_card() -> None:
    hand = "3d 3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As"
    assert all("3d" in text for text in plays("royal", hand, opening=True))
    without = "3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c"
    assert all("4d" in text for text in plays("royal:deal=13", without, opening=True))


def test_royal_the_cards_left_over_go_to_the_holder_of_the_lowest_diamond() -> None:
    for deal in range(20):
        played = simcore.replay("royal", "lowest,lowest,lowest", 1, deal)
        sizes = [len(hand) for hand in played.hands]
        assert sorted(sizes) == [17, 17, 18]
        assert "3d" in played.hands[sizes.index(18)]
        assert "3d" in played.turns[0]["cards"]
