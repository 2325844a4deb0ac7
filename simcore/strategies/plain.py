"""Strategies in plain Python: a class or a function that is given readable objects.

    class MyBot:                                      def my_bot(position, hold=4.0):
        def __init__(self, hold=4.0): …                   return position.plays[0]
        def choose(self, position):
            return position.plays[0]

`position` is a simcore.strategies.position.Position; the answer is one of `position.plays`.
Keywords with numbers as defaults are parameters. A class is made at its first question, once for
each process and set of parameters, so a model that it loads is loaded once. As with any strategy,
the same question must get the same answer: no state between calls, no randomness but
`position.rng`.

It is loaded and asked in a process of its own (simcore.strategies.host), never in the one that
plays, so whatever it does there is a sentence here. The engine reaches it through one compiled
function, the same for all: it passes on the addresses of its arguments, and params[0] says whose
question it is.
"""

import ctypes
import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, cast

from simcore.errors import StrategyError
from simcore.foundation import jit
from simcore.foundation.rng import STREAM
from simcore.game.groups import PLAY
from simcore.game.ruleset import RuleSet
from simcore.strategies.host import Host
from simcore.strategies.interface import HEAD, SIGNATURE, VIEW, Strategy

NO_PLAY = -1  # an index that ends the playout


@dataclass(frozen=True)
class PlainStrategy(Strategy):
    """A strategy in plain Python, which `host` asks in a process of its own."""

    host: Host = field(kw_only=True, repr=False, compare=False)

    def __reduce__(self) -> Any:
        """Pickled by where it is, to be hosted anew."""
        registry = import_module("simcore.strategies.registry")  # which imports this
        return registry.of_user, (self.host.place, self.host.attribute)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The compiled function that asks it."""
        return _bridge()


# --------------------------------------------------------------------------- the bridge

_callers: "weakref.WeakValueDictionary[int, Caller]" = weakref.WeakValueDictionary()
_numbers = itertools.count()


class Caller:
    """Asks a plain strategy with its parameters under one rule set; keeps what went wrong."""

    def __init__(self, strategy: PlainStrategy, params: tuple[float, ...], rules: RuleSet) -> None:
        self.host, self._params, self._rules = strategy.host, params, rules
        self.error: BaseException | None = None
        self.number = next(_numbers)
        _callers[self.number] = self

    def ask(self, view: int, plays: int, n_plays: int, stream: int) -> int:
        """The index of the play chosen; NO_PLAY, and `error`, if there is none.

        The arguments are addresses; the stream moves on as the strategy drew from it.
        """
        try:
            question = (
                ctypes.string_at(view, HEAD.itemsize)
                + ctypes.string_at(plays, PLAY.itemsize * n_plays)
                + ctypes.string_at(stream, STREAM.itemsize)
            )
            index, drawn, problem = self.host.ask(self._params, self._rules, n_plays, question)
            if problem:
                raise StrategyError(problem)
            ctypes.memmove(stream, drawn, STREAM.itemsize)
            return index
        except BaseException as error:  # Ctrl-C too: it must not pass through compiled code
            self.error = error
        return NO_PLAY


# Numba gives the address of an array only: of one inside the record.
_INTO_VIEW = cast(Any, VIEW.fields)["cards_left"][1]
_INTO_STREAM = cast(Any, STREAM.fields)["words"][1]


def _answer(number: float, view: int, plays: int, n_plays: int, stream: int) -> int:
    """A question of the engine, at these addresses."""
    return _callers[int(number)].ask(view - _INTO_VIEW, plays, n_plays, stream - _INTO_STREAM)


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
