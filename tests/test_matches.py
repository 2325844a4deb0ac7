"""Guards many tables on the same deals: which they are, what they keep, and how they go on."""

import threading
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simcore import simulate
from simcore.errors import InputError, RunError
from simcore.game.ruleset import load_rules
from simcore.samples.dealt import control_variates, deal_range
from simcore.samples.matches import (
    Table,
    extend_scores,
    plan_tables,
    play_deals_of,
    play_tables,
    run_folder,
    table_kinds,
)
from simcore.samples.scores import MEASURES, Scores
from tests import reference
from tests.dealt import Deals

FOUR = ["random", "lowest", "dump", "keep"]


def lineups(tables: list[Table], kind: str) -> list[str]:
    """Initials of the lineups of a kind."""
    return ["".join(name[0] for name in t.names) for t in tables if t.kind == kind]


def test_all_tables_of_four() -> None:
    tables = plan_tables("douque", FOUR)
    assert lineups(tables, "mixed") == ["rldk"]
    alone = lineups(tables, "1v3")
    assert len(alone) == len(set(alone)) == 12 and "rlll" in alone and "lrrr" in alone
    assert sorted(lineups(tables, "2v2")) == ["dkdk", "ldld", "lklk", "rdrd", "rkrk", "rlrl"]
    assert len(tables) == 19 and {t.setup.seatings for t in tables} == {"balanced"}


def test_more_entrants_than_seats_meet_in_every_choice() -> None:
    tables = plan_tables("douque", [*FOUR, "highest", "timeout"], "mixed")
    assert len({tuple(sorted(t.names)) for t in tables}) == 15
    assert all(len(set(t.names)) == 4 for t in tables)


def test_fewer_entrants_than_seats_have_no_mixed_table() -> None:
    assert {t.kind for t in plan_tables("douque", "dump,keep")} == {"1v3", "2v2"}


def test_tables_of_three_and_two_players() -> None:
    three = plan_tables("lockout", "dump,keep,lowest", players=3)
    assert lineups(three, "mixed") == ["dkl"]
    assert sorted(lineups(three, "1v2")) == ["dkk", "dll", "kdd", "kll", "ldd", "lkk"]
    again = plan_tables("lockout", "dump,keep,lowest", "2v1", players=3)
    assert lineups(again, "1v2") == lineups(three, "1v2")
    assert table_kinds(2) == ["mixed", "1v1"]
    two = plan_tables("hongkong", "dump,keep", "1v1", players=2)
    assert lineups(two, "1v1") == ["dk"]


def test_a_field() -> None:
    tables = plan_tables("douque", "dump,keep:danger=3,lowest", field="lowest")
    assert [t.names for t in tables] == [
        ("dump", "lowest", "lowest", "lowest"),
        ("keep:danger=3", "lowest", "lowest", "lowest"),
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"entrants": "dump"}, "nobody to meet"),
        ({"entrants": "dump,dump"}, "'dump' is given 2 times"),
        ({"entrants": "dump,keep", "tables": "mixed"}, "do not fill a mixed table of 4"),
        ({"entrants": "dump,keep", "tables": "1v4"}, "unknown tables '1v4' for 4 players"),
        ({"entrants": "dump,keep", "tables": ""}, "unknown tables ''"),
        ({"entrants": "dump,nope"}, "unknown strategy 'nope'"),
        ({"entrants": "dump,keep", "players": 3}, "is played by 4"),
        ({"entrants": "dump", "field": "dump"}, "'dump' is the field itself"),
        ({"entrants": "dump", "field": "keep", "tables": "2v2"}, "exclude each other"),
        ({"entrants": "dump,keep", "seatings": "x"}, "unknown seating plan 'x'"),
    ],
)
def test_plans_that_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        plan_tables("douque", **given)
    assert words in str(error.value)


# ------------------------------------------------------------------ playing


def plain(scores: Scores) -> list[Any]:
    """Everything that scores hold, to compare."""
    return [
        scores.kind, scores.lineup, scores.first, scores.seatings.tolist(), scores.sums.tolist(),
        scores.products.round(6).tolist(),
    ]  # fmt: skip


def test_scores_by_plain_loops() -> None:
    tables = plan_tables("royal", "random,dump", seed=5)
    for table, scores in zip(tables, play_tables(tables, 30), strict=True):
        run = simulate("royal", list(table.setup.lineup), 30, seed=5)
        rows = run.playouts().sort_values("deal", kind="stable")
        orders = list(permutations(range(4)))
        sums = np.zeros((2, 30, 2))
        products = np.zeros((2, 2, 2))
        groups = scores.groups
        for row in rows.to_dict("records"):
            one = np.zeros((2, 2))
            for seat, slot in enumerate(orders[row["seating"]]):
                g = groups.index(table.names[slot])
                one[0, g] += row[f"payoff_{seat}"]
                one[1, g] += row["winner"] == seat
            sums[:, row["deal"]] += one
            means = one / [table.names.count(name) for name in groups]
            products += means[:, :, None] * means[:, None, :]
        assert (scores.sums == sums).all()
        assert scores.products == pytest.approx(products)
        seats = np.array([table.names.count(name) for name in groups])
        for m, measure in enumerate(MEASURES):
            assert scores.values(measure) == pytest.approx(sums[m] / (4 * seats))
        assert (scores.values("payoff") @ seats).tolist() == pytest.approx([0] * 30)
        assert (scores.values("win_rate") @ seats).tolist() == pytest.approx([1] * 30)


@pytest.mark.usefixtures("small_parts")
def test_with_a_folder_or_without_and_in_stages_it_is_the_same(tmp_path: Path) -> None:
    tables = plan_tables("lockout", "random,dump", "1v3", seed=2)
    whole = play_tables(tables, 1000, first_deal=50)
    first = play_tables(tables, 300, 50, 1, tmp_path)
    again = play_tables(tables, 1000, 50, 2, tmp_path)
    rest = play_tables(tables, 700, 350, out=tmp_path)
    joined = extend_scores(first, rest)
    for one, *others in zip(whole, again, joined, strict=True):
        assert all(plain(one) == plain(other) for other in others)
    assert len(list((tmp_path / "dump,random,random,random/playouts").iterdir())) > 3


def test_deals_that_are_on_disk_are_not_played_again(tmp_path: Path) -> None:
    tables = plan_tables("lockout", "dump,keep", "2v2")
    seen: list[int] = []
    play_tables(tables, 200, out=tmp_path)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("part-*")}
    shorter = play_tables(tables, 90, 37, out=tmp_path, progress=seen.append)
    assert plain(shorter[0]) == plain(play_tables(tables, 90, 37)[0]) and sum(seen) == 360
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("part-*")} == before


def test_progress_counts_every_playout() -> None:
    seen: list[int] = []
    tables = plan_tables("lockout", "dump,keep")
    play_tables(tables, 500, progress=seen.append)
    assert sum(seen) == 3 * 4 * 500 and min(seen) >= 0


def test_a_damaged_part_is_noted_and_played_again(tmp_path: Path) -> None:
    tables = plan_tables("lockout", "dump,keep", "2v2")
    whole = play_tables(tables, 100, out=tmp_path)
    part = next(tmp_path.rglob("part-*"))
    part.write_bytes(part.read_bytes()[:-7])
    notes: list[str] = []
    again = play_tables(tables, 100, out=tmp_path, notes=notes)
    assert plain(again[0]) == plain(whole[0])
    assert len(notes) == 1 and "damaged" in notes[0]


def test_another_comparison_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    play_tables(plan_tables("lockout", "dump,keep", "2v2"), 20, out=tmp_path)
    with pytest.raises(RunError, match="seed: 0 → 1"):
        play_tables(plan_tables("lockout", "dump,keep", "2v2", seed=1), 20, out=tmp_path)


def test_stopping_keeps_finished_parts(tmp_path: Path) -> None:
    (table,) = plan_tables("lockout", "dump,keep", "2v2")
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        play_tables([table], 1000, out=tmp_path, stop=stop)
    assert len(play_tables([table], 10, out=tmp_path)[0].sums[0]) == 10


def test_memory_holds_what_was_asked_for_only() -> None:
    (table,) = plan_tables("lockout", "dump,keep", "2v2")
    sizes = play_deals_of(table.setup, 0, 3000, lambda playouts: playouts.num_rows, 2)
    assert sum(sizes) == 12_000 and len(sizes) >= 2


def test_folders_are_named_by_lineup() -> None:
    assert run_folder("x", "keep,dump,dump,dump") == "x/keep,dump,dump,dump"
    names = ["keep:danger=3,dump", "a/b.py:bot,dump", "a/c.py:bot,dump", "b" * 300]
    places = [run_folder("x/", name) for name in names]
    assert len(set(places)) == 4
    assert all("/" not in place[2:] and len(place) < 100 for place in places)


# ------------------------------------------------------------------ the hands dealt


def test_dealt_hands_are_those_that_are_played() -> None:
    (table,) = plan_tables("douque", "dump,keep", "2v2", seed=9)
    hands, starters = deal_range(table.setup, 40, 60)
    expected = Deals("douque", 4, 60, 9, 40)
    assert (hands == expected.hands).all() and (starters == expected.starters).all()


@pytest.mark.parametrize("rules", ["douque", "royal:deal=13", "pagat"])
@pytest.mark.parametrize("plan", ["fixed", "balanced"])
def test_control_variates_have_mean_zero(rules: str, plan: str) -> None:
    players = 4 if rules != "pagat" else 3
    who = ["dump", "keep", "lowest", "random"][:players]
    (table,) = plan_tables(rules, who, "mixed", players=players, seatings=plan)
    (scores,) = play_tables([table], 8000)
    controls = control_variates(table.setup, scores)
    assert controls.shape == (8000, 5 * players + 4 * (players == 4))
    if plan == "balanced":
        assert np.abs(controls[:, : 5 * players]).max() < 1e-12
    spread = controls.std(axis=0)
    error = np.maximum(spread / np.sqrt(8000), 1e-12)
    assert (np.abs(controls.mean(axis=0)) < 4 * error).all()
    assert (spread[5 * players :] > 0.01).all()


def test_control_variates_by_plain_counting() -> None:
    (table,) = plan_tables("douque", FOUR, "mixed", seatings="fixed")
    (scores,) = play_tables([table], 20)
    controls = control_variates(table.setup, scores)
    hands, starters = deal_range(table.setup, 0, 20)
    assert load_rules("douque").suits == "cdhs"
    for deal in range(20):
        cards = [[c for c in range(52) if int(hands[deal, s]) >> c & 1] for s in range(4)]
        twos = [sum(c // 4 == 12 for c in hand) for hand in cards]
        ranks = [[sum(c // 4 == r for c in hand) for r in range(13)] for hand in cards]
        pairs = [sum(k * (k - 1) / 2 for k in by_rank) for by_rank in ranks]
        row = controls[deal]
        for slot in range(4):  # in the fixed plan slot = seat
            assert row[5 * slot] == pytest.approx(twos[slot] - 1)
            assert row[5 * slot + 2] == pytest.approx(pairs[slot] - sum(pairs) / 4)
            assert row[5 * slot + 4] == (starters[deal] == slot) - 0.25
        assert row[20] == pytest.approx(sum((t - 1) ** 2 for t in twos) / 4 - 36 / 51)
        assert row[22] == pytest.approx(sum(pairs) / 4 - 78 / 17)
    assert reference.RANKS[12] == "2"
