"""The format of a rule file: its keys, the form of each value, and what contradicts what."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from simcore.errors import InputError, nearest
from simcore.game import kinds as K
from simcore.game.cards import RANKS, SUITS

PAYOFF_ITEMS = (
    "two_left",  # loser: for each 2 left
    "monster_left",  # loser: once, when the cards left hold a Monster
    "finish_two",  # winner: for each 2 in the last play
    "finish_monster",  # winner: the last play is a Monster or a Dragon
    "finish_flush_dragon",  # winner: the last play is a Flush Dragon, instead of finish_monster
    "finish_opening_card",  # winner: the last play contains the opening card
    "grand_slam",  # winner: was the starter, and nobody else played a card
)
LEFTOVERS = ("opening_card_first", "to_opening_card_holder")
PLAYABLE = K.KINDS[1:]


_STRAIGHT_EXAMPLE = '"A2345:2"'
# key -> (what it must be, in words, with the remedy)
FORMAT: dict[str, str] = {
    "name": "text",
    "title": "text",
    "players": "integers",
    "suits": "text",
    "deal": "deal",
    "leftover": "text",
    "opening.card": "text",
    "opening.must_include": "flag",
    "kinds.allowed": "texts",
    "kinds.ladder": "texts",
    "kinds.bombs": "texts",
    "kinds.bombs_beat": "integers",
    "kinds.unbeatable": "texts",
    "kinds.unbeatable_singles": "texts",
    "straights.order": "texts",
    "flush.first": "text",
    "flush.two": "text",
    "passing.locks_on": "integers",
    "last_card.highest_single": "flag",
    "payoff.settlement": "text",
    "payoff.tiers": "tiers",
    "payoff.monsters": "texts",
    **{f"payoff.{item}": "item" for item in PAYOFF_ITEMS},
}
TABLES = {key.split(".")[0] for key in FORMAT if "." in key}


def _integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def fits(form: str, value: Any) -> bool:
    """Whether a TOML value has the form that a key asks for."""
    match form:
        case "text":
            return isinstance(value, str)
        case "flag":
            return isinstance(value, bool)
        case "deal":
            return value == "all" or _integer(value)
        case "texts":
            return isinstance(value, list) and all(isinstance(v, str) for v in value)
        case "integers":
            return isinstance(value, list) and all(_integer(v) for v in value)
        case "tiers":
            return isinstance(value, list) and all(
                isinstance(t, list) and len(t) == 2 and all(_integer(v) for v in t) for t in value
            )
        case "item":
            return (
                isinstance(value, dict)
                and set(value) <= {"times", "points"}
                and all(_integer(v) for v in value.values())
            )
    raise AssertionError(form)


FORMS = {
    "text": 'a text, "…"',
    "flag": "true or false",
    "deal": '"all" or a number of cards per player',
    "texts": 'a list of texts, ["…", …]',
    "integers": "a list of whole numbers, [1, …]",
    "tiers": "a list of [from cards left, multiplier], as in [[1, 1], [10, 2]]",
    "item": "{ times = 2, points = 0 }, either of them optional",
}


class _Checker:
    """Collects a rule file's keys and turns the first contradiction into one sentence."""

    def __init__(self, where: str, values: Mapping[str, Any]) -> None:
        self.where = where
        self.values = values

    def fail(self, key: str, problem: str) -> InputError:
        return InputError(f"{self.where}: key '{key}': {problem}")

    def texts(self, key: str, known: tuple[str, ...]) -> tuple[str, ...]:
        """A list of distinct known words."""
        found: list[str] = []
        for value in self.values[key]:
            if value not in known:
                raise self.fail(key, f"unknown {value!r}; {nearest(value, known)}")
            if value in found:
                raise self.fail(key, f"{value!r} is listed twice; list it once")
            found.append(value)
        return tuple(found)

    def choice(self, key: str, known: tuple[str, ...]) -> str:
        value: str = self.values[key]
        if value not in known:
            raise self.fail(key, f"{value!r} is none of {', '.join(known)}")
        return value

    def card(self, key: str, value: str) -> str:
        if len(value) != 2 or value[0] not in RANKS or value[1] not in SUITS:
            raise self.fail(key, f"{value!r} is no card; write a rank and a suit, as in '3c'")
        return value

    def subset(self, key: str, values: tuple[str, ...], of_key: str, of: tuple[str, ...]) -> None:
        for value in values:
            if value not in of:
                raise self.fail(
                    key, f"{value!r} is not in {of_key}; add it there, or take it out here"
                )

    def sizes(self, key: str, low: int, high: int, empty: bool = True) -> tuple[int, ...]:
        values: list[int] = self.values[key]
        for value in values:
            if not low <= value <= high:
                raise self.fail(key, f"{value} is outside {low} to {high}")
        if len(set(values)) < len(values):
            raise self.fail(key, f"{values} lists a number twice; list it once")
        if not values and not empty:
            raise self.fail(key, f"is empty; give at least one number from {low} to {high}")
        return tuple(sorted(values))

    def straights(self, allowed: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        key = "straights.order"
        found: list[tuple[str, str]] = []
        for value in self.values[key]:
            ranks, _, tie = value.partition(":")
            if len(set(ranks)) != 5 or len(ranks) != 5 or not set(ranks) <= set(RANKS):
                raise self.fail(
                    key,
                    f"{value!r} is not five different ranks and a tie-break rank, as in "
                    f"{_STRAIGHT_EXAMPLE}",
                )
            if len(tie) != 1 or tie not in ranks:
                raise self.fail(
                    key,
                    f"{value!r} needs the rank of its tie-break card, one of its own, as "
                    f"in {_STRAIGHT_EXAMPLE}",
                )
            if any(set(ranks) == set(other) for other, _ in found):
                raise self.fail(key, f"the straight {ranks} is listed twice; list it once")
            found.append((ranks, tie))
        wanted = [k for k in ("straight", "straight_flush", "royal_flush") if k in allowed]
        if wanted and not found:
            raise self.fail(key, f"is empty, but {wanted[0]} is allowed; list the straights")
        if "royal_flush" in allowed and not any(set(r) == set("TJQKA") for r, _ in found):
            raise self.fail(key, "royal_flush is allowed, so 'TJQKA:A' must be listed")
        if len(found) > 15:
            raise self.fail(key, f"lists {len(found)} straights; at most 15 are possible")
        return tuple(found)

    def tiers(self) -> tuple[tuple[int, int], ...]:
        key = "payoff.tiers"
        tiers = tuple((int(a), int(b)) for a, b in self.values[key])
        if not tiers or tiers[0][0] != 1:
            raise self.fail(key, "must begin with 1 card left, as in [[1, 1], [10, 2]]")
        for (low, _), (high, _) in pairwise(tiers):
            if high <= low:
                raise self.fail(key, f"tier {high} follows {low}; order them by cards left, rising")
        for start, multiplier in tiers:
            if start > 52 or not 0 <= multiplier <= 1000:
                raise self.fail(
                    key, f"[{start}, {multiplier}] is out of bounds: 1 to 52 cards, × 0 to 1000"
                )
        return tiers

    def items(self) -> tuple[tuple[str, int, int], ...]:
        found = []
        for item in PAYOFF_ITEMS:
            value = self.values[f"payoff.{item}"]
            times, points = value.get("times", 1), value.get("points", 0)
            if not 0 <= times <= 1000 or not -10000 <= points <= 10000:
                raise self.fail(
                    f"payoff.{item}",
                    f"times {times}, points {points}: times is 0 to 1000, points -10000 to 10000",
                )
            found.append((item, times, points))
        return tuple(found)


def _kind_order(allowed: tuple[str, ...], ladder: tuple[str, ...]) -> tuple[str, ...]:
    """Weakest first: by number of cards, then by the ladder, then by the usual order."""

    def position(kind: str) -> tuple[int, int, int]:
        number = K.KINDS.index(kind)
        return K.SIZES[number], ladder.index(kind) if kind in ladder else 0, number

    return tuple(sorted(allowed, key=position))


def checked_fields(where: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a RuleSet out of a rule file's keys, after every check.

    First each key's own value, then the contradictions between keys. Raises InputError.
    """
    check = _Checker(where, values)
    suits = values["suits"]
    if sorted(suits) != sorted(SUITS):
        raise check.fail("suits", f"{suits!r} must name c, d, h and s once each, low to high")
    players = check.sizes("players", 2, 4, empty=False)
    deal = 0 if values["deal"] == "all" else int(values["deal"])
    if values["deal"] != "all" and not 1 <= deal <= 52 // max(players):
        raise check.fail(
            "deal", f'{deal} cards for {max(players)} players: 1 to {52 // max(players)}, or "all"'
        )
    allowed = check.texts("kinds.allowed", PLAYABLE)
    if "single" not in allowed:
        raise check.fail("kinds.allowed", "'single' is missing; without it a hand may have no lead")
    if "royal_flush" in allowed and "straight_flush" not in allowed:
        raise check.fail("kinds.allowed", "royal_flush needs straight_flush; add it")
    if "flush_dragon" in allowed and "dragon" not in allowed:
        raise check.fail("kinds.allowed", "flush_dragon needs dragon; add it")
    five = tuple(K.KINDS[k] for k in K.FIVE_CARD)
    ladder = check.texts("kinds.ladder", five)
    check.subset("kinds.ladder", ladder, "kinds.allowed", allowed)
    missing = [k for k in five if k in allowed and k not in ladder]
    if ladder and missing:
        raise check.fail(
            "kinds.ladder",
            f"{missing[0]!r} is allowed but not in it; place it, or leave the ladder empty",
        )
    bombs = check.texts(
        "kinds.bombs", tuple(k for k in PLAYABLE if k not in ("dragon", "flush_dragon"))
    )
    check.subset("kinds.bombs", bombs, "kinds.allowed", allowed)
    in_ladder = [k for k in ladder if k in bombs]
    if [k for k in bombs if k in ladder] != in_ladder:
        raise check.fail(
            "kinds.bombs",
            f"order {', '.join(bombs)} contradicts kinds.ladder; use the ladder's order",
        )
    bombs_beat = check.sizes("kinds.bombs_beat", 1, 5)
    if bombs and not bombs_beat:
        raise check.fail(
            "kinds.bombs_beat", "is empty, but kinds.bombs is not; give the sizes that bombs beat"
        )
    if bombs_beat and not bombs:
        raise check.fail(
            "kinds.bombs_beat", "gives sizes, but kinds.bombs is empty; name the bombs or empty it"
        )
    unbeatable = check.texts("kinds.unbeatable", PLAYABLE)
    check.subset("kinds.unbeatable", unbeatable, "kinds.allowed", allowed)
    monsters = check.texts(
        "payoff.monsters", ("bare_four", "four_of_a_kind", "straight_flush", "royal_flush")
    )
    check.subset("payoff.monsters", monsters, "kinds.allowed", allowed)
    items = check.items()
    for item, needed in (
        ("monster_left", bool(monsters)),
        ("finish_flush_dragon", "flush_dragon" in allowed),
    ):
        used = next((t, p) for i, t, p in items if i == item) != (1, 0)
        if used and not needed:
            raise check.fail(
                f"payoff.{item}", "is set, but no such kind is in payoff.monsters or kinds.allowed"
            )
    return {
        "name": values["name"],
        "title": values["title"],
        "players": players,
        "suits": suits,
        "deal": deal,
        "leftover": check.choice("leftover", LEFTOVERS),
        "opening_card": check.card("opening.card", values["opening.card"]),
        "opening_must_include": values["opening.must_include"],
        "kinds": _kind_order(allowed, ladder),
        "ladder": ladder,
        "bombs": bombs,
        "bombs_beat": bombs_beat,
        "unbeatable_kinds": unbeatable,
        "unbeatable_singles": tuple(
            check.card("kinds.unbeatable_singles", c) for c in values["kinds.unbeatable_singles"]
        ),
        "straights": check.straights(allowed),
        "flush_first": check.choice("flush.first", ("ranks", "suit")),
        "flush_two": check.choice("flush.two", ("high", "low")),
        "pass_locks": check.sizes("passing.locks_on", 1, 5),
        "last_card_rule": values["last_card.highest_single"],
        "settlement": check.choice("payoff.settlement", ("winner_takes", "pairwise")),
        "tiers": check.tiers(),
        "monsters": monsters,
        "items": items,
    }
