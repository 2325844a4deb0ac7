"""One rule changed at a time: from a rule set and keys to the rule sets to compare."""

from simcore.errors import InputError, nearest
from simcore.game.rule_format import FORMAT
from simcore.game.ruleset import RuleSet, load_rules

# Keys may be written with _ for the dot, and the pass lock by its usual name.
ALIASES = {**{key.replace(".", "_"): key for key in FORMAT}, "pass_lock": "passing.locks_on"}
FLAGS = {
    "opening.must_include": "opening_must_include",
    "last_card.highest_single": "last_card_rule",
}


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
    (a flag, the pass lock, a payoff item that is set), a key with a value is set to it. Raises
    InputError.
    """
    rules = load_rules(base)
    found = [base]
    for part in split_outside_brackets(vary):
        written, equals, value = part.partition("=")
        key = ALIASES.get(written.strip(), written.strip())
        if key not in FORMAT or key in ("name", "title"):
            raise InputError(f"--vary: unknown key {written.strip()!r}; {nearest(key, FORMAT)}")
        changed = f"{base}:{key}={value if equals else _opposite(rules, key)}"
        if load_rules(changed).as_dict() == {**rules.as_dict(), "name": load_rules(changed).name}:
            raise InputError(
                f"--vary: {part!r} changes nothing in rule set {rules.name!r}; give another value"
            )
        found.append(changed)
    return found


def _opposite(rules: RuleSet, key: str) -> str:
    """The TOML value that switches a rule off, or on. Raises InputError where there is none."""
    if key in FLAGS:
        return "false" if getattr(rules, FLAGS[key]) else "true"
    if key == "passing.locks_on":
        return "[]" if rules.pass_locks else "[1, 2, 3, 4, 5]"
    items = {f"payoff.{name}": (times, points) for name, times, points in rules.items}
    if items.get(key, (1, 0)) != (1, 0):
        return "{}"
    raise InputError(
        f"--vary: key {key!r} has no opposite in rule set {rules.name!r}; give a value, as in "
        f"{key}=…"
    )
