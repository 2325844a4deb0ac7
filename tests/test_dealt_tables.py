"""Guards what is dealt to each table: leads of the hands, three and two players, same cards.

Statistical tests as in test_dealing.py: fixed seeds, exact expectations, |z| < 4.
"""

from typing import Any

import numpy as np
import pytest

from simcore.foundation.jit import kernel, records
from simcore.game import plays as play_kernels
from simcore.game.groups import PLAY
from simcore.game.kinds import KINDS
from simcore.game.ruleset import load_rules
from tests import reference_playout
from tests.dealt import DEALS, LIMIT, PROBABILITIES, Deals, deals, features, popcount
from tests.support import (
    RULE_SETS,
    cards_of,
    reference_rules,
    table,
    z_of_counts,
    z_of_mean,
    z_of_share,
)


@kernel
def _count_leads(rules, hands, required, plays, counts):
    """counts[i, kind]: how many plays of each kind hand i may lead."""
    for i in range(len(hands)):
        n = play_kernels.legal_plays(rules, hands[i], 0, 0, required[i], 0, False, plays)
        for k in range(n):
            counts[i, plays[k].kind] += 1


# Expected numbers of legal leads: hands C(13, k) / C(52, k) times combinations of k cards

LEADS = {
    "single": 13.0,
    "pair": 78 / 17,
    "triple": 286 / 425,
    "straight": 5.051020,
    "flush": 2.529472,
    "full_house": 1.854022,
    "four_of_a_kind": 0.309004,
    "straight_flush": 0.019808,
}


def count_leads(name: str, hands: Any, required: Any = None) -> Any:
    counts = np.zeros((len(hands), len(KINDS)), np.int64)
    required = np.zeros(len(hands), np.int64) if required is None else required
    buffer = records(PLAY, play_kernels.buffer_size(18))
    _count_leads(table(name), hands, required, buffer, counts)
    return counts


@pytest.mark.parametrize(
    ("name", "total"), [("maceplay", 28.024502), ("royal", 28.024502), ("lockout", 24.822089)]
)
def test_expected_number_of_legal_leads(name: str, total: float) -> None:
    """Seat 1 of 100,000 deals, each kind and the total: |z| < 4."""
    counts = count_leads(name, np.ascontiguousarray(deals(name).hands[:, 1]))
    kinds = load_rules(name).kinds_allowed
    for kind, expected in LEADS.items():
        found = counts[:, KINDS.index(kind)]
        if kind not in kinds:
            assert not found.any()
        elif kind == "straight_flush" and "royal_flush" in kinds:
            found = found + counts[:, KINDS.index("royal_flush")]
            assert abs(z_of_mean(found, expected)) < LIMIT
        else:
            assert (
                abs(z_of_mean(found, expected)) < LIMIT if kind != "single" else (found == 13).all()
            )
    assert abs(z_of_mean(counts.sum(axis=1), total)) < LIMIT


OPENING_LEADS = {
    "pair": 12 / 17,
    "triple": 0.155294,
    "straight": 1.515306,
    "flush": 0.974550,
    "full_house": 0.713085,
    "four_of_a_kind": 0.118848,
    "straight_flush": 0.005942,
}


def test_expected_number_of_opening_leads() -> None:
    """The starter's first play must contain the opening card: 5.188907 on average, |z| < 4."""
    all_deals = deals("maceplay")
    hands = all_deals.hands[np.arange(DEALS), all_deals.starters]
    counts = count_leads("maceplay", hands, all_deals.openings)
    assert (all_deals.openings == 1).all()
    assert (counts[:, KINDS.index("single")] == 1).all()
    for kind, expected in OPENING_LEADS.items():
        assert abs(z_of_mean(counts[:, KINDS.index(kind)], expected)) < LIMIT, kind
    assert abs(z_of_mean(counts.sum(axis=1), 5.188907)) < LIMIT


# Three players, two players, and cards out of play


def sizes_of(all_deals: Deals) -> Any:
    return popcount(all_deals.hands)


def test_lockout_for_three_gives_the_holder_of_the_opening_card_eighteen() -> None:
    all_deals = deals("lockout", 3)
    each = np.arange(DEALS)
    assert (np.sort(sizes_of(all_deals), axis=1) == [17, 17, 18]).all()
    assert (all_deals.hands[each, all_deals.starters] & 1).all()
    assert (sizes_of(all_deals)[each, all_deals.starters] == 18).all()
    assert (np.bitwise_or.reduce(all_deals.hands, axis=1) == (1 << 52) - 1).all()
    assert abs(z_of_counts(np.bincount(all_deals.starters, minlength=3), [1 / 3] * 3)) < LIMIT


@pytest.mark.parametrize(
    ("cards", "straight", "suited", "four", "pairs", "triples", "fives"),
    [
        (17, 0.85239446, 0.07277208, 0.11177458, 8, 1.6, 46.94286),
        (18, 0.89414356, 0.09780325, 0.14242901, 9, 1.92, 64.99780),
    ],
)
def test_probabilities_of_hands_of_seventeen_and_eighteen_cards(
    cards: int,
    straight: float,
    suited: float,
    four: float,
    pairs: float,
    triples: float,
    fives: float,
) -> None:
    """Hands of three players with all cards dealt: 18 for the starter, 17 for the next seat.

    The starter surely holds the opening card, the others surely do not; it is put in or taken out
    as often as a uniform hand holds it.
    """
    all_deals = deals("lockout", 3)
    hands = all_deals.hands[np.arange(DEALS), (all_deals.starters + 1) % 3]
    rng = np.random.default_rng(3)
    if cards == 18:
        hands = all_deals.hands[np.arange(DEALS), all_deals.starters].copy()
        swap = rng.random(DEALS) >= 18 / 52
    else:
        swap = rng.random(DEALS) < 17 / 52
    hands = exchange_opening_card(hands, swap, rng)
    assert (popcount(hands) == cards).all()
    found = features(hands)
    assert abs(z_of_share(found["straight"], straight)) < LIMIT
    assert abs(z_of_share(found["straight_flush"], suited)) < LIMIT
    assert abs(z_of_share(found["four"], four)) < LIMIT
    assert found["five_of_a_suit"].all()
    counts = count_leads("maceplay", hands)
    assert abs(z_of_mean(counts[:, KINDS.index("pair")], pairs)) < LIMIT
    assert abs(z_of_mean(counts[:, KINDS.index("triple")], triples)) < LIMIT
    five = counts[:, KINDS.index("straight") : KINDS.index("dragon")].sum(axis=1)
    assert abs(z_of_mean(five, fives)) < LIMIT


def exchange_opening_card(hands: Any, swap: Any, rng: Any) -> Any:
    """Where `swap` says so, exchange the opening card (bit 0) for a card of the other side."""
    result = hands.copy()
    for i in np.flatnonzero(swap):
        hand = int(hands[i])
        side = ~hand if hand & 1 else hand
        choices = [card for card in range(1, 52) if side >> card & 1]
        result[i] = hand ^ 1 ^ 1 << choices[rng.integers(len(choices))]
    return result


def test_royal_for_three_gives_the_last_card_to_the_holder_of_the_opening_card() -> None:
    """17 cards each, and the last one to the holder of 3 of diamonds, else of the next one."""
    all_deals = deals("royal", 3)
    each = np.arange(DEALS)
    assert (np.sort(sizes_of(all_deals), axis=1) == [17, 17, 18]).all()
    assert (np.bitwise_or.reduce(all_deals.hands, axis=1) == (1 << 52) - 1).all()
    assert (all_deals.openings == 1).all()
    assert (all_deals.hands[each, all_deals.starters] & 1).all()
    assert (sizes_of(all_deals)[each, all_deals.starters] == 18).all()
    assert abs(z_of_counts(np.bincount(all_deals.starters, minlength=3), [1 / 3] * 3)) < LIMIT
    # 3 and 4 of diamonds come together where one of them is left over (1/52 each), and else where
    # they are dealt to one seat.
    both = (all_deals.hands[each, all_deals.starters] >> 4) & 1
    together = 2 / 52 + 50 / 52 * 16 / 50
    assert abs(z_of_share(both, together)) < LIMIT


def test_royal_with_thirteen_cards_leaves_the_rest_out_of_play() -> None:
    all_deals = deals("royal:deal=13", 3)
    assert (sizes_of(all_deals) == 13).all()
    in_play = np.bitwise_or.reduce(all_deals.hands, axis=1)
    assert (popcount(in_play) == 39).all()
    for card in range(52):
        assert abs(z_of_share(in_play >> card & 1, 0.75)) < 4.5
    # 3 of diamonds opens in 3/4 of the deals; else 4 of diamonds, in play with 39/51; and so on.
    lowest = [(all_deals.openings == 1 << (4 * rank)).mean() for rank in range(13)]
    assert abs(sum(lowest) - 1) < 1e-9
    assert abs(z_of_share(all_deals.openings == 1, 0.75)) < LIMIT
    assert abs(z_of_share(all_deals.openings == 1 << 4, 0.25 * 39 / 51)) < LIMIT
    assert abs(z_of_share(all_deals.openings == 1 << 8, 0.25 * 12 / 51 * 39 / 50)) < LIMIT
    diamonds = in_play & 0x1111111111111
    assert (all_deals.openings == (diamonds & -diamonds)).all()
    holder = (all_deals.hands & all_deals.openings[:, None]).argmax(axis=1)
    assert (holder == all_deals.starters).all()
    assert abs(z_of_counts(np.bincount(all_deals.starters, minlength=3), [1 / 3] * 3)) < LIMIT


@pytest.mark.parametrize("name", ["royal", "royal:deal=13", "pagat"])
def test_both_deals_of_royal_are_one_for_four_players(name: str) -> None:
    assert np.array_equal(deals(name, 4, 1_000).hands, deals("royal", 4, 1_000).hands)


@pytest.mark.parametrize("name", ["hongkong", "pusoy", "capsa"])
def test_two_players_get_thirteen_cards_and_the_rest_is_out_of_play(name: str) -> None:
    all_deals = deals(name, 2, 20_000)
    assert (sizes_of(all_deals) == 13).all()
    assert not (all_deals.hands[:, 0] & all_deals.hands[:, 1]).any()
    found = features(all_deals.hands[:, 1])
    assert abs(z_of_share(found["straight"], PROBABILITIES["straight"])) < LIMIT
    assert abs(z_of_counts(np.bincount(all_deals.starters, minlength=2), [0.5, 0.5])) < LIMIT


def test_without_any_card_of_the_opening_suit_the_lowest_card_opens() -> None:
    """Two cards each for two players: the starter holds what the reference says."""
    rules = load_rules("hongkong:deal=2")
    all_deals = deals("hongkong:deal=2", 2, 3_000)
    theirs = reference_rules(rules)
    kinds = set()
    for hands, starter, opening in zip(
        all_deals.hands.tolist(),
        all_deals.starters.tolist(),
        all_deals.openings.tolist(),
        strict=True,
    ):
        dealt = [list(cards_of(rules.suits, hand)) for hand in hands]
        expected = reference_playout.opening_card_in_play(theirs, dealt)
        assert cards_of(rules.suits, opening) == (expected,)
        assert expected in dealt[starter]
        kinds.add(expected[1])
    assert kinds == set("dchs")


# Addresses


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_rule_set_sees_the_same_cards(name: str) -> None:
    """Ranks and suits, whatever the rule set's own order of suits."""
    suits, base = load_rules(name).suits, load_rules("douque").suits
    mine, theirs = deals(name, 4, 200, 5).hands.tolist(), deals("douque", 4, 200, 5).hands.tolist()
    for a, b in zip(mine, theirs, strict=True):
        assert [set(cards_of(suits, hand)) for hand in a] == [
            set(cards_of(base, hand)) for hand in b
        ]


def test_a_deal_is_a_function_of_seed_and_index() -> None:
    whole = Deals("douque", 4, 100, 5, 0).hands
    assert np.array_equal(whole[60:], Deals("douque", 4, 40, 5, 60).hands)
    for other in (Deals("douque", 4, 100, 6, 0), Deals("douque", 4, 100, 5, 100)):
        assert not (whole == other.hands).all(axis=1).any()
    far = Deals("douque", 4, 2, 5, 2**62 - 2).hands
    assert (np.bitwise_or.reduce(far, axis=1) == (1 << 52) - 1).all()


def test_seed_zero_seeds_the_deal() -> None:
    zero = Deals("douque", 4, 50, 0).hands
    assert np.array_equal(zero, Deals("douque", 4, 50, 0).hands)
    assert not np.array_equal(zero, Deals("douque", 4, 50, 1).hands)
    assert len({tuple(hands) for hands in zero.tolist()}) == 50
