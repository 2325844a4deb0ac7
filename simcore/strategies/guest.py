"""Compiled strategies of users: described by a process of their own, compiled and asked in another.

`hosted` loads and compiles one to say what it is; simcore.simulation.sandbox plays with it. The
process that wants to know how it plays never executes its code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simcore.errors import StrategyError
from simcore.strategies.interface import Strategy
from simcore.strategies.loading import load_code


@dataclass(frozen=True, kw_only=True)
class Guest(Strategy):
    """A compiled strategy of somebody else's; its function is for the process that it plays in."""

    place: str  # a Python file, in full, or a module
    attribute: str

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The compiled function. Raises InputError, StrategyError."""
        found: Strategy = load_code(self.place, self.attribute)
        if found.source_hash != self.source_hash:
            raise StrategyError(
                f"the file of strategy {self.name!r} has changed since this began; start again"
            )
        return found.function
