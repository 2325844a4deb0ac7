"""One rule changed at a time: from a rule set and keys to the rule sets to compare."""

import json

from simcore.errors import InputError, nearest, shown
from simcore.game import rule_format as F
from simcore.game.ruleset import CHANGE, KEYS, Key, RuleSet, load_rules

# Keys may be written with _ for the dot, and the pass lock by its usual name.
ALIASES = {**{key.field: key.name for key in KEYS.values()}, "pass_lock": "passing.locks_on"}


def split_outside_brackets(text: str) -> list[str]:
    """Parts between commas that are in no [] or {}."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def rule_variants(base: str, vary: str) -> list[str]:
    """The base and one rule set for each change, as names that `load_rules` reads.

    vary: "opening.must_include,passing.locks_on,deal=13": a key alone is switched to its opposite
    (a rule that is set to its neutral value; a flag or the pass lock that is not, on), a key with a
    value is set to it. Raises InputError.
    """
    rules = load_rules(base)
    found = [base]
    for part in split_outside_brackets(vary):
        written, equals, value = part.partition("=")
        key = ALIASES.get(written.strip(), written.strip())
        if key in ("name", "title"):
            raise InputError(f"--vary: {key!r} is no rule of the game; vary another key")
        if key not in KEYS:
            raise InputError(f"--vary: unknown key {shown(written.strip())}; {nearest(key, KEYS)}")
        name, *changes = CHANGE.split(base)
        kept = [name, *(change for change in changes if change.partition("=")[0] != key)]
        changed = ":".join([*kept, f"{key}={value if equals else _opposite(rules, KEYS[key])}"])
        if load_rules(changed).as_dict() == {**rules.as_dict(), "name": load_rules(changed).name}:
            raise InputError(
                f"--vary: {part!r} changes nothing in rule set {rules.name!r}; give another value"
            )
        found.append(changed)
    return found


def _opposite(rules: RuleSet, key: Key) -> str:
    """The TOML value that switches a rule off, or on. Raises InputError where there is none."""
    value = rules.as_dict()[key.field]
    if key.neutral is not None and value != key.neutral:
        return "{}" if isinstance(key.form, F.ItemForm) else json.dumps(key.neutral)
    if key.form is F.FLAG:
        return json.dumps(not value)
    if key.name == "passing.locks_on":
        return "[1, 2, 3, 4, 5]"
    raise InputError(
        f"--vary: key {key.name!r} has no opposite in rule set {rules.name!r}; give a value, as in "
        f"{key.name}=…"
    )
