"""Rule sets: a frozen `RuleSet` read from a TOML file, fully checked.

A rule set is named ("douque"), or given by path ("my_house.toml"), and single keys may be changed
behind it: "royal:deal=13", "lockout:passing.locks_on=[]". A file that says `extends = "douque"`
takes over every key that it does not give itself.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from simcore.errors import InputError, nearest
from simcore.game.rule_format import FORMAT, FORMS, TABLES, checked_fields, fits
from simcore.html import table


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One rule set; kinds are names, cards are notation, everything is immutable."""

    name: str
    title: str
    players: tuple[int, ...]  # table sizes it can be played with
    suits: str  # low to high
    deal: int  # cards per player; 0: all cards
    leftover: str  # where cards go that do not divide; one of LEFTOVERS
    opening_card: str
    opening_must_include: bool
    kinds: tuple[str, ...]  # weakest first: by size, then ladder
    ladder: tuple[str, ...]  # five-card kinds, a later one beats an earlier one
    bombs: tuple[str, ...]  # a later one beats an earlier one
    bombs_beat: tuple[int, ...]  # sizes of regular plays that a bomb beats
    unbeatable_kinds: tuple[str, ...]
    unbeatable_singles: tuple[str, ...]
    straights: tuple[tuple[str, str], ...]  # (ranks, rank of the tie-break card), low to high
    flush_first: str  # "ranks" or "suit"
    flush_two: str  # "high" or "low"
    pass_locks: tuple[int, ...]  # sizes of the standing play on which a pass locks out
    last_card_rule: bool
    settlement: str  # "winner_takes" or "pairwise"
    tiers: tuple[tuple[int, int], ...]  # (from so many cards left, multiplier)
    monsters: tuple[str, ...]  # kinds that count as a Monster in the payoff
    items: tuple[tuple[str, int, int], ...]  # (one of PAYOFF_ITEMS, times, points)

    def as_dict(self) -> dict[str, Any]:
        """Every rule as plain data, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RuleSet":
        """Undo `as_dict`, also after a round trip through JSON."""

        def frozen(value: Any) -> Any:
            return tuple(frozen(v) for v in value) if isinstance(value, list | tuple) else value

        return cls(**{key: frozen(value) for key, value in data.items()})

    def _repr_html_(self) -> str:
        return table(
            (key.replace("_", " "), _shown(value)) for key, value in self.as_dict().items()
        )


def _shown(value: Any) -> str:
    """A rule's value in words: tuples without brackets, pairs as a = b."""
    if isinstance(value, tuple | list):
        return (
            ", ".join(
                " = ".join(map(str, v)) if isinstance(v, tuple | list) else str(v) for v in value
            )
            or "–"
        )
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


# --------------------------------------------------------------------------- files and names


def _flatten(where: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """{"opening": {"card": …}} -> {"opening.card": …}; unknown keys and wrong forms end here."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if key in TABLES and isinstance(value, dict):
            flat.update({f"{key}.{inner}": v for inner, v in value.items()})
        else:
            flat[key] = value
    for key, value in flat.items():
        if key == "extends":
            continue
        if key not in FORMAT:
            raise InputError(f"{where}: unknown key '{key}'; {nearest(key, FORMAT)}")
        if not fits(FORMAT[key], value):
            raise InputError(f"{where}: key '{key}': {value!r} must be {FORMS[FORMAT[key]]}")
    return flat


def rule_set_names() -> list[str]:
    """Names of the rule sets that ship with the engine, the four exact ones first."""
    shipped = {
        f.name.removesuffix(".toml") for f in _shipped().iterdir() if f.name.endswith(".toml")
    }
    first = ["douque", "maceplay", "lockout", "royal"]
    return first + sorted(shipped - set(first))


def _shipped() -> Any:
    return resources.files("simcore.game") / "rulesets"


def rule_file(name_or_path: str) -> tuple[str, str]:
    """(where, text) of a shipped rule set or of a file. Raises InputError."""
    if name_or_path in rule_set_names():
        return f"{name_or_path}.toml", (_shipped() / f"{name_or_path}.toml").read_text("utf-8")
    path = Path(name_or_path)
    if path.suffix != ".toml" and not _is_file(name_or_path):
        raise InputError(
            f"unknown rule set {name_or_path!r}; "
            f"{nearest(name_or_path, rule_set_names())} (or the path of a .toml file)"
        )
    try:
        return str(path), path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(
            f"rule file {name_or_path!r} cannot be read: {reason}; check the path"
        ) from None


def _read(name_or_path: str, chain: tuple[str, ...] = ()) -> dict[str, Any]:
    """The keys of a rule file, over those of the file that it extends."""
    where, text = rule_file(name_or_path)
    if where in chain:
        raise InputError(
            f"{where}: key 'extends': the files extend each other ({' → '.join((*chain, where))})"
        )
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where}: not valid TOML: {error}; correct that line") from None
    own = _flatten(where, data)
    base = own.pop("extends", None)
    if base is None:
        return own
    if not isinstance(base, str):
        raise InputError(f"{where}: key 'extends': {base!r} must be the name or path of a rule set")
    beside = Path(name_or_path).parent / base
    if base not in rule_set_names() and _is_file(str(beside)):
        base = str(beside)
    return {**_read(base, (*chain, where)), **own}


def _overrides(where: str, parts: list[str]) -> dict[str, Any]:
    """Keys given behind the name: "deal=13" -> {"deal": 13}."""
    data: dict[str, Any] = {}
    for part in parts:
        key, equals, text = part.partition("=")
        if not equals:
            raise InputError(f"{where}: {part!r} is no key=value; write it as in 'royal:deal=13'")
        try:
            data[key] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            data[key] = text
    return _flatten(where, data)


_CHANGE = re.compile(r":(?=[\w.]+=)")  # where a changed key begins, as in "royal:deal=13"


def load_rules(name_or_path: "str | Path | RuleSet") -> RuleSet:
    """The rule set of a name, a path, or either with changed keys behind it ("royal:deal=13").

    Raises InputError, one sentence with file, key and remedy, for anything that is not exact.
    """
    if isinstance(name_or_path, RuleSet):
        return name_or_path
    text = str(name_or_path)
    if text in rule_set_names():
        return _shipped_rules(text)
    name, *parts = [text] if _is_file(text) else _CHANGE.split(text)
    values = {**_read(name), **_overrides(text, parts)}
    if parts and "name" in values:
        values["name"] = ":".join([values["name"], *parts])
    return _checked(name, values)


def rules_from_keys(where: str, keys: Mapping[str, Any]) -> RuleSet:
    """The rule set of a rule file's keys as plain data: {"opening": {"card": "3c"}, …}.

    May extend a rule set that ships, never a file. where: what messages call it. Raises InputError.
    """
    own = _flatten(where, keys)
    base = own.pop("extends", None)
    if base is not None and base not in rule_set_names():
        raise InputError(
            f"{where}: key 'extends': {base!r} is no rule set that ships; "
            f"{nearest(str(base), rule_set_names())}"
        )
    return _checked(where, {**(_read(base) if base else {}), **own})


def rule_keys(rules: RuleSet) -> dict[str, Any]:
    """The keys of a rule file that says just this; `rules_from_keys` undoes it."""
    return {
        "name": rules.name,
        "title": rules.title,
        "players": list(rules.players),
        "suits": rules.suits,
        "deal": rules.deal or "all",
        "leftover": rules.leftover,
        "opening": {"card": rules.opening_card, "must_include": rules.opening_must_include},
        "kinds": {
            "allowed": list(rules.kinds),
            "ladder": list(rules.ladder),
            "bombs": list(rules.bombs),
            "bombs_beat": list(rules.bombs_beat),
            "unbeatable": list(rules.unbeatable_kinds),
            "unbeatable_singles": list(rules.unbeatable_singles),
        },
        "straights": {"order": [f"{ranks}:{tie}" for ranks, tie in rules.straights]},
        "flush": {"first": rules.flush_first, "two": rules.flush_two},
        "passing": {"locks_on": list(rules.pass_locks)},
        "last_card": {"highest_single": rules.last_card_rule},
        "payoff": {
            "settlement": rules.settlement,
            "tiers": [list(tier) for tier in rules.tiers],
            "monsters": list(rules.monsters),
            **{item: {"times": times, "points": points} for item, times, points in rules.items},
        },
    }


@cache
def _shipped_rules(name: str) -> RuleSet:
    return _checked(name, _read(name))


def _checked(where: str, values: Mapping[str, Any]) -> RuleSet:
    for key in FORMAT:
        if key not in values:
            raise InputError(
                f"{where}: key '{key}' is missing; add it, or start from a rule set with "
                'extends = "douque"'
            )
    return RuleSet(**checked_fields(where, values))


def _is_file(text: str) -> bool:
    """Whether a text names a file; one that no file system takes does not."""
    try:
        return Path(text).is_file()
    except OSError:
        return False
