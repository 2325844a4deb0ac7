"""Guards score sheets: settling, and figures on sheets whose truth is known."""

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import analyses
import simcore
from analyses.sheet import figures, letters
from analyses.sheet.settlement import cards_from_points, settle, unknown
from analyses.sheet.tables import ALPHA, by_players, nearest
from simcore.game.ruleset import load_rules, rule_set_names
from simcore.rulebook import itemised_payoffs
from tests.command import data, line
from tests.test_sheet_reading import written

NAN = math.nan
FIELD = ("control", "keep", "dump", "lowest")


def cards_of(rules: str, lineup: str, deals: int, seed: int = 3, first: int = 0) -> Any:
    """float64[deals, players]: cards left of playouts with everybody in one seat."""
    players = lineup.count(",") + 1
    run = simcore.simulate(
        rules, lineup, deals, seed, players=players, seatings="fixed", first_deal=first
    )
    return run.playouts()[[f"cards_left_{seat}" for seat in range(players)]].to_numpy(float)


def sheet_text(cards: Any, names: Any = "ABCD", separator: str = ",") -> str:
    """A sheet of some cards left; NaN: did not play."""
    rows = [["" if x != x else f"{x:.0f}" for x in row] for row in cards]
    return "\n".join(separator.join(row) for row in [list(names), *rows]) + "\n"


# ------------------------------------------------------------------ settlement


HANDS = [  # rules, cards left, what each wins
    ("maceplay", [0, 9, 10, 13], [68, -9, -20, -39]),
    ("maceplay", [3, 0, 1, 2], [-3, 6, -1, -2]),
    ("douque", [7, 8, 0, 10], [-7, -16, 53, -30]),
    ("douque", [0, 13, 12, 13], [140, -52, -36, -52]),
    ("douque", [0, 13, 13, 13], [312, -104, -104, -104]),  # nobody else has played: grand slam
    ("lockout", [17, 0, 5], [-17, 22, -5]),
    ("lockout", [1, 13, 0, 4], [-1, -13, 18, -4]),
    ("royal", [0, 17, 17], [34, -17, -17]),
    ("royal", [2, 0, 3, 8], [-2, 13, -3, -8]),
    ("royal:payoff.settlement=pairwise", [0, 1, 2, 3], [6, 2, -2, -6]),
    ("royal", [2, 0, NAN, 3], [-2, 5, NAN, -3]),
]


@pytest.mark.parametrize(("rules", "cards", "paid"), HANDS)
def test_settlement_by_hand(rules: str, cards: list[float], paid: list[float]) -> None:
    found = settle(load_rules(rules), [cards])
    np.testing.assert_array_equal(found, [paid])


@pytest.mark.parametrize("name", rule_set_names())
def test_settlement_is_that_of_the_engine_where_nothing_else_counts(name: str) -> None:
    """Cards without 2s and Monsters, and a last play that brings nothing."""
    rules, rng = load_rules(name), random.Random(name)
    ranks = "456789TJQKA"
    for _ in range(300):
        players = rng.choice(rules.players)
        deck = [rank + suit for rank in ranks for suit in "cdhs"]
        rng.shuffle(deck)
        left = [[deck.pop() for _ in range(rng.randint(1, 10))] for _ in range(players - 1)]
        _, items = itemised_payoffs(rules, ["3s"], left)
        if any(item["item"] not in ("cards_left", "all") for item in items):
            continue
        winner = rng.randrange(players)
        hands = [*left[:winner], [], *left[winner:]]
        exact = simcore.payoffs(rules, winner, hands, ["3s"])
        assert settle(rules, [[len(hand) for hand in hands]])[0].tolist() == exact


def test_settlement_is_that_of_playouts_and_goes_back() -> None:
    for name, players in (("maceplay", 4), ("royal", 3), ("lockout", 4)):
        run = simcore.simulate(name, "dump", 500, 5, players=players, seatings="fixed")
        rows = run.playouts()
        cards = rows[[f"cards_left_{s}" for s in range(players)]].to_numpy(float)
        payoff = rows[[f"payoff_{s}" for s in range(players)]].to_numpy(float)
        rules = load_rules(name)
        np.testing.assert_array_equal(settle(rules, cards), payoff)
        np.testing.assert_array_equal(cards_from_points(rules, payoff), cards)
        assert cards_from_points(rules, 1.5 * payoff) is None
    pairwise = load_rules("maceplay:payoff.settlement=pairwise")
    cards = cards_of("maceplay", "dump,dump,dump,dump", 200)
    np.testing.assert_array_equal(cards_from_points(pairwise, settle(pairwise, cards)), cards)
    assert cards_from_points(load_rules("douque"), payoff) is None


def test_what_cards_left_do_not_tell() -> None:
    assert unknown(load_rules("royal")) == []
    told = unknown(load_rules("douque"))
    assert told[0] == "2s left (× 2)" and "a flush Dragon as the last play (× 20)" in told


# ------------------------------------------------------------------ figures


@pytest.fixture(scope="module")
def field() -> Any:
    """Cards left of 20,000 hands of FIELD under maceplay, and of 60,000 others for the truth."""
    lineup = ",".join(FIELD)
    return cards_of("maceplay", lineup, 20_000), cards_of("maceplay", lineup, 60_000, first=10**6)


def payoff_and_won(cards: Any) -> tuple[Any, Any]:
    return settle(load_rules("maceplay"), cards), cards == 0


def test_standings_luck_and_differences_cover(field: Any) -> None:
    """200 sheets of 100 hands; 95 % of 200 are 190 ± 3.1, four times that to either side."""
    cards, many = field
    names = list(FIELD)
    payoff, won = payoff_and_won(many)
    points, wins = payoff.mean(axis=0), won.mean(axis=0)
    skill = float((points**2).mean() / (payoff**2).mean())
    hits: dict[str, list[Any]] = {"payoff": [], "win_rate": [], "share": [], "difference": []}
    for some in np.split(cards, 200):
        paid, ahead = payoff_and_won(some)
        found = figures.standings(names, paid, ahead, some).set_index("player").loc[names]
        for figure, truth in (("payoff", points), ("win_rate", wins)):
            low, high = found[f"{figure}_low"], found[f"{figure}_high"]
            hits[figure].append((low <= truth) & (truth <= high))
        row = figures.luck(paid).iloc[0]
        hits["share"].append(row["share_low"] <= skill <= row["share_high"])
        two = figures.first_two(names, paid).iloc[0]
        apart = points[names.index(two["first"])] - points[names.index(two["second"])]
        hits["difference"].append(two["difference_low"] <= apart <= two["difference_high"])
    for name, found in hits.items():
        cover = np.mean(found, axis=0)
        least = 0.85 if name == "difference" else 0.89  # of the first two, chosen by what is seen
        assert np.all(cover >= least) and np.all(cover <= 1), (name, cover)


def test_ratings_cover(field: Any) -> None:
    cards, many = field
    names = list(FIELD)
    payoff, won = payoff_and_won(many[:20_000])
    truth = figures.ratings(names, payoff, won, resamples=2).set_index("player").loc[names]
    np.testing.assert_allclose(truth["adjusted"], 0.75 * payoff.mean(axis=0))
    hits = []
    for some in np.split(cards, 200)[:40]:
        found = figures.ratings(names, *payoff_and_won(some), resamples=100)
        found = found.set_index("player").loc[names]
        for figure in ("adjusted", "rating"):
            low, high = found[f"{figure}_low"], found[f"{figure}_high"]
            hits.append((low <= truth[figure]) & (truth[figure] <= high))
    assert 0.87 <= np.mean(hits) <= 1


def test_ratings_allow_for_who_sat_at_the_table() -> None:
    """`Strong` meets strong ones only, `Easy`, who plays worse, mostly the weakest."""
    hard = cards_of("maceplay", "control,control,control,linear", 1500, seed=1)
    easy = cards_of("maceplay", "lowest,random,random,random", 1500, seed=2)
    mixed = cards_of("maceplay", "control,linear,random,random", 1000, seed=4)
    names = ["Strong", "S1", "S2", "S3", "Easy", "W1", "W2", "W3"]
    cards = np.full((4000, 8), np.nan)
    cards[:1500, :4] = hard
    cards[1500:3000, 4:] = easy
    cards[3000:, [1, 3, 5, 6]] = mixed
    payoff, won = payoff_and_won(cards)
    table = figures.standings(names, payoff, won, cards).set_index("player")
    assert table["payoff"]["Easy"] > table["payoff"]["Strong"] + 3
    rated = figures.ratings(names, payoff, won, resamples=100).set_index("player")
    for figure in ("adjusted", "rating"):
        assert rated[f"{figure}_low"]["Strong"] > rated[f"{figure}_high"]["Easy"]
    assert (rated["group"] == 1).all()


def test_groups_that_never_met() -> None:
    cards = np.full((60, 8), np.nan)
    cards[:40, :4] = cards_of("maceplay", ",".join(FIELD), 40)
    cards[40:, 4:] = cards_of("maceplay", ",".join(FIELD), 20, seed=9)
    rated = figures.ratings(list("ABCDEFGH"), *payoff_and_won(cards), resamples=50)
    rated = rated.set_index("player").loc[list("ABCDEFGH")]
    assert rated["group"].tolist() == [1, 1, 1, 1, 2, 2, 2, 2] or set(rated["group"]) == {1, 2}
    for _, group in rated.groupby("group"):
        assert group["adjusted"].sum() == pytest.approx(0)


def test_few_hands_have_no_interval() -> None:
    cards = np.tile([0.0, 1, 2, 3], (30, 1))  # nothing varies
    payoff, won = payoff_and_won(cards)
    table = figures.standings(list("ABCD"), payoff, won, cards)
    assert table["payoff_low"].isna().all() and table["cards_left_low"].isna().all()
    assert (table["win_rate_high"] > table["win_rate_low"]).all()
    assert figures.ratings(list("ABCD"), payoff, won)["rating_low"].isna().all()
    assert not len(figures.first_two(list("ABCD"), payoff))
    few = cards_of("maceplay", ",".join(FIELD), 9)
    table = figures.standings(list("ABCD"), *payoff_and_won(few), few)
    assert table.filter(regex="_low|_high").isna().all(axis=None)
    assert not len(figures.luck(payoff_and_won(few)[0]))


def test_no_skill_is_not_called_skill() -> None:
    """Tables of one strategy: the share of players is 0, and its interval holds 0."""
    cards = cards_of("maceplay", "dump,dump,dump,dump", 5_000, seed=8)
    found = [figures.luck(payoff_and_won(some)[0]).iloc[0] for some in np.split(cards, 50)]
    assert np.mean([row["share_low"] <= 0 for row in found]) >= 0.9
    assert all(row["share_high"] > 0 for row in found)


def test_more_hands_are_those_that_it_takes() -> None:
    """Twice the difference needs a quarter; after so many hands half the sheets tell them apart."""
    rng = np.random.default_rng(3)
    told = []
    for _ in range(200):
        d = rng.normal(1.0, 10.0, 400)
        found = figures.first_two(["A", "B"], np.column_stack([d, -d]) / 2).iloc[0]
        told.append(found["told_apart"] and found["first"] == "A")
    assert 0.35 < np.mean(told) < 0.65  # n = (1.96 * 10 / 1)² = 384
    d = np.tile([11.0, -9.0], 50)  # mean 1, deviation 10
    found = figures.first_two(["A", "B"], np.column_stack([d, -d]) / 2).iloc[0]
    assert not found["told_apart"]
    assert found["more_hands"] == pytest.approx((1.96 * 10) ** 2 * 100 / 99 - 100, abs=1)


# ------------------------------------------------------------------ strategies


SOME = ("dump", "keep", "linear", "lowest", "random")


@pytest.mark.parametrize("true", ["dump", "linear", "lowest"])
def test_the_nearest_strategy_is_the_true_one(true: str) -> None:
    cards = cards_of("maceplay", ",".join([true] * 4), 1500, seed=77)
    found, _ = nearest(cards, load_rules("maceplay"), SOME, resamples=200)
    assert found["strategy"][0] == true
    assert found["fits"].tolist() == [True, False, False, False, False]


def test_tables_of_three_and_four() -> None:
    cards = np.full((1000, 4), np.nan)
    cards[:500, :3] = cards_of("royal", "dump,dump,dump", 500, seed=5)
    cards[500:] = cards_of("royal", "dump,dump,dump,dump", 500, seed=6)
    assert {n: len(each) for n, each in by_players(cards).items()} == {3: 500, 4: 500}
    found, tables = nearest(cards, load_rules("royal"), ("dump", "lowest"), 5000, resamples=200)
    assert found["strategy"][0] == "dump" and found["fits"].tolist() == [True, False]
    assert set(tables["dump"]) == {3, 4}


def test_the_test_of_fit_keeps_its_level() -> None:
    """100 sheets of 50 hands of the strategy itself: p < 0.05 in 5 ± 2.2."""
    from analyses.sheet import tables as m

    cards = cards_of("maceplay", "keep,keep,keep,keep", 5_000, seed=41)
    table = {4: m.simulated(load_rules("maceplay"), "keep", 4, 2000, 0)}
    rng = np.random.default_rng(0)
    p = np.array(
        [m._distances(by_players(some), table, 200, rng)[1] for some in np.split(cards, 100)]
    )
    assert 0 <= (p < ALPHA).mean() <= 0.14
    assert 0.4 < p.mean() < 0.6


# ------------------------------------------------------------------ the command


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty hands of five players, four at a time, with dates."""
    cards = np.full((40, 5), np.nan)
    played = cards_of("maceplay", ",".join(FIELD), 40, seed=6)
    for h in range(40):
        cards[h, [i for i in range(5) if i != h % 5]] = played[h]
    lines = sheet_text(cards, ["Ann", "Ben", "Cleo", "Dan", "<b>Eva"], ";").splitlines()
    dated = [
        "date;" + lines[0],
        *(f"2026-01-{1 + h // 10:02d};{x}" for h, x in enumerate(lines[1:])),
    ]
    return written(tmp_path_factory.mktemp("club"), "\n".join(dated) + "\n")


def test_what_the_command_says(club: Path) -> None:
    asked = f"sheet '{club}' --rules maceplay --deals 200 --strategies dump,random"
    shown = line(asked)
    assert shown.status == 0, shown.err
    first = shown.out.splitlines()[0]
    assert " leads with +" in first and first.endswith(".")
    for words in (
        "40 hands of maceplay by 5 players, cards left, 4 dates",
        "Cards left are nearest",
        "of the variance of one hand's points lies between players",
        "Allowing for",
    ):
        assert words in shown.out
    found = data(asked)
    assert found["sentences"][0] == first and found["hands"] == 40
    frames = analyses.sheet(club, "maceplay", deals=200, strategies="dump,random")
    assert [row["player"] for row in found["standings"]] == frames.standings["player"].tolist()
    assert {row["strategy"] for row in found["strategies"]} == {"dump", "random"}
    assert len(frames.hands) == 160 and frames.hands["payoff"].sum() == 0
    assert frames.hands.groupby("hand")["won"].sum().eq(1).all()
    assert frames.standings["total"].sum() == 0
    assert sum(row["losers"] for row in found["cards_left"]) == 120


def test_letters_for_names(club: Path) -> None:
    shown = line(f"sheet '{club}' --rules maceplay --deals 0 --anonymous --json")
    assert "Ann" not in shown.out and "Cleo" not in shown.out
    assert {row["player"] for row in json.loads(shown.out)["standings"]} == set("ABCDE")
    assert json.loads(shown.out)["strategies"] == []
    assert [letters(i) for i in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]


def test_points_say_what_cards_say(club: Path, tmp_path: Path) -> None:
    """The same hands as points: the same figures, cards left included."""
    frames = analyses.sheet(club, "maceplay", deals=200, strategies=["dump"])
    wide = frames.hands.pivot(index="hand", columns="player", values="payoff")
    file = written(tmp_path, wide[["Ann", "Ben", "Cleo", "Dan", "<b>Eva"]].to_csv(index=False))
    again = analyses.sheet(file, "maceplay", deals=200, strategies=["dump"])
    assert again.kind == "points" and again.sentences == frames.sentences
    for name in ("standings", "ratings", "luck", "cards_left", "strategies"):
        assert getattr(again, name).equals(getattr(frames, name)), name
    douque = analyses.sheet(file, "douque", deals=200)
    assert not len(douque.cards_left) and "do not tell cards left" in douque.notes[0]


def test_an_unknown_part_of_the_settlement_is_said(tmp_path: Path) -> None:
    file = written(tmp_path, "A,B,C,D\n0,1,2,3\n")
    found = analyses.sheet(file, "douque", deals=0)
    assert "2s left (× 2)" in found.notes[0] and "more was paid" in found.notes[0]
    assert found.sentences[0].startswith("Nobody can be called ahead yet")
    assert "Fewer than 10 hands" in found.sentences[-1]


def test_the_page(club: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    asked = f"sheet '{club}' --rules maceplay --deals 200 --seed 3 --strategies dump -o {page}"
    assert line(asked).status == 0
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>") and text.count("<script") == text.count("</script")
    assert "<b>Eva" not in text and "&lt;b&gt;Eva" in text
    for words in (
        "Points against average opponents",
        "Cards left",
        "intervals over hands",
        "--rules maceplay --values cards --strategies dump --deals 200 --seed 3",
    ):
        assert words in text
    specs = text.count('<script type="application/json">')
    assert specs == 5
    assert line(f"{asked} --anonymous").status == 0
    assert "Cleo" not in page.read_text("utf-8")
