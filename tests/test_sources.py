"""Guards the worked examples and statements of the four rule documents, one named test each."""

import pytest

import simcore
from simcore.game.ruleset import load_rules
from tests.reference import RANKS
from tests.support import cards, play_hands

DRAGON = "3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c"


def kind(rules: str, text: str) -> str | None:
    found = simcore.classify(rules, text)
    return found and found.kind


def plays(rules: str, hand: str, table: str | None = None, **options: object) -> list[str]:
    """Legal plays as texts."""
    found = simcore.legal_plays(rules, hand, table, **options)  # type: ignore[arg-type]
    return [" ".join(play.cards) for play in found]


def beats(rules: str, play: str, table: str) -> bool:
    return simcore.beats(rules, play, table)


# douque


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
