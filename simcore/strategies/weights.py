"""Weights files: parameters of a strategy, made by `bigtwo tune`, in TOML.

    strategy = "linear"
    rules = "maceplay"
    [weights]
    lead_pair = 1.25
    …
    [[made]]  # for each command that led to them, the first one first

Those that ship lie in strategies/weights/, one for each strategy and rule set.
"""

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

from simcore.errors import InputError, cut, nearest, shown
from simcore.game.ruleset import ITEMS, RuleSet, bases_of, load_rules
from simcore.plain_data import Unreadable, parse_toml, read_text
from simcore.strategies.interface import Strategy

SHIPPED = Path(__file__).parent / "weights"


def _read(path: Path) -> dict[str, Any]:
    """The document of a weights file. Raises InputError."""
    try:
        document = parse_toml(read_text(path))
    except Unreadable as error:
        raise InputError(
            f"weights file {shown(str(path))} is none: {error}; `bigtwo tune` makes one"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"weights file {shown(str(path))} cannot be read ({reason}); check the path"
        ) from None
    weights = document.get("weights")
    if not isinstance(weights, dict) or not weights:
        raise InputError(
            f"weights file {str(path)!r} has no table [weights]; `bigtwo tune` makes one"
        )
    for key, value in weights.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise InputError(
                f"weight {cut(key)} in {str(path)!r} is {shown(value)}; give a finite number"
            )
    if not isinstance(document.get("strategy", ""), str):
        raise InputError(f"weights file {str(path)!r}: strategy must be a text")
    made = document.get("made", [])
    if not isinstance(made, list) or not all(isinstance(each, dict) for each in made):
        raise InputError(f"weights file {str(path)!r}: made must be a list of tables [[made]]")
    return document


def read_weights(file: str, name: str, strategy: Strategy) -> dict[str, float]:
    """Parameters of the strategy out of a weights file. Raises InputError."""
    document = _read(Path(file))
    made_for = document.get("strategy", strategy.name)
    if made_for.rpartition(":")[2] not in (strategy.name, *strategy.weights):
        raise InputError(f"the weights in {file!r} are of {shown(made_for)}, not of {name!r}")
    parameters = {p.name: p for p in strategy.parameters}
    for key in document["weights"]:
        if key not in parameters:
            raise InputError(
                f"{file!r}: {name!r} has no parameter {shown(key)}; {nearest(key, parameters)}"
            )
    return {
        key: parameters[key].checked(float(value), name)
        for key, value in document["weights"].items()
    }


def weights_file(family: str, rules: RuleSet, suffix: str = ".toml") -> Path | None:
    """The file that ships for a rule set, or for its nearest relative."""
    files = {path.stem.rpartition("-")[2]: path for path in SHIPPED.glob(f"{family}-*{suffix}")}
    return files[nearest_rules(rules, sorted(files))] if files else None


def nearest_rules(rules: RuleSet, names: list[str]) -> str:
    """The rule set itself, else what it extends, else the one with most settings in common."""
    for name in (rules.name.partition("@")[0], *bases_of(rules)):
        if name in names:
            return name
    return _most_alike(rules, names)


@lru_cache(maxsize=256)
def shipped_weights(family: str, rules: RuleSet) -> dict[str, float]:
    """Weights that ship for a rule set: {} if none do."""
    path = weights_file(family, rules)
    return {} if path is None else {k: float(v) for k, v in _read(path)["weights"].items()}


def history(path: Path) -> list[dict[str, Any]]:
    """How the weights in a file were made, the first command first. Raises InputError."""
    return list(_read(path).get("made", []))


def _most_alike(rules: RuleSet, names: list[str]) -> str:
    """The rule set, among `names`, with most settings in common; the first of equals."""

    def settings(of: RuleSet) -> dict[str, Any]:
        """All items of the payoff are one: runs tell by their parameters which file was read."""
        single = {k: v for k, v in of.as_dict().items() if k.removeprefix("payoff_") not in ITEMS}
        return {**single, "items": of.payoff_items}

    own = settings(rules)

    def common(name: str) -> int:
        other = settings(load_rules(name))
        return sum(own[key] == value for key, value in other.items() if key != "name")

    return max(names, key=common)
