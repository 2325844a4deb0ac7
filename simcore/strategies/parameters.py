"""Parameters of strategies: numbers, or words that stand for numbers, which a lineup may change."""

import math
from collections import namedtuple
from collections.abc import Iterable
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import Any

from simcore.errors import InputError, StrategyError, nearest, shown


@dataclass(frozen=True)
class Parameter:
    """One parameter of a strategy; `@strategy(hold=Parameter(4.0, "…", least=0))` names it."""

    default: float
    about: str = ""  # what it means, in a short sentence
    least: float = -math.inf
    most: float = math.inf
    words: tuple[str, ...] = ()  # written instead of the numbers 0, 1, …
    name: str = ""

    def named(self, name: str) -> "Parameter":
        """As parameter `name` of a strategy. Raises StrategyError for a default out of bounds."""
        least, most = (0, len(self.words) - 1) if self.words else (self.least, self.most)
        if not least <= self.default <= most:
            raise StrategyError(
                f"parameter {name} has the default {self.default:g}, which is out of bounds: "
                f"{_bounds(least, most)}"
            )
        return replace(self, name=name, default=float(self.default), least=least, most=most)

    def read(self, text: str, strategy: str) -> float:
        """The value that `text` says; strategy: whose it is, in sentences. Raises InputError."""
        whose = f"parameter {self.name} of {shown(strategy)}"
        if self.words:
            if text not in self.words:
                raise InputError(f"{whose} is {shown(text)}; {nearest(text, self.words)}")
            return float(self.words.index(text))
        try:
            value = float(text)
        except ValueError:
            raise InputError(f"{whose} is {shown(text)}; give a number") from None
        if not math.isfinite(value):
            raise InputError(f"{whose} is {shown(text)}; give a finite number")
        return self.checked(value, strategy)

    def checked(self, value: float, strategy: str) -> float:
        """The value. Raises InputError if it is out of bounds."""
        if not self.least <= value <= self.most:
            raise InputError(
                f"parameter {self.name} of {strategy!r} is {value:g}, which is out of bounds: "
                f"{self.bounds}"
            )
        return value

    def write(self, value: float) -> str:
        """The text that `read` reads."""
        return self.words[int(value)] if self.words else format(value, "g")

    @property
    def bounds(self) -> str:
        """Its least and most value in words; "" if it has neither."""
        return _bounds(self.least, self.most)


def _bounds(least: float, most: float) -> str:
    if math.isinf(least) and math.isinf(most):
        return ""
    if math.isinf(most):
        return f"at least {least:g}"
    return f"at most {most:g}" if math.isinf(least) else f"{least:g} to {most:g}"


def places(names: Iterable[str]) -> Any:
    """A named tuple of the numbers 0, 1, …, one for each name: constants for kernels.

    A name that Python keeps for itself gets an underscore behind it: `pass_`.
    """
    fields = [f"{name}_" if iskeyword(name) else name for name in names]
    return namedtuple("Places", fields)(*range(len(fields)))  # type: ignore[misc]
