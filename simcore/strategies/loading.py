"""Executing the file or module of a strategy: of a user's, only processes of its own do it."""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

from simcore.errors import InputError, StrategyError, described, nearest, shown
from simcore.strategies.interface import Strategy


def load_code(place: str, attribute: str) -> Any:
    """What stands under `attribute` in a Python file or an importable module.

    A compiled strategy, or something in plain Python that can be one. Raises InputError,
    StrategyError.
    """
    found = (_from_file if place.endswith(".py") else _from_module)(place, attribute)
    if not is_plain(found) and not isinstance(found, Strategy):
        raise StrategyError(
            f"{place}:{attribute} is a {type(found).__name__}, no strategy: put @strategy above "
            "it, or give a function choose(position) or a class with that method"
        )
    return found


def is_plain(value: object) -> bool:
    """Whether a value found under a strategy's name is one in plain Python."""
    if isinstance(value, type):
        return callable(getattr(value, "choose", None))
    if not inspect.isfunction(value):
        return False
    needed = [p for p in inspect.signature(value).parameters.values() if p.default is p.empty]
    return len(needed) == 1 and needed[0].kind is needed[0].POSITIONAL_OR_KEYWORD


def _from_file(place: str, attribute: str) -> Any:
    """`attribute` of a Python file outside any package."""
    path = Path(place)
    name = f"bigtwo_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(
            f"strategy file {str(path)!r} is no Python file; its name must end with .py"
        )
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # behind everything else: it may import its neighbours
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (StrategyError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise StrategyError(
            f"strategy file {str(path)!r} does not load: {described(error)}"
        ) from error
    if not hasattr(module, attribute):
        known = [
            k
            for k, v in vars(module).items()
            if isinstance(v, Strategy) or (is_plain(v) and v.__module__ == name)
        ]
        raise InputError(
            f"{path} has no {shown(attribute)}; {nearest(attribute, known or ['(no strategy)'])}"
        )
    return getattr(module, attribute)


def _from_module(module_name: str, attribute: str) -> Any:
    """`attribute` of an importable module."""
    try:
        module = importlib.import_module(module_name)
    except (StrategyError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InputError(
            f"strategy module {shown(module_name)} does not load: {described(error)}"
        ) from error
    if not hasattr(module, attribute):
        raise InputError(
            f"module {shown(module_name)} has no {shown(attribute)}; "
            "check the name behind the colon"
        )
    return getattr(module, attribute)
