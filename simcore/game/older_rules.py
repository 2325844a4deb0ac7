"""The names that rules had in version 0.1.0: they stand in its runs, and in its users' code."""

from collections.abc import Mapping
from typing import Any

from simcore.errors import InputError

# Fields of RuleSet; beside them, `items` listed (name, times, points) for each item of the payoff.
OLD_NAMES = {
    "kinds": "kinds_allowed",
    "ladder": "kinds_ladder",
    "bombs": "kinds_bombs",
    "bombs_beat": "kinds_bombs_beat",
    "unbeatable_kinds": "kinds_unbeatable",
    "unbeatable_singles": "kinds_unbeatable_singles",
    "straights": "straights_order",
    "pass_locks": "passing_locks_on",
    "last_card_rule": "last_card_highest_single",
    "settlement": "payoff_settlement",
    "tiers": "payoff_tiers",
    "monsters": "payoff_monsters",
}


def translated(data: Mapping[str, Any]) -> dict[str, Any]:
    """A rule set as plain data in today's form, whichever version wrote it. Raises InputError."""
    if data.keys().isdisjoint(OLD_NAMES):
        return dict(data)
    found = {OLD_NAMES.get(name, name): value for name, value in data.items()}
    if found.get("deal") == 0:
        found["deal"] = "all"
    try:
        found["straights_order"] = [f"{ranks}:{tie}" for ranks, tie in found["straights_order"]]
        for name, times, points in found.pop("items"):
            found[f"payoff_{name}"] = {"times": times, "points": points}
    except (KeyError, TypeError, ValueError):
        raise InputError("straights or items are not as version 0.1.0 wrote them") from None
    return found
