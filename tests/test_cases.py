"""Guards the recorded cases in data/cases.jsonl, line by line, through the public API.

Each line is a question about one rule set with its answer: what cards form, what beats what, every
legal play of a hand (as a list, or its hash where the list is long), who pays what. The reference
answers the same questions.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import simcore
from tests import reference
from tests.support import EXACT

CASES = Path(__file__).parent / "data" / "cases.jsonl"
KINDS_OF_CASE = ("classify", "beats", "legal", "payoff")
LINES = 1_446

Case = dict[str, Any]


@lru_cache(maxsize=1)
def every_case() -> list[Case]:
    return [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]


def digest(plays: Iterable[tuple[Iterable[str], str]]) -> dict[str, Any]:
    """Plays in the form of the file: a sorted list, its length and its hash."""
    listed = sorted([sorted(cards), kind] for cards, kind in plays)
    sha = hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:16]
    return {"count": len(listed), "sha": sha, "plays": listed}


def by_engine(case: Case) -> Any:
    rules = case["rules"]
    match case["case"]:
        case "classify":
            found = simcore.classify(rules, case["cards"])
            return found and found.kind
        case "beats":
            return simcore.beats(rules, case["play"], case["table"])
        case "payoff":
            return simcore.payoffs(
                *(rules, case["winner"], case["left"], case["last"]),
                *(case["grand_slam"], case["stake"]),
            )
    plays = simcore.legal_plays(
        rules, case["hand"], case["table"], case["opening"], case["next_left"]
    )
    return digest((play.cards, play.kind) for play in plays)


def by_reference(case: Case) -> Any:
    rules = reference.RULES[case["rules"]]
    match case["case"]:
        case "classify":
            found = reference.classify(rules, case["cards"])
            return found and found[0]
        case "beats":
            return reference.beats(rules, case["play"], case["table"])
        case "payoff":
            return reference.payoffs(
                *(rules, case["winner"], case["left"], case["last"]),
                *(case["grand_slam"], case["stake"]),
            )
    hand = case["hand"]
    opening = rules.opening_card if case["opening"] and rules.opening_must_include else None
    fresh = len(hand) == 13
    return digest(
        reference.legal_plays(rules, hand, case["table"], opening, case["next_left"], fresh)
    )


def answer(case: Case) -> Any:
    match case["case"]:
        case "classify":
            return case["kind"]
        case "beats":
            return case["beats"]
        case "payoff":
            return case["payoffs"]
    assert case["may_pass"] == (case["table"] is not None)
    return {key: case[key] for key in ("count", "sha", "plays")}


def is_empty(case: Case) -> bool:
    """The question what no cards at all form."""
    return case.get("cards") == []


def check(name: str, kind: str, ask: Callable[[Case], Any]) -> None:
    cases = [case for case in every_case() if (case["rules"], case["case"]) == (name, kind)]
    assert len(cases) >= 40
    for case in cases:
        if ask is by_engine and is_empty(case):
            continue  # asked below
        found, wanted = ask(case), answer(case)
        if kind == "legal" and wanted["plays"] is None:
            found = {**found, "plays": None}
        assert found == wanted, case


@pytest.mark.parametrize("kind", KINDS_OF_CASE)
@pytest.mark.parametrize("name", EXACT)
def test_the_engine_answers_every_case(name: str, kind: str) -> None:
    check(name, kind, by_engine)


def test_the_engine_answers_that_no_cards_are_no_combination() -> None:
    cases = [case for case in every_case() if is_empty(case)]
    assert cases
    for case in cases:
        assert by_engine(case) == answer(case)


@pytest.mark.parametrize("kind", KINDS_OF_CASE)
@pytest.mark.parametrize("name", EXACT)
def test_the_reference_answers_every_case(name: str, kind: str) -> None:
    check(name, kind, by_reference)


def test_every_line_is_asked() -> None:
    cases = every_case()
    assert len(cases) == LINES
    assert {case["rules"] for case in cases} == set(EXACT)
    assert {case["case"] for case in cases} == set(KINDS_OF_CASE)
