"""Guards the audit of a shuffle: exact expectations, fair deals left alone, faults found."""

import csv
import json
from collections import Counter
from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import analyses
from analyses.audit import audit, findings, holm
from analyses.shuffle import fair
from analyses.shuffle.dealt import Deals, read_deals
from analyses.shuffle.fair import Layout
from analyses.shuffle.hands import cards_by_seat
from simcore.errors import InputError
from simcore.game.cards import RANKS, SYMBOLS, card_name
from tests import shuffles
from tests.command import call, refuse
from tests.shuffles import FOUR, as_deals

ONE_OUT = Layout(3, 17, tuple(range(52)))
LAYOUTS = {
    "four": FOUR,
    "three, a card out": ONE_OUT,
    "three, no 3d": Layout(3, 17, tuple(card for card in range(52) if card != 1)),
    "two, half out": Layout(2, 13, tuple(range(52))),
    "two, whole": Layout(2, 26, tuple(range(52))),
}


def words(hand: Any) -> str:
    return " ".join(card_name(int(card), "cdhs") for card in hand)


def write_csv(path: Path, hands: Any, columns: str = "deal,seat,cards") -> Path:
    """One hand a row, with these columns."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns.split(","))
        for deal, dealt in enumerate(hands):
            for seat, hand in enumerate(dealt):
                row = {"deal": deal, "seat": seat, "cards": words(hand)}
                rows.writerow([row[name] for name in columns.split(",")])
    return path


def write_records(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def some(deals: int = 20, layout: Layout = FOUR) -> Any:
    return shuffles.fair(deals, np.random.default_rng(1), layout)


# What is exact


def test_known_chances() -> None:
    """Figures that bridge and card books print."""
    patterns, mean, _ = fair.suit_patterns(FOUR)
    assert patterns[0] == (4, 4, 3, 2)
    assert mean[0] / 4 == pytest.approx(0.2155, abs=5e-5)
    assert mean.sum() == pytest.approx(4)
    twos, chances = fair.two_patterns(FOUR)
    found = dict(zip(twos, chances, strict=True))
    assert found[(2, 1, 1, 0)] == pytest.approx(0.5843, abs=5e-5)
    assert found[(4, 0, 0, 0)] == pytest.approx(0.0106, abs=5e-5)
    assert fair.pair_together(FOUR)[0] == pytest.approx(12 / 51)
    bombs = fair.bombs(FOUR)
    assert bombs @ np.arange(len(bombs)) == pytest.approx(4 * 13 * comb(48, 9) / comb(52, 13))
    assert bombs.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", LAYOUTS)
def test_expectations_are_those_of_fair_deals(name: str) -> None:
    """Means within five standard errors; variances within six per cent."""
    layout, n = LAYOUTS[name], 20_000
    hands = shuffles.fair(n, np.random.default_rng(7), layout)
    held = np.stack([(hands >> 2 == rank).sum(axis=2) for rank in range(13)], axis=2)

    def agree(values: Any, mean: Any, covariance: Any) -> None:
        found = np.cov(values, rowvar=False)
        sd = np.sqrt(np.diag(covariance))
        assert (np.abs(values.mean(axis=0) - mean) < 5 * sd / np.sqrt(n) + 1e-12).all()
        assert np.abs(found - covariance).max() < 0.06 * np.max(sd) ** 2
        often = sd > 0.1
        assert found.diagonal()[often] == pytest.approx(covariance.diagonal()[often], rel=0.06)

    agree(np.stack([(held == times).sum(axis=(1, 2)) for times in (2, 3)], 1),
          *fair.rank_counts(layout))  # fmt: skip
    patterns, mean, covariance = fair.suit_patterns(layout)
    lengths = np.stack([(hands & 3 == suit).sum(axis=2) for suit in range(4)], axis=2)
    lengths = np.sort(lengths, axis=2)[:, :, ::-1]
    seen = np.stack([(lengths == np.array(p)).all(axis=2).sum(axis=1) for p in patterns[:8]], 1)
    agree(seen, mean[:8], covariance[:8, :8])
    chances = fair.bombs(layout)
    fours = np.bincount((held == 4).sum(axis=(1, 2)), minlength=len(chances)) / n
    assert np.abs(fours - chances).max() < 5 * np.sqrt(0.25 / n)
    twos = Counter(tuple(sorted(map(int, row), reverse=True)) for row in held[:, :, fair.TWO])
    for pattern, chance in zip(*fair.two_patterns(layout), strict=True):
        assert abs(twos[pattern] / n - chance) < 5 * np.sqrt(chance / n) + 1e-3
    straights = fair.straights(hands)
    spread = fair.drawn_moments(layout)["straights"][0]
    assert abs(straights.mean() - fair.straights_mean(layout)) < 5 * spread / np.sqrt(n)


def test_straights_are_counted_by_ranks() -> None:
    hand = [RANKS.index(rank) * 4 for rank in "A23456"]
    assert fair.straights(np.array([[hand]])).tolist() == [2]  # A2345 and 23456
    wrapped = [RANKS.index(rank) * 4 for rank in "JQKA2"]
    assert fair.straights(np.array([[wrapped]])).tolist() == [0]


def test_holm_is_holm() -> None:
    p = np.random.default_rng(2).uniform(0, 0.1, 30).tolist()
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


# Fair deals


@pytest.mark.parametrize("name", LAYOUTS)
def test_fair_deals_are_flagged_at_the_stated_rate(name: str) -> None:
    """Of 60 audits, at a level of 20 % so that there is something to count; and p is spread out."""
    rng = np.random.default_rng(5)
    lowest, tails = [], Counter[str]()
    for _ in range(60):
        found = findings(as_deals(shuffles.fair(30, rng, LAYOUTS[name])))
        lowest.append(min(holm([finding.p for finding in found])))
        tails.update(finding.test for finding in found if finding.p <= 0.1)
    assert sum(p <= 0.2 for p in lowest) <= stats.binom.ppf(0.999, 60, 0.2)
    assert sum(p <= 0.01 for p in lowest) <= stats.binom.ppf(0.999, 60, 0.01)
    assert max(tails.values()) <= stats.binom.ppf(0.9999, 60, 0.1)
    assert len(tails) > 12


def test_turns_of_fair_deals_are_left_alone() -> None:
    rng = np.random.default_rng(6)
    hands = shuffles.fair(2000, rng)
    pile = rng.permuted(hands.reshape(2000, 52), axis=1)
    pile[:, 40:] = -1
    found = audit(as_deals(hands, pile=pile))
    assert found.fair, found.verdict
    assert {"cards of the last tricks", "order kept (tricks to card)"} <= set(found.tests["test"])


# Faults

FAULTS = [
    (shuffles.cut, 20, True, "order kept (hand to card)"),
    (shuffles.cut, 30, False, "hands that stay together"),
    (shuffles.riffles(3), 20, True, "order kept (hand to card)"),
    (shuffles.riffles(5), 30, True, "order kept (hand to card)"),
    (shuffles.comparator, 500, True, "cards by place in the hand"),
    (shuffles.sattolo, 20, True, "parity of the order"),
    (shuffles.sattolo, 3000, False, "cards by seat"),
    (shuffles.naive, 1200, True, "cards by place in the hand"),
    (shuffles.short, 20, False, "one card at a seat"),
    (shuffles.seeded(16), 1000, False, "deals that recur"),
    (shuffles.tricks(3), 80, False, "cards of the last tricks"),
    (shuffles.tricks(3), 20, True, "order kept (tricks to card)"),
]


@pytest.mark.parametrize(("make", "deals", "in_order", "test"), FAULTS)
def test_a_fault_is_found(make: Callable[..., Any], deals: int, in_order: bool, test: str) -> None:
    made = make(deals, np.random.default_rng(3))
    hands, pile = made if isinstance(made, tuple) else (made, None)
    found = audit(as_deals(hands, in_order, pile))
    assert not found.fair
    assert test in set(found.tests.loc[found.tests["found"], "test"]), found.verdict
    assert "not from a fair deal" in found.verdict


def test_what_could_have_been_found_is_found_with_80_percent() -> None:
    """2s at seat 0 in as many deals as the audit of 200 fair deals says."""
    rng = np.random.default_rng(8)
    level = 0.01 / 15
    one = next(f for f in findings(as_deals(some(200), False)) if f.test == "one card at a seat")
    said = one.could_find(level)
    share = float(said.split("more than ")[1].split(" %")[0]) / 100
    hits = 0
    for _ in range(80):
        hands = shuffles.fair(200, rng)
        for dealt in hands:
            if rng.random() < (share - 0.25) / 0.75:  # else it lies there in a quarter of deals
                dealt[dealt == 51] = dealt[0, 0]
                dealt[0, 0] = 51
        found = cards_by_seat(as_deals(hands), fair.seats(hands, FOUR.deck))
        hits += next(f.p for f in found if f.test == one.test) <= level
    assert 0.65 <= hits / 80 <= 0.92


# Reading


def test_csv_in_every_form(tmp_path: Path) -> None:
    hands = some()
    whole = read_deals(write_csv(tmp_path / "a.csv", hands))
    assert (whole.hands == hands).all()
    assert whole.layout == FOUR
    for columns in ("cards", "seat,cards", "deal,cards", "cards,deal", "cards,seat,deal"):
        assert (read_deals(write_csv(tmp_path / "b.csv", hands, columns)).hands == hands).all()
    _, text = (tmp_path / "a.csv").read_text().split("\n", 1)
    for old, new in {**SYMBOLS, "T": "10", ",": ";", "\n": "\r\n\r\n"}.items():
        text = text.replace(old, new)
    (tmp_path / "c.csv").write_text(f"\ufeffDeal; Seat;CARDS\n{text}", newline="")
    assert (read_deals(tmp_path / "c.csv").hands == hands).all()


def test_seats_may_have_names_and_come_in_any_order(tmp_path: Path) -> None:
    hands = some()
    rows = ["seat,cards"]
    for i, dealt in enumerate(hands):
        order = [(seat + i) % 4 for seat in range(4)] if i else [0, 1, 2, 3]
        rows += [f"{'ABCD'[seat]},{words(dealt[seat])}" for seat in order]
    (tmp_path / "names.csv").write_text("\n".join(rows))
    assert (read_deals(tmp_path / "names.csv").hands == hands).all()


def test_records_with_hands_and_turns_in_every_form(tmp_path: Path) -> None:
    hands = some()
    first = [card_name(int(card), "cdhs") for card in hands[0, 0]]
    turns = [[0, first[0]], "pass", None, [], [1, "-"], {"seat": 0, "cards": first[1:3]},
             [first[3], first[4]], f"{first[5]} {first[6]}"]  # fmt: skip
    records = [{"bigtwo_record": 1, "hands": [words(hand) for hand in dealt]} for dealt in hands]
    records[0] |= {"turns": turns, "id": 7, "time": "2024-05-01"}
    records[1]["hands"] = [words(hand).split() for hand in hands[1]]
    unknown = {"hands": [words(hands[0, 0]), None, None, None]}
    found = read_deals(write_records(tmp_path / "a.jsonl", [*records, unknown]))
    assert (found.hands == hands).all()
    assert found.pile[0, :7].tolist() == hands[0, 0, :7].tolist()
    assert (found.pile[0, 7:] == -1).all() and (found.pile[1:] == -1).all()
    assert found.notes == ("1 deals with unknown hands were left out.",)
    assert audit(found).fair


def test_the_odd_card_of_three_players_is_set_aside(tmp_path: Path) -> None:
    layout = Layout(3, 17, tuple(range(1, 52)))  # 3c is dealt first
    rng = np.random.default_rng(9)
    hands = shuffles.fair(300, rng, layout)
    records = [{"hands": [words(hand) for hand in dealt]} for dealt in hands]
    for record in records:
        record["hands"][rng.integers(3)] += " 3c"
    found = read_deals(write_records(tmp_path / "three.jsonl", records))
    assert (found.hands == hands).all() and found.layout == layout
    assert "3c lies in every longer hand" in found.notes[0]
    assert audit(found).fair


def test_sorted_hands_say_nothing_of_an_order() -> None:
    hands = some(40)
    by_suit = np.take_along_axis(hands, np.argsort((hands & 3) * 13 - (hands >> 2), axis=2), 2)
    names = np.array([card_name(card, "cdhs") for card in range(52)])
    as_text = np.take_along_axis(hands, np.argsort(names[hands], axis=2), 2)
    for ordered in (np.sort(hands, 2), np.sort(hands, 2)[:, :, ::-1], by_suit, as_text):
        tests = set(audit(Deals(ordered, FOUR)).tests["test"])
        assert "cards by place in the hand" not in tests
    assert "cards by place in the hand" in set(audit(as_deals(hands)).tests["test"])


GOOD = {"hands": [words(hand) for hand in some()[0]]}
FEW = {"hands": [words(hand) for hand in some()[0][:3]]}
TWICE = {"hands": [*GOOD["hands"][:3], GOOD["hands"][0]]}
WRONG = [
    ("", ["is empty"]),
    ("\n \n", ["is empty"]),
    ("{", ["line 1", "no JSON"]),
    ("[" * 100_000, ["line 1", "no JSON"]),
    ([GOOD, "x"], ["line 2", "'hands' is missing"]),
    ([{"hand": 1}], ["line 1", "'hands' is missing"]),
    ([{"bigtwo_record": 2, "hands": []}], ["line 1", "'bigtwo_record'", "version 2"]),
    ([{"hands": "3c"}], ["line 1", "field 'hands'", "no list"]),
    ([{"hands": ["3c", 5]}], ["line 1", "'hands', seat 1", "is 5"]),
    ([{"hands": ["3c", {}]}], ["line 1", "hands of 1, 0 cards"]),
    ([{"hands": [["3c", 4], ["4c"]]}], ["line 1", "seat 0"]),
    ([{"hands": ["3c 4c 1x", "5c"]}], ["line 1", "seat 0", "unknown card '1x'"]),
    ([{"hands": ["3c" * 500, "5c"]}], ["line 1", "seat 0", "1,000 characters"]),
    ([{"hands": ["3c3c", "5c 6c"]}], ["line 1", "seat 0", "twice"]),
    ([{"hands": ["3c 4c"]}], ["line 1", "2 to 4 hands, not 1"]),
    ([{"hands": ["3c 4c", "5c 6c"]}], ["line 1", "hands of 2 cards", "5 to 26"]),
    ([{"hands": [*GOOD["hands"][:3], "3c"]}], ["line 1", "13, 13, 13, 1 cards"]),
    ([TWICE], ["line 1", "dealt twice"]),
    ([GOOD, FEW], ["line 2", "3 hands, where line 1 has 4"]),
    ([GOOD | {"turns": 5}], ["line 1", "'turns'", "no list"]),
    ([GOOD | {"turns": [[0, "9z"]]}], ["line 1", "'turns'", "9z"]),
    ([GOOD | {"turns": ["3c", "3c"]}], ["line 1", "'turns'", "twice"]),
    ([GOOD] * 19, ["19 whole deals", "20 or more"]),
    ([{"hands": [None, "3c"]}] * 30, ["0 whole deals (30 more"]),
    ("deal,seat,card\n1,1,3c", ["line 1", "column 'cards' is missing"]),
    ("deal,seat,cards\n1,1\n", ["line 2", "column 'cards' is empty"]),
    ("deal,seat,cards\n,1,3c\n", ["line 2", "column 'deal' is empty"]),
    ("deal,seat,cards\n1,1,zz\n", ["line 2, column 'cards'", "zz"]),
    ('deal,seat,cards\n1,1,"3c\n', ["line 2", "no CSV"]),
    (f"seat,cards\n0,{GOOD['hands'][0]}\n", ["line 2", "2 to 4 hands, not 1"]),
    ("deal,seat,cards\n1,1,3c\n1,1,4c", ["line 3, column 'seat'", "'1' stands twice"]),
    ("deal,cards\n1,3c 4c 5c 6c 7c\n1,3d 4d 5d 6d 7d\n2,3c 4c 5c 6c 7c\n2,3d 4d 5d 6d 7d\n1,3c",
     ["line 6, column 'deal'", "begins again"]),
    ("seat,cards\n0,3c 4c 5c 6c 7c\n1,3d 4d 5d 6d 7d\n0,3c 4c 5c 6c 7c\n2,3d 4d 5d 6d 7d",
     ["line 5, column 'seat'", "'2' is no seat of the first deal"]),
    (b"cards\n\xff\xfe\x00", ["line 2", "no text in UTF-8"]),
    (b"\x89PNG\x00\x01", ["line 1", "no text in UTF-8"]),
    ("cards\n" + "3c " * 400_000, ["line 2", "longer than 1,048,576 bytes"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "fragments"), WRONG)
def test_wrong_files_get_a_sentence(content: Any, fragments: list[str], tmp_path: Path) -> None:
    path = tmp_path / "hands"
    if isinstance(content, list):
        write_records(path, content)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    refuse(call("audit", path), *fragments)


def test_longer_hands_need_a_common_card(tmp_path: Path) -> None:
    hands = some(40, ONE_OUT)
    records = [{"hands": [words(hand) for hand in dealt]} for dealt in hands]
    for i, record in enumerate(records):
        (left,) = set(range(52)) - set(hands[i].ravel().tolist())
        record["hands"][i % 3] += f" {card_name(left, 'cdhs')}"
    refuse(call("audit", write_records(tmp_path / "odd.jsonl", records)), "no card in common")


def test_bad_places_and_levels(tmp_path: Path) -> None:
    refuse(call("audit", tmp_path / "none.csv"), "cannot be read", "No such file")
    refuse(call("audit", tmp_path), "cannot be read")
    good = write_csv(tmp_path / "a.csv", some())
    for alpha in ("0", "0.5", "nan", "-1"):
        refuse(call("audit", good, f"--alpha={alpha}"), "alpha", "above 0, below 0.5")
    with pytest.raises(InputError, match="alpha"):
        analyses.audit(good, alpha=1)


# The command


def test_the_command_prints_what_the_function_finds(tmp_path: Path) -> None:
    good = write_csv(tmp_path / "good.csv", np.sort(some(300), axis=2))
    bad = write_csv(tmp_path / "bad.csv", shuffles.cut(60, np.random.default_rng(1)))
    for path, status in ((good, 0), (bad, 1)):
        result = call("audit", path, "--json")
        assert result.status == status and result.out.count("\n") == 1
        found, printed = analyses.audit(path), json.loads(result.out)
        assert printed["verdict"] == found.verdict and printed["fair"] is (status == 0)
        assert printed["tests"] == found.tests.to_dict("records")
        text = call("audit", path)
        assert text.status == status
        assert text.out.splitlines()[0] == found.verdict
        for row in found.tests.to_dict("records"):
            assert row["test"] in text.out and row["could_have_found"] in text.out
        assert "Holm" in text.err
