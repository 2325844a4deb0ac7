"""The contract between the engine and a strategy.

A strategy is one function, compiled by `@strategy`:

    @strategy(threshold=2.0)
    def my_bot(view, plays, n_plays, params, rng):
        return 0

    view      record VIEW: what the seat may know, and nothing else
    plays     records PLAY (mask int64, kind, strength int32); plays[:n_plays] are the legal plays
              in canonical order, weakest first; when one may pass, the pass (mask 0) is the last
    n_plays   int64, at least 2: the engine does not ask when there is no choice
    params    float64 array, one item for each keyword of `@strategy`, in that order
    rng       record STREAM for `below(rng, n)` and `uniform(rng)` of simcore.foundation.rng

and returns the index of a play. Changing parameters or the lineup compiles nothing anew.

A card is `rank * 4 + suit`: ranks 0..12 are 3 4 5 6 7 8 9 T J Q K A 2, suits 0..3 follow the rule
set's order, low to high; a mask is an int64 with bit `card` set for each card. Kinds are the
numbers of simcore.game.kinds. Strength orders the plays of one kind: a single's is its card, a
pair's its higher card, that of triples, full houses and fours their rank, a straight's 4 * its
place in the rule set's list + the suit of the tie-break card.

A strategy keeps no state between calls: the same question must get the same answer, whatever was
played before (`plays` and `view` are copies; writing to `params` or `view.rules` ends the run). It
may create arrays, and `print` to debug. `bigtwo strategies check` tries all that.

Plain Python will do as well, slower: see simcore.strategies.plain.
"""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
from numba import types

from simcore.errors import StrategyError
from simcore.foundation import jit
from simcore.foundation.rng import STREAM
from simcore.game.groups import PLAY
from simcore.game.rule_table import RULES
from simcore.strategies.parameters import Parameter, places
from simcore.strategies.source import source_hash

MAX_PLAYERS = 4

VIEW = np.dtype(
    [
        ("hand", np.int64),  # own cards
        ("to_beat", np.int64),  # the standing play; 0: one leads
        ("to_beat_kind", np.int64),  # simcore.game.kinds; PASS: one leads
        ("to_beat_strength", np.int64),
        (
            "to_beat_by",
            np.int64,
        ),  # who made it, counted from oneself: 1 = next in turn; 0: one leads
        ("cards_left", np.int64, (MAX_PLAYERS,)),  # [0] own, [1] the next in turn, …
        ("seen", np.int64),  # all cards played so far
        ("passed", np.int64),  # bit k: the seat k after oneself passed since the last play
        ("locked", np.int64),  # bit k: the seat k after oneself is locked out of this trick
        ("starter", np.int64),  # who started, counted from oneself
        ("first_hand", np.int64),  # 1: the opening card's holder started; 0: a later hand's leader
        ("players", np.int64),
        ("fresh", np.int64),  # 1: one has not played yet
        ("required", np.int64),  # opening rule: card that the play must contain, 0: none
        ("turn", np.int64),  # turns taken so far, passes included
        ("trick", np.int64),  # number of the trick, from 1
        ("rules", RULES),
    ],
    align=True,
)

# The view up to its rules: what changes from one question to the next.
_FIELDS: Any = VIEW.fields
_NAMES = [name for name in VIEW.names or () if name != "rules"]
HEAD = np.dtype(
    {
        "names": _NAMES,
        "formats": [_FIELDS[name][0] for name in _NAMES],
        "offsets": [_FIELDS[name][1] for name in _NAMES],
        "itemsize": _FIELDS["rules"][1],
    }
)

VIEW_TYPE = numba.from_dtype(VIEW)
PLAYS_TYPE = types.Array(numba.from_dtype(PLAY), 1, "C")
PARAMS_TYPE = types.Array(types.float64, 1, "C")
STREAM_TYPE = numba.from_dtype(STREAM)
SIGNATURE = types.int64(VIEW_TYPE, PLAYS_TYPE, types.int64, PARAMS_TYPE, STREAM_TYPE)


@dataclass(frozen=True)
class Strategy:
    """A strategy with its name, parameters and documentation; compiled on first use."""

    name: str
    plain: Callable[..., Any] = field(repr=False, compare=False)  # as written
    doc: str
    parameters: tuple[Parameter, ...]  # in the order of `params`
    source_hash: str  # of the file that defines it
    own: bool = False  # one of the engine's
    direct: int = 0  # simcore.strategies.direct: the engine's own shortcut for a built-in
    version: int | None = None  # of a built-in; anybody else's is known by its source
    # Names of the weights that ship for it, one file a rule set (simcore.strategies.weights).
    weights: tuple[str, ...] = ()
    # Whether it plays by a network (simcore.strategies.networks): the address of its record
    # follows the parameters in `params`.
    networks: bool = False

    def __reduce__(self) -> Any:
        """One of the engine's own is pickled by its name."""
        if self.own:
            registry = import_module("simcore.strategies.registry")  # which imports this
            return registry.load_strategy, (self.name,)
        return super().__reduce__()

    @property
    def defaults(self) -> tuple[tuple[str, float], ...]:
        """Name and default of each parameter, in the order of `params`."""
        return tuple((p.name, p.default) for p in self.parameters)

    @property
    def places(self) -> Any:
        """The place of each parameter in `params`, as constants for kernels: `AT.danger`."""
        return places(p.name for p in self.parameters)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The compiled function. Raises StrategyError if it does not compile."""
        if self.own:
            return cast(Callable[..., Any], jit.typed(SIGNATURE)(self.plain))
        try:
            # Without the return type first: a float would be cut to an index without a word.
            compiled: Any = jit.typed(SIGNATURE.args, checked=True)(self.plain)
            returned = compiled.nopython_signatures[0].return_type if jit.JIT else types.int64
            if isinstance(returned, types.Integer) and returned != types.int64:
                compiled = jit.typed(SIGNATURE, checked=True)(self.plain)
        except Exception as error:  # numba raises its own errors, and KeyError for a field
            raise StrategyError(f"strategy {self.name!r} does not compile: {_why(error)}") from None
        if not isinstance(returned, types.Integer):
            raise StrategyError(
                f"strategy {self.name!r} returns {_returned(returned)}; it must return the index "
                "of a play, a whole number from 0 to n_plays - 1, whichever way it takes"
            )
        return cast(Callable[..., Any], compiled)


def _why(error: Exception) -> str:
    """A compiler's error in the words of somebody who writes a strategy."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, KeyError):
        fields = ", ".join((*VIEW.names, *PLAY.names))  # type: ignore[misc]
        return f"{error} is no field of view or of a play; those are {fields}"
    return text[:400]


def _returned(found: Any) -> str:
    """What a strategy returns instead of an index."""
    if isinstance(found, types.NoneType | types.Optional):
        return "nothing"
    return f"a {found}"


def strategy(
    function: Callable[..., Any] | None = None,
    /,
    *,
    direct: int = 0,
    version: int = 1,
    words: dict[str, tuple[str, ...]] | None = None,
    bounds: dict[str, tuple[float, float]] | None = None,
    weights: tuple[str, ...] = (),
    networks: bool = False,
    parameters: Mapping[str, float | Parameter] | None = None,
    **keywords: float | Parameter,
) -> Any:
    """Make a function a `Strategy`; keywords are its parameters: a default, or a `Parameter`.

    parameters: more of them, behind the keywords; words, bounds: those of parameters that are given
    by their default only; direct, version, weights, networks: for the engine's own. It is compiled
    when it is first asked for. Raises StrategyError for a default out of its bounds.
    """
    known = {
        key: value if isinstance(value, Parameter) else Parameter(value)
        for key, value in {**keywords, **(parameters or {})}.items()
    }
    for key in (*(words or {}), *(bounds or {})):
        if key not in known:
            raise StrategyError(f"words or bounds name a parameter {key!r} that there is not")
    for key, these in (words or {}).items():
        known[key] = replace(known[key], words=these)
    for key, (least, most) in (bounds or {}).items():
        known[key] = replace(known[key], least=least, most=most)
    named = tuple(parameter.named(key) for key, parameter in known.items())

    def wrap(f: Callable[..., Any]) -> Strategy:
        file = Path(inspect.getsourcefile(f) or "")
        own = file.is_file() and file.resolve().is_relative_to(Path(__file__).resolve().parents[1])
        if file.is_file() and not own:
            source = source_hash(file)
        else:
            text = file.read_bytes() if file.is_file() else inspect.getsource(f).encode()
            source = hashlib.sha256(text).hexdigest()[:16]
        return Strategy(
            name=f.__name__,
            plain=f,
            doc=inspect.getdoc(f) or "",
            parameters=named,
            source_hash=source,
            own=own,
            version=version if own else None,
            direct=direct,
            weights=weights,
            networks=networks,
        )

    return wrap(function) if function is not None else wrap
