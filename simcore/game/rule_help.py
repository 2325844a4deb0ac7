"""Rule files explain themselves: a page and a JSON Schema of all keys, how two rule sets differ.

Everything here is made from the one table of keys (simcore.game.rule_keys).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simcore.game.ruleset import KEYS, TABLES, Key, RuleSet, in_words, load_rules, rule_set_names

DRAFT = "https://json-schema.org/draft/2020-12/schema"
HEADER = {  # what a file may hold beside rules
    "extends": {
        "type": "string",
        "description": "The name or path of a rule set whose keys hold where this file gives none.",
    },
    "revision": {
        "type": "integer",
        "minimum": 1,
        "description": "Counts the changes of a rule set that ships; NAME@1 is its first.",
    },
    "changes": {"type": "string", "description": "What the last revision changed."},
}
NAMES = ("name", "title")  # of a rule set, no rules


@dataclass(frozen=True)
class KeyPage:
    """What there is to know of a key."""

    key: str
    words: str  # what it does, a sentence
    values: str
    meanings: dict[str, str]  # of the words that it may be
    default: Any  # None: a file that extends nothing must give it
    example: str  # a line of a file
    used_by: tuple[str, ...]  # shipped rule sets in which it is not the default


@dataclass(frozen=True)
class Difference:
    """A key in which two rule sets differ; `str(difference)` is a sentence."""

    key: str
    words: str
    a: str  # the name of a rule set
    b: str
    value_a: str
    value_b: str

    def __str__(self) -> str:
        said = f"{self.value_a} in {self.a}; {self.value_b} in {self.b}"
        return f"{self.words.rstrip('.')} ({self.key}): {said}."


def keys() -> list[KeyPage]:
    """Every key of a rule file, in the order of the tables."""
    shipped = {name: load_rules(name).as_dict() for name in rule_set_names()}
    return [
        KeyPage(
            key=key.name,
            words=key.words,
            values=" | ".join(key.form.known) if key.form.known else key.form.words,
            meanings=dict(key.form.known or {}),
            default=key.neutral,
            example=f"{key.name} = {toml(key.form.schema['examples'][0])}",
            used_by=tuple(
                name for name, rules in shipped.items() if rules[key.field] != key.neutral
            ),
        )
        for key in KEYS.values()
    ]


def schema() -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) of rule files, for editors that complete and check TOML."""
    top: dict[str, Any] = dict(HEADER)
    tables: dict[str, dict[str, Any]] = {}
    needed: dict[str, list[str]] = {"": []}
    for key in KEYS.values():
        table, _, name = key.name.rpartition(".")
        (tables.setdefault(table, {}) if table else top)[name] = _schema_of(key)
        if key.neutral is None:
            needed.setdefault(table, []).append(name)
    for table in TABLES:
        top[table] = {
            "type": "object",
            "properties": tables[table],
            "additionalProperties": False,
        }
    whole = {
        "required": needed.pop("") + list(needed),
        "properties": {table: {"required": names} for table, names in needed.items()},
    }
    return {
        "$schema": DRAFT,
        "title": "Rule file of bigtwo",
        "type": "object",
        "properties": top,
        "additionalProperties": False,
        "if": {"not": {"required": ["extends"]}},
        "then": whole,
    }


def _schema_of(key: Key) -> dict[str, Any]:
    """A key's values, with its sentence and what its words mean."""
    meanings = "".join(f"\n{word}: {what}." for word, what in (key.form.known or {}).items())
    found = {"description": key.words + meanings, **key.form.schema}
    return found if key.neutral is None else {**found, "default": key.neutral}


def diff(a: str | RuleSet, b: str | RuleSet) -> list[Difference]:
    """How two rule sets differ, key by key. Raises InputError."""
    one, other = load_rules(a), load_rules(b)
    first, second = one.as_dict(), other.as_dict()
    return [
        Difference(
            k.name, k.words, one.name, other.name,
            _said(k, first[k.field]), _said(k, second[k.field]),
        )
        for k in KEYS.values()
        if k.name not in NAMES and first[k.field] != second[k.field]
    ]  # fmt: skip


def _said(key: Key, value: Any) -> str:
    """A value in words; those that have a meaning with it."""
    if key.form.known:
        return f"{value} ({key.form.known[value]})"
    found = in_words(value)
    return "none" if found == "–" else found


def as_toml(rules: str | RuleSet) -> str:
    """A rule set as a complete rule file, each key with its sentence. Raises InputError."""
    return "\n".join(_lines(load_rules(rules))) + "\n"


def _lines(rules: RuleSet) -> Iterator[str]:
    plain = rules.as_dict()
    for table in ("", *TABLES):
        if table:
            yield f"\n[{table}]"
        for key in KEYS.values():
            inside, _, name = key.name.rpartition(".")
            if inside == table:
                yield f"# {key.words}"
                yield f"{name} = {toml(plain[key.field])}"


def toml(value: Any) -> str:
    """A value as a rule file holds it."""
    if isinstance(value, dict):
        inner = ", ".join(f"{key} = {toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value, ensure_ascii=False)
