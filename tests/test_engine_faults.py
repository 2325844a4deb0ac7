"""Guards against the faults that other Big Two engines had, one short test for each class.

Where another file looks closer, the comment above a test says which of its tests does.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import simcore
from simcore.errors import InputError
from simcore.game.ruleset import load_rules
from simcore.simulation.setup import Workspace, make_setup
from tests.reference import RANKS
from tests.support import (
    RULE_SETS,
    cards,
    kernel_classify,
    kernel_plays,
    mask_of,
    play_hands,
    table,
)


def kinds(rules: str, hand: str) -> list[str]:
    return [play.kind for play in simcore.legal_plays(rules, hand)]


# test_combinations.test_sequences_around_the_two_are_no_straights
@pytest.mark.parametrize("name", [name for name in RULE_SETS if name != "pusoy"])
def test_jqka2_is_no_straight(name: str) -> None:
    assert simcore.classify(name, "Jc Qd Kh As 2c") is None
    assert "straight" not in kinds(name, "Jc Qd Kh As 2c")


# test_combinations.test_straights_and_straight_flushes_have_the_documents_order
def test_a2345_is_found_and_not_ranked_by_its_two() -> None:
    for name in ("douque", "lockout", "royal", "pagat"):
        assert kinds(name, "Ac 2d 3h 4s 5c").count("straight") == 1
        assert simcore.beats(name, "3c 4d 5d 6h 7s", "As 2s 3s 4h 5s")


# test_combinations.test_every_combination_has_its_place_in_the_order_of_its_kind
def test_full_house_and_four_of_a_kind_are_not_compared_by_their_highest_card() -> None:
    for name in RULE_SETS:
        assert simcore.beats(name, "9c 9d 9h 3c 3d", "8c 8d 8h 2c 2d")
        assert simcore.beats(name, "9c 9d 9h 9s 3c", "8c 8d 8h 8s 2c")


# test_plays.test_legal_plays_of_named_positions
@pytest.mark.parametrize("name", RULE_SETS)
def test_four_of_a_kind_needs_its_fifth_card(name: str) -> None:
    assert simcore.classify(name, "9c 9d 9h 9s") is None
    assert "four_of_a_kind" not in kinds(name, "9c 9d 9h 9s")
    assert kinds(name, "9c 9d 9h 9s 3c 4c").count("four_of_a_kind") == 2


# test_sources.test_maceplay_example_2_flushes_compare_ranks_before_suits
def test_flushes_compare_more_than_their_top_card() -> None:
    assert simcore.beats("maceplay", "Ac Qc 8c 5c 4c", "Ah Qh 8h 5h 3h")
    assert simcore.beats("maceplay", "Ac Qc 9c 5c 3c", "Ah Qh 8h 7h 6h")


# test_plays.test_legal_plays_are_every_subset_that_classify_and_beats_accept
@pytest.mark.parametrize("name", RULE_SETS)
def test_generator_and_classifier_agree(name: str) -> None:
    for deal in range(20):
        for hand in simcore.replay(name, "timeout", 1, deal, players=4).hands:
            for mask, kind, strength in kernel_plays(
                table(name), mask_of(load_rules(name).suits, hand)
            ):
                assert kernel_classify(name, mask) == (kind, strength)


# test_combinations.test_counts_over_the_full_deck
def test_four_of_a_rank_give_six_pairs_and_four_triples() -> None:
    found = kinds("maceplay", "9c 9d 9h 9s 3c")
    assert (found.count("pair"), found.count("triple")) == (6, 4)


# test_playouts.test_playouts_are_the_reference_s_turn_by_turn
def test_the_table_is_cleared_after_a_trick() -> None:
    """Seat 0 wins with its K and then leads a 4, which could not follow."""
    hands = [cards("4c Kc 5c"), cards("6d 7d"), cards("6h 7h"), cards("6s 7s")]
    turns = play_hands("maceplay", hands, 0, None, "highest,timeout,timeout,timeout").turns
    assert [played for _, played, _ in turns] == [("Kc",), (), (), (), ("5c",), (), (), (), ("4c",)]


# test_plays.check: the pass stands in the list where somebody follows, and nowhere else
def test_a_leader_cannot_pass() -> None:
    for name in RULE_SETS:
        setup = make_setup(name, "random", 3, 4)
        work = Workspace(setup, traced=1)
        for deal in range(30):
            rows = work.play(deal, 1)
            turns = work.trace[: int(rows.block16[:2, 0].sum())]
            standing = -1
            for turn in turns:
                if turn.seat == standing:
                    standing = -1
                assert turn.mask or standing >= 0
                standing = turn.seat if turn.mask else standing


# test_dealing.test_royal_with_thirteen_cards_leaves_the_rest_out_of_play
@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("lockout", 3),
        ("royal", 3),
        ("royal:deal=13", 3),
        ("hongkong", 2),
        ("pusoy", 3),
        ("capsa", 2),
    ],
)
def test_the_first_play_rule_holds_with_two_and_three_players(name: str, players: int) -> None:
    rules = load_rules(name)
    anything = rules.opening_not_dealt == "lowest"
    for deal in range(15):
        played = simcore.replay(name, "random", 2, deal, players=players)
        down = played.turns[0]["cards"]
        dealt = [card for hand in played.hands for card in hand]
        in_suit = [card for card in dealt if card[1] == rules.opening_card[1]]
        if anything and rules.opening_card not in dealt:
            in_suit = dealt
        assert min(in_suit, key=lambda c: (RANKS.index(c[0]), rules.suits.index(c[1]))) in down


# test_plays.test_a_single_must_be_the_highest_card_when_the_next_seat_has_one
def test_the_last_card_rule_looks_at_the_next_seat_in_turn_order() -> None:
    """Not at the seat before, nor at the next one that may still play: four and three players."""
    few, many = cards("9c"), cards("4d 5d Jd")
    for players in (3, 4):
        others = [cards("4h 6h Qh"), cards("4s 6s Qs")][: players - 2]
        after = play_hands("lockout", [many, few, *others], 0, None, "lowest")
        assert after.turns[0][1] == ("Jd",)
        before = play_hands("lockout", [many, *others, few], 0, None, "lowest")
        assert before.turns[0][1] == ("4d",)


# test_douque_document.test_douque_the_hand_ends_with_the_last_card
def test_the_play_that_ends_the_hand_ends_it_at_once() -> None:
    for name in RULE_SETS:
        for deal in range(6):
            played = simcore.replay(name, "random", 4, deal, players=4)
            assert played.turns[-1]["seat"] == played.winner
            assert played.turns[-1]["kind"] != "pass"


# test_ruleset.test_the_table_of_rules_field_by_field
def test_defaults_do_not_overwrite_a_named_rule_set(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('extends = "lockout"\nname = "house"\n', encoding="utf-8")
    house, lockout = load_rules(path).as_dict(), load_rules("lockout").as_dict()
    assert {key for key in house if house[key] != lockout[key]} == {"name"}
    assert load_rules("lockout:name=mine").kinds_unbeatable_singles == ("2s",)
    assert make_setup("lockout", "random", 0, 3).rules is load_rules("lockout")


# test_payoffs.test_douque_an_unplayed_monster_doubles_once_however_many
def test_overlapping_straight_flushes_left_count_once() -> None:
    left = ["", "3d 4d 5d 6d 7d 8d 9d", "4c", "5c"]
    assert simcore.payoffs("douque", 0, left, "9c")[1] == -7 * 2


# test_dealing.test_seed_zero_seeds_the_deal, test_rng.test_seed_zero_is_a_seed_like_any_other
def test_the_seed_seeds_the_deal_and_zero_is_a_seed() -> None:
    hands = [simcore.replay("douque", "random", seed, 0).hands for seed in (0, 0, 1, 2**64 - 1)]
    assert hands[0] == hands[1]
    assert len({str(dealt) for dealt in hands}) == 3
    for seed in (-1, 2**64):
        with pytest.raises(InputError, match=f"seed {seed} is out of bounds"):
            simcore.replay("douque", "random", seed, 0)


# test_playouts.test_a_playout_depends_on_its_address_alone
def test_results_do_not_depend_on_thread_scheduling() -> None:
    """Eight workspaces in eight threads, and one workspace in one."""
    setup = make_setup("douque", "random,lowest,dump,highest", 3)
    whole = Workspace(setup).play(0, 1_600)
    with ThreadPoolExecutor(8) as pool:
        parts = list(
            pool.map(lambda first: Workspace(setup).play(first, 100), range(0, 1_600, 100))
        )
    for block in ("block8", "block16", "block32"):
        joined = np.concatenate([getattr(part, block) for part in parts], axis=1)
        assert np.array_equal(getattr(whole, block), joined)


def test_the_engine_keeps_no_records_of_deals_played() -> None:
    """The buffers of a workspace have the same size after any number of deals."""
    work = Workspace(make_setup("douque", "random", 3))

    def size() -> int:
        arrays = [value for value in vars(work).values() if isinstance(value, np.ndarray)]
        assert len(arrays) >= 6
        return sum(array.nbytes for array in arrays)

    before = size()
    work.play(0, 2_000)
    assert size() == before < 1_000_000


def test_payoffs_stay_with_their_seat_whoever_sits_there() -> None:
    """One strong strategy among three that only pass: the payoff is found at its seat."""
    setup = make_setup("maceplay", "dump,timeout,timeout,timeout", 3, 4, "all")
    rows = Workspace(setup).play(0, 200)
    gain = np.zeros(4)
    for row in range(len(rows)):
        slots = slots_of(int(rows["seating"][row]))
        for seat, slot in enumerate(slots):
            gain[slot] += rows["payoff"][seat, row]
    assert gain[0] > 0 > gain[1:].max()


def slots_of(seating: int) -> tuple[int, ...]:
    """The seating-th permutation of four slots in lexicographic order."""
    left, slots = [0, 1, 2, 3], []
    for size in (6, 2, 1, 1):
        slots.append(left.pop(seating // size))
        seating %= size
    return tuple(slots)
