"""Guards single keys of a rule file by cases worked out by hand: what beats what, who starts."""

import numpy as np
import pytest

import simcore
from simcore.errors import InputError
from simcore.game.dealing import opening_seat
from simcore.game.ruleset import load_rules
from simcore.rulebook import explain_beats, itemised_payoffs
from tests import reference
from tests.reference_playout import opening_card_in_play
from tests.support import cards_of, mask_of, reference_rules, table

FOURS = 'kinds.allowed=["single","pair","triple","bare_four","two_pair","straight","flush"]'
LADDER = 'kinds.ladder=["straight","flush"]'

# rules, play, table: whether it beats it
CASES = [
    # A flush by its highest card alone: ♠ over ♥, whatever the other ranks are.
    ("maceplay:flush.first=top_card", "3s 4s 5s 7s Ks", "8h 9h Th Qh Kh", True),
    ("maceplay", "3s 4s 5s 7s Ks", "8h 9h Th Qh Kh", False),
    ("maceplay:flush.first=top_card", "3s 4s 5s 7s Ks", "3c 4c 5c 7c Ac", False),
    ("maceplay:flush.first=top_card", "3s 4s 5s 7s 2s", "8h 9h Th Qh Ah", True),
    ("maceplay:flush.first=top_card:flush.two=low", "3s 4s 5s 7s 2s", "8h 9h Th Qh Ah", False),
    # Straights by suit first: 34567 with 7♠ over TJQKA with A♥; flushes of straights are apart.
    ("maceplay:straights.compare=suit", "3c 4c 5h 6d 7s", "Tc Jc Qd Kd Ah", True),
    ("maceplay:straights.compare=suit", "3c 4c 5h 6d 7h", "Tc Jc Qd Kd Ah", False),
    ("maceplay:straights.compare=suit", "3s 4s 5s 6s 7s", "4h 5h 6h 7h 8h", False),
    ("maceplay:straights.compare_suited=suit", "3s 4s 5s 6s 7s", "4h 5h 6h 7h 8h", True),
    ("maceplay:straights.compare_suited=suit", "3c 4c 5h 6d 7s", "Tc Jc Qd Kd Ah", False),
    # By place alone: an equal straight does not beat.
    ("maceplay:straights.compare=place_only", "3c 4c 5h 6d 7s", "3s 4s 5s 6s 7h", False),
    ("maceplay", "3c 4c 5h 6d 7s", "3s 4h 5s 6s 7h", True),
    ("maceplay:straights.compare_suited=place_only", "3s 4s 5s 6s 7s", "3h 4h 5h 6h 7h", False),
    # Two pairs of nines: by suit, or by the second pair.
    (f"maceplay:{FOURS}:{LADDER}", "3c 3d 9c 9s", "Ac Ad 9d 9h", False),
    (f"maceplay:{FOURS}:{LADDER}", "Ac Ad 9d 9h", "3c 3d Ah As", False),
    (f"maceplay:{FOURS}:{LADDER}", "4c 4d 9c 9s", "5c 5d 9d 9h", True),
    (
        f"maceplay:{FOURS}:{LADDER}:kinds.two_pair_tie=second_pair",
        "4c 4d 9c 9s",
        "5c 5d 9d 9h",
        False,
    ),
    (
        f"maceplay:{FOURS}:{LADDER}:kinds.two_pair_tie=second_pair",
        "5h 5s 9d 9h",
        "4c 4d 9c 9s",
        True,
    ),
    # The 2♠ beats everything, a straight flush too, and nothing beats it; 2♥ is an ordinary card.
    ('maceplay:kinds.singles_beat_all=["2s"]', "2s", "3c 4c 5c 6c 7c", True),
    ('maceplay:kinds.singles_beat_all=["2s"]', "2s", "3c 3d", True),
    ('maceplay:kinds.singles_beat_all=["2s"]', "2h", "3c 3d", False),
    ('douque:kinds.singles_beat_all=["2s"]', "3c 4c 5c 6c 7c", "2s", False),
    ('douque:kinds.singles_beat_all=["2s"]', "4c 4d", "2s", False),
    ('douque:kinds.singles_beat_all=["2s","2h"]', "2s", "2h", True),
    ('douque:kinds.singles_beat_all=["2s"]', "3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c", "2s", True),
    # Bombs with lists of their own: four of a kind on singles, straight flushes on all.
    ("douque:kinds.bombs_each={four_of_a_kind=[1]}", "4c 4d 4h 4s 5c", "Ad", True),
    ("douque:kinds.bombs_each={four_of_a_kind=[1]}", "4c 4d 4h 4s 5c", "Ad As", False),
    ("douque:kinds.bombs_each={four_of_a_kind=[1]}", "4c 5c 6c 7c 8c", "Ad As", True),
    ('douque:kinds.bombs_twos_only=["four_of_a_kind"]', "4c 4d 4h 4s 5c", "Ad As", False),
    ('douque:kinds.bombs_twos_only=["four_of_a_kind"]', "4c 4d 4h 4s 5c", "2d 2s", True),
    # Full houses beside the ladder: beaten by full houses.
    (
        'maceplay:kinds.ladder=["straight","flush","four_of_a_kind","straight_flush"]'
        ':kinds.apart=["full_house"]',
        "3c 3d 3h 4c 4d",
        "5c 6c 7d 8d 9d",
        False,
    ),
    (
        'maceplay:kinds.ladder=["straight","flush","four_of_a_kind","straight_flush"]'
        ':kinds.apart=["full_house"]',
        "6c 6d 6h 6s 4d",
        "5c 5h 5d 8d 8c",
        False,
    ),
]


@pytest.mark.parametrize(("rules", "play", "to_beat", "expected"), CASES)
def test_what_beats_what(rules: str, play: str, to_beat: str, expected: bool) -> None:
    theirs = reference_rules(load_rules(rules))
    beaten, why = explain_beats(rules, play, to_beat)
    assert beaten == reference.beats(theirs, play.split(), to_beat.split()) == expected
    assert why.endswith(".")


def test_a_card_that_beats_all_goes_on_any_table() -> None:
    rules = 'maceplay:kinds.singles_beat_all=["2s","2h"]'
    plays = simcore.legal_plays(rules, "3d 4d 4c 2h 2s", "3c 3h")
    assert [play.cards for play in plays] == [("2h",), ("2s",), ("4c", "4d"), ("2h", "2s")]
    assert [p.cards for p in simcore.legal_plays(rules, "4d 2d 2s Ac Ad Ah As 3d", "2h")] == [
        ("2s",)
    ]


def test_the_first_play_is_the_opening_card_alone() -> None:
    plays = simcore.legal_plays("maceplay:opening.alone=true", "3c 3d 4c 5c 6c 7c", opening=True)
    assert [play.cards for play in plays] == [("3c",)]
    with pytest.raises(InputError, match=r"opening\.alone.*opening\.must_include is false"):
        load_rules("douque:opening.alone=true")


@pytest.mark.parametrize(
    ("rules", "hands", "starter", "card"),
    [
        ("hongkong:opening.not_dealt=next_of_suit", ["3c 8h", "4d 2s", "4c 9c"], 1, "4d"),
        ("hongkong:opening.not_dealt=lowest", ["3c 8h", "4d 2s", "4c 9c"], 0, "3c"),
        ("hongkong:opening.not_dealt=lowest", ["3c 8h", "3d 2s", "4c 9c"], 1, "3d"),
        ("hongkong:opening.card=5h:opening.not_dealt=lowest", ["3c 8h", "6h 2s", "4c 9c"], 0, "3c"),
    ],
)
def test_who_starts_if_the_opening_card_was_not_dealt(
    rules: str, hands: list[str], starter: int, card: str
) -> None:
    given = load_rules(rules)
    dealt = [hand.split() for hand in hands]
    masks = np.array([mask_of(given.suits, hand) for hand in dealt], np.int64)
    seat, opening = opening_seat(table(rules), 3, masks)
    assert (int(seat), *cards_of(given.suits, int(opening))) == (starter, card)
    assert opening_card_in_play(reference_rules(given), dealt) == card
    assert simcore.legal_plays(rules, hands[starter], opening=True)[0].cards == (card,)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ('kinds.singles_beat_all=["As"]', "must be the highest cards, in turn 2s, 2h"),
        ('kinds.singles_beat_all=["2h"]', "must be the highest cards"),
        ("kinds.bombs_each={pair=[1]}", "'pair' is not in kinds.bombs"),
        ("kinds.bombs_each={four_of_a_kind=[]}", "is empty; give at least one"),
        ("kinds.bombs_each={four_of_a_kind=[6]}", "6 is outside 1 to 5"),
        ("kinds.bombs_each={four=[1]}", "unknown 'four'"),
        ("payoff.card_values={X=1}", "'X' is no rank; ranks are 3 4"),
        ("payoff.card_values={A=-1}", "A = -1 is out of bounds: 0 to 1000"),
        ("kinds.bombs_each=[1]", "must be a table of kinds and their sizes"),
        ('kinds.bombs_twos_only=["pair"]', "'pair' is not in kinds.bombs"),
        ('kinds.apart=["straight"]', "without a meaning where kinds.ladder is empty"),
    ],
)
def test_what_contradicts_is_refused_in_a_sentence(change: str, problem: str) -> None:
    with pytest.raises(InputError, match=f"key '{change.split('=')[0]}'.*") as caught:
        load_rules(f"douque:{change}")
    assert problem in str(caught.value) and "\n" not in str(caught.value)


def test_what_cards_left_count_by_their_ranks() -> None:
    """T to K count ten, others their number, in tiers: nine cards double."""
    values = "{T=10,J=10,Q=10,K=10,A=1,2=2,3=3,4=4,5=5,6=6,7=7,8=8,9=9}"
    rules = f"pusoy:payoff.card_values={values}:payoff.tiers=[[1,1],[9,2]]"
    left = ["", "Tc Kd Ac 2d", "3c 3s 4c 4s 5c 5s 6c 6s 7c", "9d"]
    assert simcore.payoffs(rules, 0, left, "9c") == [23 + 86 + 9, -23, -86, -9]
    _, items = itemised_payoffs(rules, "9c", left[1:])
    assert items[1]["why"] == "4 cards left, which count 23"


def test_who_has_played_nothing_pays_more() -> None:
    rules = "maceplay:payoff.nothing_played={times=2,points=1}"
    dealt = "3d 4s 5d 6s 7d 8s Td Jh Qs Kd Ah Jc Qc"
    left = ["", dealt, "2c", "2d 4d"]
    assert simcore.payoffs(rules, 0, left, "9c")[1:] == [-(13 * 3 * 2 + 1), -1, -2]
    assert simcore.payoffs(rules, 0, left, "9c", idle=[2])[1:] == [-39, -3, -2]
    three = "lockout:payoff.nothing_played={times=2}"
    seventeen = [*dealt.split(), "9d", "9h", "9s", "8h"]
    with pytest.raises(InputError, match="loser 1 has 17 cards: dealt 17, or 18 with some played"):
        simcore.payoffs(three, 0, ["", seventeen, "2c"], "9c")
    assert simcore.payoffs(three, 0, ["", seventeen, "2c"], "9c", idle=[])[1:] == [-17, -1]
    with pytest.raises(InputError, match="seat 0 is no loser"):
        simcore.payoffs(rules, 0, left, "9c", idle=[0])


def test_items_for_2s_left_in_the_hand() -> None:
    """A flat 5 for holding any 2, 7 more for the highest: ♠ in maceplay, ♦ in pusoy."""
    items = "payoff.any_two_left={points=5}:payoff.highest_two_left={points=7}"
    left = ["", "2c 2h", "2s", "3d 4d"]
    assert simcore.payoffs(f"maceplay:{items}", 0, left, "9c") == [22, -7, -13, -2]
    assert simcore.payoffs(f"pusoy:{items}", 0, ["", "2d", "2s"], "9c") == [19, -13, -6]
