"""Rule sets: a frozen `RuleSet` read from a TOML file, fully checked.

A rule set is named ("douque"), or given by path ("my_house.toml"), and single keys may be changed
behind it: "royal:deal=13", "lockout:passing.locks_on=[]". A file that says `extends = "douque"`
takes over every key that it does not give itself.

Which keys there are, with their forms, meanings and neutral values, is said by rule_keys.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simcore.errors import InputError, cut, nearest, shown
from simcore.game import rule_format as F
from simcore.game.older_rules import OLD_NAMES, translated
from simcore.game.rule_conflicts import contradictions, kind_order
from simcore.game.rule_format import Form, Item, ItemForm
from simcore.game.rule_keys import RuleKeys
from simcore.html import table
from simcore.plain_data import Unreadable, is_file, parse_toml, read_text

MOST_FILES = 20  # that extend each other
TABLES = (  # of a file
    *("opening", "session", "kinds", "straights", "flush", "passing", "last_card", "payoff"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet(RuleKeys):
    """One rule set. Field `opening_card` is the key `opening.card`; everything is immutable."""

    @property
    def payoff_items(self) -> dict[str, Item]:
        """What each item of the payoff does, by its name, in the order of ITEMS."""
        return {name: getattr(self, f"payoff_{name}") for name in ITEMS}

    def as_dict(self) -> dict[str, Any]:
        """Every rule as plain data, ready for JSON: what a file would hold, by field."""
        return {k.field: k.form.plain(getattr(self, k.field)) for k in KEYS.values()}

    @classmethod
    def from_dict(cls, data: Any, where: str = "rules") -> "RuleSet":
        """Undo `as_dict`, of this version or an earlier one: old names, keys that came later.

        Everything is checked as a file's values are. Raises InputError.
        """
        if not isinstance(data, Mapping):
            raise InputError(f"{where}: {shown(data)} must be a table of keys and values")
        known = {k.field: k.name for k in KEYS.values()}
        try:
            flat = {known.get(name, name): value for name, value in translated(data).items()}
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        return _checked(where, _known(where, flat))

    def in_words(self) -> dict[str, str]:
        """key -> value, for people."""
        plain = self.as_dict()
        return {k.name: in_words(plain[k.field]) for k in KEYS.values()}

    def _repr_html_(self) -> str:
        return table(self.in_words().items())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The attributes of version 0.1.0."""
            if name == "items":
                value = tuple((item, *effect) for item, effect in self.payoff_items.items())
            elif name in OLD_NAMES:
                value = getattr(self, OLD_NAMES[name])
            else:
                raise AttributeError(f"a rule set has no {name!r}")
            new = OLD_NAMES.get(name, "payoff_items")
            warnings.warn(f"RuleSet.{name} is now {new}", DeprecationWarning, stacklevel=2)
            return value


@dataclass(frozen=True)
class Key:
    """An entry of the table."""

    name: str  # in a file, "opening.card"
    field: str  # of RuleSet, "opening_card"
    form: Form
    words: str  # what it says, a sentence
    neutral: Any  # the file's value that stands where it is missing; None: it must be given


def _keys() -> dict[str, Key]:
    found = {}
    for f in fields(RuleSet):
        form = f.metadata["form"]
        inside = next((t for t in TABLES if f.name.startswith(f"{t}_")), None)
        name = f"{inside}.{f.name[len(inside) + 1 :]}" if inside else f.name
        neutral = None if f.default is MISSING else form.plain(f.default)
        found[name] = Key(name, f.name, form, f.metadata["words"], neutral)
    return found


KEYS = _keys()  # by the name in a file
ITEMS: dict[str, ItemForm] = {  # by name; those of losers first
    key.name.removeprefix("payoff."): key.form
    for key in sorted(KEYS.values(), key=lambda k: getattr(k.form, "who", ""))
    if isinstance(key.form, ItemForm)
}


def in_words(value: Any) -> str:
    """A rule's value, as a file holds it, in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict) and not value.keys() <= set(Item._fields):
        return ", ".join(f"{kind}: {in_words(sizes)}" for kind, sizes in value.items())
    if isinstance(value, dict):
        times, points = value.get("times", 1), value.get("points", 0)
        parts = [f"× {times}"] * (times != 1) + [f"{points:+d} points"] * (points != 0)
        return ", ".join(parts) or "–"
    if isinstance(value, list):
        listed = (" = ".join(map(str, v)) if isinstance(v, list) else str(v) for v in value)
        return ", ".join(listed) or "–"
    return str(value)


# --------------------------------------------------------------------------- files and names


def _flatten(where: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """{"opening": {"card": …}} -> {"opening.card": …}; unknown keys and wrong forms end here."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        inner = value if key in TABLES and isinstance(value, dict) else None
        found = {key: value} if inner is None else {f"{key}.{k}": v for k, v in inner.items()}
        for name in found.keys() & flat.keys():
            raise InputError(f"{where}: key '{cut(name)}' is given twice; give it once")
        flat |= found
    return _known(where, flat)


def _known(where: str, flat: dict[str, Any]) -> dict[str, Any]:
    """The same keys and values. Raises InputError for unknown keys and values of another type."""
    for name, value in flat.items():
        if name not in KEYS:
            raise InputError(f"{where}: unknown key '{cut(name)}'; {nearest(name, KEYS)}")
        if not KEYS[name].form.fits(value):
            words = KEYS[name].form.words
            raise InputError(f"{where}: key '{name}': {shown(value)} must be {words}")
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


def ships(name: str) -> bool:
    """Whether a rule set of this name, or name@revision, ships. Raises InputError for no revision.

    A rule set whose rules change gets a revision; by name@1 and so on the old ones stay loadable.
    """
    base, at, number = name.partition("@")
    if base not in rule_set_names():
        return False
    last = revision_of(base)
    if at and number not in map(str, range(1, last + 1)):
        those = f"revisions 1 to {last}" if last > 1 else "one revision"
        raise InputError(f"rule set {shown(name)}: {base!r} has {those}; say {base}@{last}")
    return True


@cache
def revision_of(name: str) -> int:
    """The present revision of a rule set that ships."""
    return int(_history(name).get("revision", 1))


def _history(name: str) -> dict[str, Any]:
    """The file of a rule set that ships, where its `revision` and `changes` stand."""
    return parse_toml((_shipped() / f"{name}.toml").read_text("utf-8"))


def _is_present(name: str) -> bool:
    """Whether a name of `ships` means what it means without a revision."""
    base, at, number = name.partition("@")
    return not at or number == str(revision_of(base))


def rule_file(name_or_path: str) -> tuple[str, str]:
    """(where, text) of a shipped rule set or of a file. Raises InputError."""
    if ships(name_or_path):
        name = name_or_path.partition("@")[0]
        present = _is_present(name_or_path)
        file = f"{name}.toml" if present else f"older/{name_or_path}.toml"
        return f"{name_or_path}.toml", (_shipped() / file).read_text("utf-8")
    path = Path(name_or_path)
    if path.suffix != ".toml" and not is_file(path):
        raise InputError(
            f"unknown rule set {shown(name_or_path)}; "
            f"{nearest(name_or_path, rule_set_names())} (or the path of a .toml file)"
        )
    try:
        return cut(str(path)), read_text(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"rule file {shown(name_or_path)} cannot be read: {reason}; check the path"
        ) from None


def _read(
    name_or_path: str, chain: tuple[str, ...] = (), bases: list[str] | None = None
) -> dict[str, Any]:
    """The keys of a rule file, over those of the file that it extends.

    chain: the files that led here, each by its one real path; bases: gets the names that ship.
    """
    where, text = rule_file(name_or_path)
    shipped = ships(name_or_path)
    here = name_or_path if shipped else str(Path(name_or_path).resolve())
    if shipped and bases is not None:
        bases.append(name_or_path.partition("@")[0])
    if here in chain:
        raise InputError(
            f"{where}: key 'extends': the files extend each other "
            f"({cut(' → '.join((*chain, here)))})"
        )
    if len(chain) == MOST_FILES:
        raise InputError(f"{where}: key 'extends': more than {MOST_FILES} files extend each other")
    try:
        data = parse_toml(text)
    except Unreadable as error:
        raise InputError(f"{where}: {error}; correct that line") from None
    base = data.pop("extends", None)
    _check_history(where, data)
    own = _flatten(where, data)
    if shipped and not _is_present(name_or_path):
        own["name"] = name_or_path
    if base is None:
        return own
    if not isinstance(base, str):
        raise InputError(
            f"{where}: key 'extends': {shown(base)} must be the name or path of a rule set"
        )
    own.setdefault("name", Path(name_or_path).stem)  # another rule set than the one it extends
    beside = Path(name_or_path).parent / base
    if not ships(base) and is_file(beside):
        base = str(beside)
    if not shipped:
        _hear_changes(where, base)
    return {**_read(base, (*chain, here), bases), **own}


def _check_history(where: str, data: dict[str, Any]) -> None:
    """Take `revision` and `changes` out of a file: they are no rules."""
    for name, kind, words in (("revision", int, "a whole number"), ("changes", str, "a text")):
        if not isinstance(data.pop(name, kind()), kind):
            raise InputError(f"{where}: key '{name}' must be {words}")


def _hear_changes(where: str, base: str) -> None:
    """A note for whoever extends a rule set by a name that came to mean something else."""
    if base in rule_set_names() and (last := revision_of(base)) > 1:
        warnings.warn(
            f"{where} extends {base!r}, whose revision {last} changed rules: "
            f'{_history(base)["changes"]}; extends = "{base}@{last - 1}" keeps those of before, '
            f'"{base}@{last}" takes these without this note',
            stacklevel=2,
        )


def _overrides(where: str, parts: list[str]) -> dict[str, Any]:
    """Keys given behind the name: "deal=13" -> {"deal": 13}."""
    found: dict[str, Any] = {}
    for part in parts:
        key, _, text = part.partition("=")
        try:
            value = parse_toml(f"value = {text}")["value"]
        except Unreadable:
            value = text
        changed = _flatten(where, {key: value})
        if not changed:
            raise InputError(f"{where}: {shown(part)} changes nothing; name a key of that table")
        for name in changed.keys() & found.keys():
            raise InputError(f"{where}: key '{name}' is given twice; give it once")
        found |= changed
    return found


_BASES: dict[RuleSet, tuple[str, ...]] = {}


def bases_of(rules: RuleSet) -> tuple[str, ...]:
    """Names of the rule sets that ship which a loaded one extends, the nearest first."""
    return _BASES.get(rules, ())


CHANGE = re.compile(r":(?=[\w.]+=)")  # where a changed key begins, as in "royal:deal=13"


def is_changed(name_or_path: str) -> bool:
    """Whether keys are changed behind the name or path, as in "royal:deal=13"."""
    return not is_file(name_or_path) and len(CHANGE.split(name_or_path)) > 1


def load_rules(name_or_path: "str | Path | RuleSet") -> RuleSet:
    """The rule set of a name, a path, or either with changed keys behind it ("royal:deal=13").

    Raises InputError, one sentence with file, key and remedy, for anything that is not exact.
    """
    if isinstance(name_or_path, RuleSet):
        return name_or_path
    text = str(name_or_path)
    if text in rule_set_names():
        return _shipped_rules(text)
    name, *parts = CHANGE.split(text) if is_changed(text) else [text]
    if not "".join(parts).isprintable():
        raise InputError(f"rule set {shown(text)} must be one line that can be printed")
    bases: list[str] = []
    values = {**_read(name, bases=bases), **_overrides(cut(text), parts)}
    if parts and "name" in values:
        values["name"] = ":".join([F.NAME.read(values["name"]), *parts])
    rules = _checked(cut(name), values)
    _BASES[rules] = tuple(bases)
    return rules


@cache
def _shipped_rules(name: str) -> RuleSet:
    bases: list[str] = []
    rules = _checked(name, _read(name, bases=bases))
    _BASES[rules] = tuple(bases)
    return rules


def _checked(where: str, values: Mapping[str, Any]) -> RuleSet:
    """The rule set of these keys: each value checked by itself, then all of them together."""
    found = {}
    for k in KEYS.values():
        if k.name in values:
            try:
                found[k.field] = k.form.read(values[k.name])
            except InputError as error:
                raise InputError(f"{where}: key '{k.name}': {error}") from None
        elif k.neutral is None:
            raise InputError(
                f"{where}: key '{k.name}' is missing; add it, or start from a rule set with "
                'extends = "douque"'
            )
    ladder = found.get("kinds_ladder", ())
    found["kinds_allowed"] = kind_order(found["kinds_allowed"], ladder)
    rules = RuleSet(**found)
    for name, problem in contradictions(rules):
        raise InputError(f"{where}: key '{name}': {problem}")
    return rules
