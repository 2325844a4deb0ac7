"""Guards `rollout`: the hidden cards that it draws, what it finds, and that more samples help."""

import math

import numpy as np
import pytest

import analyses
import simcore
from simcore.foundation.jit import records
from simcore.foundation.rng import STREAM, WORDS
from simcore.game.seatings import PLANS
from simcore.simulation.rollout import add_round, drop_beaten
from simcore.strategies.interface import VIEW
from simcore.strategies.sampling import deal_hidden, hidden_cards
from tests.support import EXACT, FULL_DECK, cards, mask_of, play_hands, table, z_of_counts

HAND = 0b1111 << 20
SEEN = 0b1111 << 8


def drawn(name: str, players: int, left: list[int], starter: int, n: int) -> np.ndarray:
    """Hands drawn for the other seats (int64[n, players])."""
    view = records(VIEW, 1)
    view[0].rules = table(name)
    view[0].hand, view[0].seen, view[0].players = HAND, SEEN, players
    view[0].starter, view[0].first_hand = starter, 1
    view[0].cards_left[:players] = left
    stream = records(STREAM, 1)
    stream[0].used = WORDS
    found, hands = np.zeros(52, np.int64), np.zeros(players, np.int64)
    hidden, opening = hidden_cards(table(name), view[0], found)
    result = []
    for _ in range(n):
        deal_hidden(view[0], found, hidden, opening, stream[0], hands)
        result.append(hands.copy())
    return np.array(result)


@pytest.mark.parametrize(
    ("name", "left"), [("douque", [4, 13, 20, 11]), ("royal:deal=13", [4, 9, 13, 5])]
)
def test_hidden_cards_are_dealt_uniformly_among_what_fits(name: str, left: list[int]) -> None:
    """Also where cards are out of play. |z| < 4.5 for each seat, a false alarm in 50,000."""
    hands = drawn(name, 4, left, 0, 4000)
    unseen = [c for c in range(52) if not (HAND | SEEN) >> c & 1]
    for k in (1, 2, 3):
        held = np.array([(hands[:, k] >> c & 1).sum() for c in unseen])
        assert held.sum() == 4000 * left[k]
        assert all(bin(int(h)).count("1") == left[k] for h in hands[:, k])
        share = np.full(len(unseen), 1 / len(unseen))
        assert z_of_counts(held, share) < 4.5
    together = hands[:, 1] | hands[:, 2] | hands[:, 3]
    assert not (together & (HAND | SEEN)).any()
    assert all(bin(int(h)).count("1") == sum(left[1:]) for h in together)


def test_the_starter_holds_the_opening_card_until_it_is_seen() -> None:
    hands = drawn("douque", 4, [4, 13, 20, 11], 2, 500)
    assert (hands[:, 2] & 1).all() and not ((hands[:, 1] | hands[:, 3]) & 1).any()
    assert (hands[:, 0] == HAND).all() and not (hands & ~(FULL_DECK & ~SEEN)).any()


def test_it_keeps_the_lead_with_what_nobody_beats() -> None:
    """2s, then the pair: the other way round somebody may answer and go out."""
    hands = [cards("2s 4c 4d"), cards("Ac Ad Kh"), cards("5c 5d Kc"), cards("6c 6d Kd")]
    for samples in (50, 400):
        turns = play_hands("maceplay", hands, 0, None, f"rollout:samples={samples}").turns
        assert turns[0][1] == ("2s",)
    assert mask_of("cdhs", ["2s"]) == 1 << 51


@pytest.mark.parametrize("name", ["maceplay", "royal"])
def test_it_beats_what_it_would_play_without_search(name: str) -> None:
    """Two against two, 120 deals in six seatings, few samples; the long test takes the default."""
    lineup = "rollout:samples=100:doubt=0.5,linear,rollout:samples=100:doubt=0.5,linear"
    run = simcore.simulate(name, lineup, 120, seed=1, seatings=PLANS[2], summary_only=True)
    row = analyses.strategy_table(run.summary).iloc[0]
    assert row["payoff_low"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("worse", ["minplays", "smart", "linear", "control"])
@pytest.mark.parametrize("name", EXACT)
def test_it_beats_every_other_strategy(name: str, worse: str) -> None:
    """Two against two, 1,000 deals."""
    lineup = f"rollout,{worse},rollout,{worse}"
    run = simcore.simulate(name, lineup, 1000, seed=2, seatings=PLANS[2], summary_only=True)
    row = analyses.strategy_table(run.summary).iloc[0]
    print(f"{name}: rollout {row['payoff']:+.2f} [{row['payoff_low']:+.2f}] against {worse}")
    assert row["payoff_low"] > 0


def test_who_is_behind_is_dropped_by_the_paired_difference() -> None:
    """Against numpy: candidate 2 always brings what the best does, 3 is within two errors of it."""
    rng = np.random.default_rng(1)
    common = rng.integers(-50, 50, 40)
    payoffs = np.array([common - 3 + rng.integers(-4, 5, 40), common, common, common])
    payoffs[3] += rng.integers(-30, 30, 40) - 3
    racing, sums, products = np.arange(4), np.zeros(4), np.zeros((4, 4))
    for part in np.split(payoffs.astype(np.int32), 4, axis=1):
        add_round(part, racing, sums, products)
    behind = payoffs[1] - payoffs
    errors = behind.std(axis=1, ddof=1) / math.sqrt(40)
    assert behind[0].mean() > 2 * errors[0] and 0 < behind[3].mean() < 2 * errors[3]
    assert drop_beaten(40, sums, products, 2.0, racing) == (1, 2)
    assert racing[:2].tolist() == [1, 3]
    # With the bound at its very place either way.
    exact = behind[3].mean() / errors[3]
    for errors_behind, left in ((exact * 0.999, 1), (exact * 1.001, 2)):
        again = np.array([1, 3])
        assert drop_beaten(40, sums, products, errors_behind, again)[1] == left


def test_more_samples_do_not_change_a_race_that_is_over() -> None:
    """It ends when nothing is contested: the time of 100,000 samples is not taken."""
    hands = [cards("2s 4c 4d"), cards("Ac Ad Kh"), cards("5c 5d Kc"), cards("6c 6d Kd")]
    for samples in (400, 100_000):
        turns = play_hands("maceplay", hands, 0, None, f"rollout:samples={samples}:endgame=0").turns
        assert turns[0][1] == ("2s",)


@pytest.mark.parametrize("policy", ["dump", "lowest", "random"])
def test_every_policy_plays(policy: str) -> None:
    lineup = f"rollout:samples=20:policy={policy},dump"
    run = simcore.simulate("lockout", [*lineup.split(","), "keep"], 5, seed=1, summary_only=True)
    assert run.summary.n_deals == 5
