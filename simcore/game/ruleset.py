"""Rule sets: a frozen `RuleSet` read from a TOML file, fully checked.

A rule set is named ("douque"), or given by path ("my_house.toml"), and single keys may be changed
behind it: "royal:deal=13", "lockout:passing.locks_on=[]". A file that says `extends = "douque"`
takes over every key that it does not give itself.

The class RuleSet is the table of all keys: one entry says a key's name, form, meaning and neutral
value. Kernels (rule_table) and tests (reference) call it by the same name.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simcore.errors import InputError, cut, nearest, shown
from simcore.game import rule_format as F
from simcore.game.older_rules import OLD_NAMES, translated
from simcore.game.rule_format import DRAGONS, FIVE_CARD, PLAYABLE, Form, Item, ItemForm
from simcore.html import table
from simcore.plain_data import Unreadable, is_file, parse_toml, read_text

MOST_FILES = 20  # that extend each other
TABLES = ("opening", "kinds", "straights", "flush", "passing", "last_card", "payoff")  # of a file


def key(form: Form, words: str, neutral: Any = MISSING) -> Any:
    """A key of a rule file: what it says, and the value that stands where a file lacks it.

    Without a neutral value every file must give it. A key that is added needs one: files and runs
    of earlier versions lack it.
    """
    default = neutral if neutral is MISSING else form.read(neutral)
    return field(default=default, metadata={"form": form, "words": words})


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One rule set. Field `opening_card` is the key `opening.card`; everything is immutable."""

    name: str = key(F.NAME, "What the rule set is called.")
    title: str = key(F.TEXT, "Its character in one line.")
    players: tuple[int, ...] = key(
        F.numbers(2, 4, empty=False), "The numbers of players that it can be played with."
    )
    suits: str = key(F.SUIT_ORDER, "The suits, low to high.")
    deal: int = key(  # 0: all cards
        F.DEAL, "Cards dealt to each player; those that are not dealt stay out of play.", "all"
    )
    leftover: str = key(
        F.choice(
            {
                "opening_card_first": "the opening card is dealt first, to a random seat",
                "to_opening_card_holder": "they go to the holder of the opening card",
            }
        ),
        "Where cards go that do not divide among the players, when all are dealt.",
    )
    opening_card: str = key(
        F.CARD,
        "Its holder starts; if it is out of play, the holder of the next higher card of its suit.",
    )
    opening_must_include: bool = key(F.FLAG, "The first play must contain the opening card.", False)
    kinds_allowed: tuple[str, ...] = key(  # weakest first: by size, then ladder
        F.kinds(*PLAYABLE), "The kinds of combination that may be played."
    )
    kinds_ladder: tuple[str, ...] = key(
        F.kinds(*FIVE_CARD),
        "Five-card kinds, low to high: a later one beats an earlier one.",
        [],
    )
    kinds_bombs: tuple[str, ...] = key(
        F.kinds(*(kind for kind in PLAYABLE if kind not in DRAGONS)),
        "Kinds that beat others out of turn, low to high.",
        [],
    )
    kinds_bombs_beat: tuple[int, ...] = key(
        F.numbers(1, 5), "Sizes of the regular plays that a bomb beats.", []
    )
    kinds_unbeatable: tuple[str, ...] = key(
        F.kinds(*PLAYABLE), "Kinds that nothing beats, except a Dragon.", []
    )
    kinds_unbeatable_singles: tuple[str, ...] = key(
        F.CARDS, "Cards that no other single and no bomb beats when they are played alone.", []
    )
    straights_order: tuple[tuple[str, str], ...] = key(  # (ranks, rank of the tie-break card)
        F.STRAIGHTS,
        "Every straight, low to high, each with the rank whose suit breaks a tie.",
    )
    flush_first: str = key(
        F.choice(
            {
                "ranks": "five ranks from high to low, then the suit",
                "suit": "the suit, then the highest card",
            }
        ),
        "What decides between two flushes.",
    )
    flush_two: str = key(
        F.choice({"high": "above the ace", "low": "below the 3"}), "Where the 2 of a flush stands."
    )
    passing_locks_on: tuple[int, ...] = key(
        F.numbers(1, 5),
        "Sizes of the standing play on which a pass locks the player out until the next lead.",
        [],
    )
    last_card_highest_single: bool = key(
        F.FLAG,
        "While the next player has one card left, a single must be one's highest card.",
        False,
    )
    payoff_settlement: str = key(
        F.choice(
            {
                "winner_takes": "each loser pays the winner",
                "pairwise": "every pair of players settles the difference of what they owe",
            }
        ),
        "Who pays whom.",
        "winner_takes",
    )
    payoff_tiers: tuple[tuple[int, int], ...] = key(
        F.TIERS, "From so many cards left, a loser's cards count so many times.", [[1, 1]]
    )
    payoff_monsters: tuple[str, ...] = key(
        F.kinds("bare_four", "four_of_a_kind", "straight_flush", "royal_flush"),
        "Kinds that count as a Monster in the payoff.",
        [],
    )
    payoff_two_left: Item = key(
        F.item("loser", "twos", 4, "2s left: {count}"), "For each 2 left.", {}
    )
    payoff_monster_left: Item = key(
        F.item("loser", "Monster left", 1, "an unplayed Monster left"),
        "Once, where the cards left hold a Monster.",
        {},
    )
    payoff_finish_two: Item = key(
        F.item("winner", "twos", 4, "2s in the last play: {count}"),
        "For each 2 in the last play.",
        {},
    )
    payoff_finish_monster: Item = key(
        F.item("winner", "last kind", 1, "the last play is a {kind}"),
        "The last play is a Monster or a Dragon.",
        {},
    )
    payoff_finish_flush_dragon: Item = key(
        F.item("winner", "last kind", 1, "the last play is a {kind}"),
        "The last play is a Flush Dragon; instead of finish_monster.",
        {},
    )
    payoff_finish_opening_card: Item = key(
        F.item("winner", "opening card", 1, "the last play contains {card}"),
        "The last play contains the opening card.",
        {},
    )
    payoff_grand_slam: Item = key(
        F.item("winner", "grand slam", 1, "the starter won and nobody else played a card"),
        "The starter won, and nobody else played a card.", {},
    )  # fmt: skip

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
        return {k.name: F.in_words(plain[k.field]) for k in KEYS.values()}

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


def rule_file(name_or_path: str) -> tuple[str, str]:
    """(where, text) of a shipped rule set or of a file. Raises InputError."""
    if name_or_path in rule_set_names():
        return f"{name_or_path}.toml", (_shipped() / f"{name_or_path}.toml").read_text("utf-8")
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


def _read(name_or_path: str, chain: tuple[str, ...] = ()) -> dict[str, Any]:
    """The keys of a rule file, over those of the file that it extends.

    chain: the files that led here, each by its one real path.
    """
    where, text = rule_file(name_or_path)
    shipped = name_or_path in rule_set_names()
    here = name_or_path if shipped else str(Path(name_or_path).resolve())
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
    own = _flatten(where, data)
    if base is None:
        return own
    if not isinstance(base, str):
        raise InputError(
            f"{where}: key 'extends': {shown(base)} must be the name or path of a rule set"
        )
    own.setdefault("name", Path(name_or_path).stem)  # another rule set than the one it extends
    beside = Path(name_or_path).parent / base
    if base not in rule_set_names() and is_file(beside):
        base = str(beside)
    return {**_read(base, (*chain, here)), **own}


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


CHANGE = re.compile(r":(?=[\w.]+=)")  # where a changed key begins, as in "royal:deal=13"


def load_rules(name_or_path: "str | Path | RuleSet") -> RuleSet:
    """The rule set of a name, a path, or either with changed keys behind it ("royal:deal=13").

    Raises InputError, one sentence with file, key and remedy, for anything that is not exact.
    """
    if isinstance(name_or_path, RuleSet):
        return name_or_path
    text = str(name_or_path)
    if text in rule_set_names():
        return _shipped_rules(text)
    name, *parts = [text] if is_file(text) else CHANGE.split(text)
    if not "".join(parts).isprintable():
        raise InputError(f"rule set {shown(text)} must be one line that can be printed")
    values = {**_read(name), **_overrides(cut(text), parts)}
    if parts and "name" in values:
        values["name"] = ":".join([F.NAME.read(values["name"]), *parts])
    return _checked(cut(name), values)


@cache
def _shipped_rules(name: str) -> RuleSet:
    return _checked(name, _read(name))


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
    found["kinds_allowed"] = F.kind_order(found["kinds_allowed"], ladder)
    rules = RuleSet(**found)
    for name, problem in F.contradictions(rules):
        raise InputError(f"{where}: key '{name}': {problem}")
    return rules
