"""Finding strategies by name, entry point, module or file, and reading lineups."""

import hashlib
import importlib
import importlib.util
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from simcore.errors import InputError, StrategyError, nearest
from simcore.strategies.interface import Strategy

BUILT_IN = ("random", "lowest", "highest", "dump", "keep", "minplays", "timeout")


@dataclass(frozen=True)
class Entrant:
    """A strategy in one slot of a lineup, with its parameters."""

    name: str  # as written: the strategy and the parameters that differ from its defaults
    strategy: Strategy
    params: tuple[float, ...]


def strategy_names() -> list[str]:
    """Built-in strategies first, then those that installed packages bring."""
    return [*BUILT_IN, *sorted(e.name for e in entry_points(group="bigtwo.strategies"))]


def _found(value: object, where: str) -> Strategy:
    if not isinstance(value, Strategy):
        raise StrategyError(
            f"{where} is a {type(value).__name__}, no strategy: put @strategy above it"
        )
    return value


def _from_file(path: Path, attribute: str) -> Strategy:
    """`attribute` of a Python file outside any package."""
    if not path.is_file():
        raise InputError(f"strategy file {str(path)!r} does not exist; check the path")
    name = f"bigtwo_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(
            f"strategy file {str(path)!r} is no Python file; its name must end with .py"
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except StrategyError:
        raise
    except (Exception, SystemExit) as error:
        raise StrategyError(
            f"strategy file {str(path)!r} does not load: {type(error).__name__}: {error}"
        ) from error
    if not hasattr(module, attribute):
        known = [k for k, v in vars(module).items() if isinstance(v, Strategy)]
        raise InputError(
            f"{path} has no {attribute!r}; {nearest(attribute, known or ['(no strategy)'])}"
        )
    return _found(getattr(module, attribute), f"{path}:{attribute}")


def _from_module(module_name: str, attribute: str) -> Strategy:
    """`attribute` of an importable module."""
    try:
        module = importlib.import_module(module_name)
    except StrategyError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(
            f"strategy module {module_name!r} does not load: {type(error).__name__}: {error}"
        ) from error
    if not hasattr(module, attribute):
        raise InputError(
            f"module {module_name!r} has no {attribute!r}; check the name behind the colon"
        )
    return _found(getattr(module, attribute), f"{module_name}:{attribute}")


@lru_cache(maxsize=256)
def load_strategy(name: str) -> Strategy:
    """The strategy `name`: built in, an entry point, `module:attribute` or `file.py:attribute`.

    Raises InputError for a name that leads nowhere, StrategyError for code that does not load.
    """
    if name in BUILT_IN:
        return _found(getattr(importlib.import_module(f"simcore.strategies.{name}"), name), name)
    place, colon, attribute = name.rpartition(":")
    if name.endswith(".py") and Path(name).is_file():
        raise InputError(f"{name!r} is a file; name the strategy in it, as in {name}:my_bot")
    if colon:
        if Path(place).is_file() and not place.endswith(".py"):
            raise InputError(f"{place!r} is no Python file; a strategy is in a file NAME.py")
        if place.endswith(".py"):
            return _from_file(Path(place), attribute)
        return _from_module(place, attribute)
    for entry in entry_points(group="bigtwo.strategies"):
        if entry.name == name:
            return _from_module(entry.module, entry.attr)
    raise InputError(
        f"unknown strategy {name!r}; {nearest(name, strategy_names())} "
        "(or file.py:attribute, module:attribute)"
    )


def parse_entrant(text: str) -> Entrant:
    """Read NAME, NAME:key=value or PLACE:attribute:key=value. Raises InputError, StrategyError."""
    parts = [part.strip() for part in text.split(":")]
    given = [part for part in parts if "=" in part]
    name = ":".join(part for part in parts if "=" not in part)
    strategy = load_strategy(name)
    values = dict(strategy.defaults)
    keys = [part.partition("=")[0] for part in given]
    for part in given:
        key, _, value = part.partition("=")
        if keys.count(key) > 1:
            raise InputError(f"parameter {key} of {name!r} is given twice; give it once")
        if key not in values:
            known = f"; {nearest(key, values)}" if values else "; it has no parameters"
            raise InputError(f"strategy {name!r} has no parameter {key!r}{known}")
        try:
            values[key] = float(value)
        except ValueError:
            raise InputError(f"parameter {key} of {name!r} is {value!r}; give a number") from None
        if not math.isfinite(values[key]):
            raise InputError(f"parameter {key} of {name!r} is {value!r}; give a finite number")
    changed = [f"{k}={values[k]:g}" for k, default in strategy.defaults if values[k] != default]
    return Entrant(":".join([name, *changed]), strategy, tuple(values.values()))


def parse_lineup(
    lineup: str | Iterable[str | Entrant], players: int | None = None
) -> tuple[Entrant, ...]:
    """The entrants of "A,B,C,D", in slot order; a single one fills all `players` slots.

    Raises InputError if their number is neither one nor `players`.
    """
    parts: Sequence[str | Entrant] = lineup.split(",") if isinstance(lineup, str) else list(lineup)
    if not all(parts) or not parts:
        raise InputError(
            f"the lineup {lineup!r} has an empty place; name one strategy, or one for each player"
        )
    entrants = tuple(p if isinstance(p, Entrant) else parse_entrant(p.strip()) for p in parts)
    if players is not None:
        if len(entrants) == 1:
            return entrants * players
        if len(entrants) != players:
            raise InputError(
                f"the lineup names {len(entrants)} strategies for {players} players; "
                f"give 1 (it fills all seats) or {players}"
            )
    return entrants
