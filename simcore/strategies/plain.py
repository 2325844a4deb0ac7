"""Strategies in plain Python: a class or a function that is given readable objects.

    class MyBot:                                      def my_bot(position, hold=4.0):
        def __init__(self, hold=4.0): …                   return position.plays[0]
        def choose(self, position):
            return position.plays[0]

`position` is a simcore.strategies.position.Position; the answer is one of `position.plays`.
Keywords with numbers as defaults are parameters. A class is made once for each process and set of
parameters, so a model that it loads is loaded once. As with any strategy, the same question must
get the same answer: no state between calls, no randomness but `position.rng`.

The engine reaches Python through one compiled function, the same for all: it passes on the
addresses of its arguments, and params[0] says whose question it is.
"""

import ctypes
import hashlib
import inspect
import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from simcore.errors import StrategyError
from simcore.foundation import jit
from simcore.foundation.rng import STREAM
from simcore.game.groups import PLAY
from simcore.game.ruleset import RuleSet
from simcore.strategies.interface import SIGNATURE, VIEW, Strategy
from simcore.strategies.parameters import Parameter
from simcore.strategies.position import Play, Position, position_of

NO_PLAY = -1  # an index that ends the playout


@dataclass(frozen=True)
class PlainStrategy(Strategy):
    """A strategy in plain Python; `plain` is the class or function."""

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The compiled function that asks it."""
        return _bridge()

    def chooser(self, params: tuple[float, ...]) -> Callable[[Position], Any]:
        """What answers its questions, made once for each set of parameters."""
        keys = (p.name for p in self.parameters)
        return _chooser(self.plain, tuple(zip(keys, params, strict=True)))


@lru_cache(maxsize=64)
def _chooser(
    plain: Callable[..., Any], params: tuple[tuple[str, float], ...]
) -> Callable[[Position], Any]:
    values = dict(params)
    if not isinstance(plain, type):
        return lambda position: plain(position, **values)
    try:
        return cast(Callable[[Position], Any], plain(**values).choose)
    except Exception as error:
        raise StrategyError(
            f"strategy {plain.__name__!r} cannot be made: {type(error).__name__}: {error}"
        ) from error


def is_plain(value: object) -> bool:
    """Whether a value found under a strategy's name is one in plain Python."""
    if isinstance(value, type):
        return callable(getattr(value, "choose", None))
    if not inspect.isfunction(value):
        return False
    needed = [p for p in inspect.signature(value).parameters.values() if p.default is p.empty]
    return len(needed) == 1 and needed[0].kind is needed[0].POSITIONAL_OR_KEYWORD


def plain_strategy(value: Any) -> PlainStrategy:
    """Make a class with `choose(position)` or a function of a position a strategy.

    Raises StrategyError for a parameter without a number.
    """
    parameters = list(inspect.signature(value).parameters.values())
    if not isinstance(value, type):
        parameters = parameters[1:]  # the first is the position
    for parameter in parameters:
        if not isinstance(parameter.default, int | float):
            raise StrategyError(
                f"parameter {parameter.name} of strategy {value.__name__!r} has no number as its "
                "default; give it one"
            )
    file = Path(inspect.getsourcefile(value) or "")
    return PlainStrategy(
        name=value.__name__,
        plain=value,
        doc=inspect.getdoc(value) or "",
        parameters=tuple(Parameter(p.default).named(p.name) for p in parameters),
        source_hash=hashlib.sha256(file.read_bytes()).hexdigest()[:16],
    )


# --------------------------------------------------------------------------- the bridge

_callers: "weakref.WeakValueDictionary[int, Caller]" = weakref.WeakValueDictionary()
_numbers = itertools.count()


class Caller:
    """Asks a plain strategy with its parameters under one rule set; keeps what it raised."""

    def __init__(self, strategy: PlainStrategy, params: tuple[float, ...], rules: RuleSet) -> None:
        self.choose = strategy.chooser(params)
        self.rules = rules
        self.error: BaseException | None = None
        self.number = next(_numbers)
        _callers[self.number] = self

    def ask(self, view: dict[str, Any], plays: Any, stream: Any) -> int:
        """The index of the play chosen; NO_PLAY, and `error`, if there is none."""
        try:
            position = position_of(view, plays, self.rules, stream)
            found = self.choose(position)
            if isinstance(found, Play) and found in position.plays:
                return position.plays.index(found)
            self.error = StrategyError(f"returned {found!r:.80}, which is none of position.plays")
        except BaseException as error:  # Ctrl-C too: it must not pass through compiled code
            self.error = error
        return NO_PLAY


# The view up to its rules, which are the caller's.
_HEAD = [name for name in VIEW.names or () if name != "rules"]
_FIELDS: Any = VIEW.fields
_HEAD_DTYPE = np.dtype(
    {
        "names": _HEAD,
        "formats": [_FIELDS[name][0] for name in _HEAD],
        "offsets": [_FIELDS[name][1] for name in _HEAD],
        "itemsize": VIEW.itemsize,
    }
)
# Numba gives the address of an array only: of one inside the record.
_INTO_VIEW = _FIELDS["cards_left"][1]
_INTO_STREAM = cast(Any, STREAM.fields)["words"][1]


@lru_cache(maxsize=256)
def _at(address: int, dtype: np.dtype, items: int) -> Any:
    """The records that begin at an address."""
    memory: Any = (ctypes.c_char * (dtype.itemsize * items)).from_address(address)
    return np.frombuffer(memory, dtype).view(np.recarray)


def head_of(view: Any) -> dict[str, Any]:
    """The fields of a record VIEW, except its rules."""
    return dict(zip(_HEAD, view.item(), strict=True))


def _answer(number: float, view: int, plays: int, n_plays: int, stream: int) -> int:
    """A question of the engine, at these addresses."""
    return _callers[int(number)].ask(
        head_of(_at(view - _INTO_VIEW, _HEAD_DTYPE, 1)[0]),
        _at(plays, PLAY, n_plays),
        _at(stream - _INTO_STREAM, STREAM, 1)[0],
    )


@lru_cache(maxsize=1)
def _bridge() -> Callable[..., Any]:
    """The compiled function that asks Python."""
    address = ctypes.c_int64
    answer = ctypes.CFUNCTYPE(address, ctypes.c_double, address, address, address, address)(_answer)

    def ask_python(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
        return answer(
            params[0],
            view.cards_left.ctypes.data,
            plays.ctypes.data,
            n_plays,
            rng.words.ctypes.data,
        )

    return cast(Callable[..., Any], jit.typed(SIGNATURE, checked=True)(ask_python))
