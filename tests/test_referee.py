"""Guards `simcore.records.check`: it agrees with the independent rulebook, turn for turn."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from simcore.records import Record, Turn
from tests.recorded import (
    MUTATIONS,
    checked,
    follow,
    good_records,
    locked_out,
    mutated,
    without_seats,
    written_passes,
)
from tests.support import TABLES

TIMES = 6  # each mutation at each table


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_playouts_have_no_fault(rules: str, players: int) -> None:
    """With or without seats, hands, and passes of locked-out seats."""
    records = good_records(rules, players)
    rng = random.Random(f"{rules} {players}")
    variants = list(records)
    for record in records:
        assert follow(record).payoffs == list(record.payoffs or ())
        written = written_passes(record)
        variants += [written, without_seats(record), without_seats(written)]
        hidden = tuple(hand if rng.random() < 0.5 else None for hand in record.hands)
        variants += [replace(record, hands=hidden), replace(written, hands=hidden)]
        variants.append(replace(record, hands=(None,) * players, starter=None))
        variants.append(replace(without_seats(record), hands=(None,) * players))
    found = checked(variants)
    assert found.faults.empty, found.faults["sentence"].tolist()[:3]
    assert found.records == len(variants)
    assert found.turns == sum(len(record.turns) for record in variants)
    assert 2 * len(records) <= found.unknown < len(variants)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_mutations_are_found_where_the_reference_finds_them(rules: str, players: int) -> None:
    rng = random.Random(f"{rules} {players}")
    made = list(mutated(rng, good_records(rules, players), TIMES))
    found = checked([record for _, record in made]).faults.set_index("record")
    names = Counter()
    for number, (mutation, record) in enumerate(made, 1):
        judged = follow(record)
        wanted = MUTATIONS[mutation]
        if number not in found.index:
            assert judged.fault is None and judged.payoffs == list(record.payoffs or ())
            assert wanted is None, (mutation.__name__, record)
            continue
        row = found.loc[number]
        about = (mutation.__name__, row["sentence"], record.as_line())
        if row["fault"] == "payoffs":
            assert judged.fault is None and judged.payoffs != list(record.payoffs or ()), about
        elif row["fault"] == "ended_early":
            assert judged.fault == len(record.turns) == row["turn"], about
        else:
            assert judged.fault == row["turn"] - 1, about
            turn = record.turns[row["turn"] - 1]
            assert (row["seat"], row["cards"]) == (turn.seat, " ".join(turn.cards)), about
        assert wanted is None or row["fault"] in wanted, about
        names[mutation] += 1
    assert all(
        names[mutation] >= TIMES / 2
        for mutation in MUTATIONS
        if mutation.__name__ not in ("wrong_opening", "locked_out", "last_card")
    )


@pytest.mark.parametrize("rules", ["lockout", "pusoy", "maceplay"])
def test_a_fault_found_with_hidden_hands_is_one(rules: str) -> None:
    """Nothing is made up: with all hands known there is a fault too, there or before."""
    rng = random.Random(rules)
    made = [record for _, record in mutated(rng, good_records(rules, 4), TIMES)]
    hidden = []
    for record in made:
        seen = rng.choice((0, 1, 2))
        kept = rng.sample(range(4), seen)
        hands = tuple(hand if seat in kept else None for seat, hand in enumerate(record.hands))
        hidden.append(replace(record, hands=hands))
    full = checked(made).faults.set_index("record")["turn"]
    partly = checked(hidden).faults.set_index("record")["turn"]
    assert set(partly.index) <= set(full.index)
    assert (partly >= full[partly.index]).all()
    assert len(partly) > 0.6 * len(full)


def test_a_low_single_before_a_last_card_shows_later() -> None:
    """With unknown hands, the last-card rule is found broken when the higher card comes down."""
    loose = good_records("lockout:last_card.highest_single=false", 4, 200, "lowest,random")
    full = checked(loose, "lockout").faults
    unknown = checked([replace(r, hands=(None,) * 4) for r in loose], "lockout").faults
    assert set(full["fault"]) == set(unknown["fault"]) == {"last_card"}
    both = full.merge(unknown, on="record")
    assert (both["turn_x"] <= both["turn_y"]).all() and (both["turn_x"] == both["turn_y"]).any()
    assert 0 < len(unknown) <= len(full)


def test_the_deal_is_checked() -> None:
    record = good_records("maceplay", 4)[0]
    hands = [list(hand or ()) for hand in record.hands]
    cases = {}
    cases["cards_dealt"] = replace(record, hands=(tuple(hands[0][1:]), *record.hands[1:]))
    twice = (hands[1][0], *hands[0][1:])
    cases["card_dealt_twice"] = replace(record, hands=(twice, *record.hands[1:]))
    assert record.starter is not None
    cases["wrong_starter"] = replace(record, starter=(record.starter + 1) % 4)
    found = checked(list(cases.values())).faults
    assert found["fault"].tolist() == list(cases)
    assert found["turn"].tolist() == [0, 0, 0]


def test_rules_in_full_and_rules_given() -> None:
    """A house rule travels with its records; other rules may be applied to them."""
    records = good_records("royal:deal=13", 3)
    assert isinstance(records[0].rules, dict)
    assert checked(records).faults.empty
    assert not checked(records, "royal").faults.empty  # which deals 17 and 18 cards to three


def test_what_a_sentence_says() -> None:
    """Line, turn, cards, rule, and what was allowed."""
    hands = (
        "3c 5c 7c 9c Jc Kc 2c 3d 5d 7d 9d Jd Kd",
        "4c 6c 8c Tc Qc Ac 4d 6d 8d Td Qd Ad 2d",
        "3h 5h 7h 9h Jh Kh 2h 3s 5s 7s 9s Js Ks",
        "4h 6h 8h Th Qh Ah 4s 6s 8s Ts Qs As 2s",
    )
    record = Record(
        players=4,
        turns=(Turn(0, ("3c",)), Turn(1, ("Ac",)), Turn(2, ("Kh",))),
        hands=tuple(tuple(hand.split()) for hand in hands),
        rules="lockout",
        names=("Ann", "Bob", None, "Dee"),
        id="g7",
    )
    row = checked([record]).faults.iloc[0]
    assert row["sentence"] == (
        "line 1 (g7), turn 3: seat 2 plays Kh, which does not beat Ac: both are a single, and the "
        "play is weaker by rank, then the highest card's suit; allowed: 2h or pass."
    )
    assert row["rule"] == "beats" and row["turn"] == 3 and row["line"] == 1


def test_a_dragon_is_the_whole_hand() -> None:
    """Thirteen ranks out of more cards are none, as in the reference."""
    rules = "douque:players=[2,3]"
    record = good_records(rules, 3, 12, "lowest")[0]
    deck = [rank + suit for suit in "cdhs" for rank in "3456789TJQKA2"]
    hands = (tuple(deck[:18]), tuple(deck[18:35]), tuple(deck[35:]))
    dragon = replace(record, hands=hands, starter=0, turns=(Turn(0, tuple(deck[:13])),))
    assert follow(dragon).fault == 0
    row = checked([dragon]).faults.iloc[0]
    assert (row["fault"], row["turn"]) == ("not_fresh", 1)


def test_locks_are_there_to_be_broken() -> None:
    """The mutation that breaks them has places in the rule sets that lock."""
    for rules in ("lockout", "pusoy@1", "capsa"):
        records = good_records(rules, 4)
        rng = random.Random(rules)
        assert sum(locked_out(rng, record, follow(record)) is not None for record in records) > 5
