"""The rules of a record: the name of a rule set that ships, or every key of a rule file."""

from collections.abc import Mapping
from typing import Any

from simcore.errors import InputError, nearest
from simcore.game.ruleset import (
    KEYS,
    TABLES,
    RuleSet,
    load_rules,
    revision_of,
    rule_set_names,
    ships,
)

Rules = str | Mapping[str, Any]


def rules_of(value: Rules) -> RuleSet:
    """The rule set that a record names or holds. It opens no files. Raises InputError."""
    if not isinstance(value, str):
        return _in_full(value)
    if not ships(value.partition(":")[0]):
        raise InputError(
            f"{value!r:.60} is no rule set that ships; {nearest(value[:60], rule_set_names())} "
            "(rules of one's own stand in full in the record, or are given with --rules)"
        )
    return load_rules(value)


def _in_full(keys: Mapping[str, Any]) -> RuleSet:
    """{"opening": {"card": "3c"}, …} or {"opening.card": "3c", …}; may extend what ships."""
    flat: dict[str, Any] = {}
    for key, value in keys.items():
        if key in TABLES and isinstance(value, dict):
            flat |= {f"{key}.{inner}": one for inner, one in value.items()}
        else:
            flat[key] = value
    base = flat.pop("extends", None)
    if base is not None:
        if not isinstance(base, str) or not ships(base):
            raise InputError(
                f"rules in full: key 'extends': {base!r:.60} is no rule set that ships; "
                f"{nearest(str(base)[:60], rule_set_names())}"
            )
        flat = {**rule_keys(load_rules(base)), **flat}
    return RuleSet.from_dict(flat, "rules in full")


def rule_keys(rules: RuleSet) -> dict[str, Any]:
    """Every key of a rule file that says just this."""
    return {key.name: key.form.plain(getattr(rules, key.field)) for key in KEYS.values()}


def written(rules: RuleSet) -> Rules:
    """How a record says its rules: a name that ships, with its revision, or every key."""
    if rules.name in rule_set_names() and load_rules(rules.name) == rules:
        last = revision_of(rules.name)
        return f"{rules.name}@{last}" if last > 1 else rules.name
    return rule_keys(rules)
