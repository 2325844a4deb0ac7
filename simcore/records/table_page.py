"""A record as one self-contained page: the hand on a table, turn by turn."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from simcore.errors import InputError
from simcore.game import kinds as K
from simcore.game.cards import card_names
from simcore.game.combinations import classify
from simcore.game.ruleset import RuleSet, load_rules
from simcore.records import faults as F
from simcore.records.masks import masks_of
from simcore.records.record import Hand, Record
from simcore.records.referee import Judged
from simcore.records.sentences import Finding, Situation, fault_frame
from simcore.settlement import Item, explain


def page(record: Record, rules: str | RuleSet | None = None) -> str:
    """The HTML of a page that shows the record; it fetches nothing.

    rules: default: what the record says. A faulty record is shown up to its fault. Raises
    InputError if the rules do not fit the record.
    """
    template = (resources.files("simcore.records") / "table.html").read_text("utf-8")
    data = json.dumps(told(record, rules), ensure_ascii=False).replace("<", "\\u003c")
    return template.replace("RECORD", data, 1)


def write_page(record: Record, file: str | Path, rules: str | RuleSet | None = None) -> None:
    """Write the page of a record. Raises InputError if the file cannot be written."""
    text = page(record, rules)
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"page {str(file)!r} cannot be written: {error.strerror or error}; choose another file"
        ) from None


def settlement(record: Record, rules: str | RuleSet | None = None) -> list[Item]:
    """Why the payoffs are what they are by the rules, see `simcore.settlement.explain`.

    Empty where the record does not come to its end by the rules, or not all cards left are known.
    """
    judged = Judged([record], record.rule_set() if rules is None else load_rules(rules))
    if judged.faults[0] not in (F.NONE, F.PAYOFFS):
        return []
    return _items(record, _at(record, judged, int(judged.turns[0])))


def told(record: Record, rules: str | RuleSet | None = None) -> dict[str, Any]:
    """What the page shows: hands, turns with seat, kind and trick, payoffs item by item."""
    judged_by = record.rule_set() if rules is None else load_rules(rules)
    judged = Judged([record], judged_by)
    fault, end = int(judged.faults[0]), int(judged.turns[0])
    steps = [_at(record, judged, i) for i in range(end + 1)]
    seats = range(record.players)
    over = fault in (F.NONE, F.PAYOFFS)
    known = record.names or (None,) * record.players
    names = [known[seat] or f"seat {seat}" for seat in seats]
    return {
        "title": f"{judged_by.name}, {record.players} players",
        "about": " · ".join(str(x) for x in (record.id, record.time) if x is not None),
        "names": names,
        "hands": [_hand(record, steps[0], seat) for seat in seats],
        "starter": int(steps[0].state.starter),
        "dealt": [int(steps[0].hands[seat]).bit_count() for seat in seats],
        "turns": [_turn(record, steps[i], i) for i in range(end)],
        "winner": int(steps[-1].state.seat) if over else None,
        "payoffs": record.payoffs or _payoffs(judged, over),
        "items": [_item(item, names) for item in _items(record, steps[-1])] if over else [],
        "fault": "".join(fault_frame((0, found) for _, found in judged.findings())["sentence"]),
    }


def _at(record: Record, judged: Judged, turn: int) -> Situation:
    """The table before a turn, or at the end."""
    written = bool(judged.written[0])
    return Situation(Finding(record, judged.rules, F.ENDED_EARLY, turn, written, ()))


def _hand(record: Record, start: Situation, seat: int) -> list[str] | None:
    """A hand in the order in which it lay, or as the others leave it; None: unknown."""
    hand = record.hands[seat]
    if hand is not None:
        return list(hand)
    if start.table.known >> seat & 1:
        return card_names(start.hands[seat], start.rules.suits)
    return None


def _turn(record: Record, before: Situation, number: int) -> dict[str, Any]:
    cards = record.turns[number].cards
    kind, _ = classify(before.rule_table, masks_of(before.rules.suits)[cards])
    values = record.values[number] if record.values else None
    return {
        "seat": before.seat,
        "cards": cards,
        "kind": K.KINDS[kind].replace("_", " "),
        "trick": int(before.state.trick),
        "values": values and _values(values, cards),
    }


def _values(values: Mapping[str, Any], played: Hand) -> list[dict[str, Any]]:
    """Plays with what they were worth, best first."""
    found = []
    for text, worth in values.items():
        cards = [] if text == "pass" else text.split()
        value, low, high = worth if isinstance(worth, list) else (worth, None, None)
        chosen = set(cards) == set(played)
        found.append({"cards": cards, "value": value, "low": low, "high": high, "chosen": chosen})
    return sorted(found, key=lambda row: -row["value"])


def _item(item: Item, names: list[str]) -> dict[str, Any]:
    word = "for" if item.item == "pays_for" else "from"
    why = item.why if item.other is None else f"{word} {names[item.other]}"
    return {**asdict(item), "why": why}


def _payoffs(judged: Judged, over: bool) -> list[float] | None:
    """What the rules say, where the record says nothing and the cards are known."""
    if not over or judged.uncertain[0]:
        return None
    stake = judged.group[0].stake
    return [float(x) * stake for x in judged.payoffs[0, : judged.players]]


def _items(record: Record, end: Situation) -> list[Item]:
    """The settlement, where every card left is known and the stake is whole."""
    state, winner = end.state, int(end.state.seat)
    everybody = (1 << record.players) - 1
    if int(end.table.known) | 1 << winner != everybody or record.stake != int(record.stake):
        return []
    suits = end.rules.suits
    left = [card_names(end.hands[seat], suits) for seat in range(record.players)]
    slam = winner == state.starter and state.played == 1 << winner
    last = card_names(state.standing, suits)
    idle = [seat for seat in range(record.players) if not state.played >> seat & 1]
    payer = None if state.payer < 0 else int(state.payer)
    return explain(end.rules, winner, left, last, bool(slam), int(record.stake), idle, payer)
