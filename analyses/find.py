"""Playouts by what happened in them: an event, the kind of the last play, or a condition."""

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analyses.rare import COLUMNS as EVENT_COLUMNS
from analyses.rare import EVENTS
from simcore.columns import PER_PLAYOUT, PER_SEAT
from simcore.errors import InputError, nearest
from simcore.game.kinds import KINDS
from simcore.runs.reading import Block, Source, blocks, read_run

COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
OF_A_SEAT = ("seat", "strategy", "won", "from_starter")
LONGEST = 300  # characters of a condition
LARGE = 10**9  # more than any column holds; so products of a few fit into 64 bits


def find(run: Source, what: str, most: int | None = 20) -> pd.DataFrame:
    """The first playouts in which one of some things happened.

    what: separated by commas, each an event of `analyses.rare.EVENTS` (grand_slam, stuck, …), a
    kind for the last play (dragon, …), or a condition on the columns ("plays < 12", "payoff < -100
    and cards_left == 13"), with and, or, not, + - * and comparisons. Columns of a seat (payoff,
    cards_left, seat, strategy, won, from_starter …) hold for some seat, the same one throughout a
    condition; payoff_0 is seat 0's. Columns: deal, seating, what (the first that happened),
    starter, winner, last_kind, plays, payoff_0, …. Raises InputError, RunError.
    """
    conditions = [Condition(text.strip()) for text in what.split(",")]
    stored = read_run(run).column_names if not isinstance(run, Block) else list(run.columns)
    wanted = {*EVENT_COLUMNS, "plays", "payoff"}
    for condition in conditions:
        wanted |= condition.columns(stored)
    found: list[dict[str, Any]] = []
    for block in blocks(run, sorted(wanted)):
        happened = np.stack([condition.holds(block) for condition in conditions])
        for d, k in np.argwhere(happened.any(axis=0)):
            if most is not None and len(found) >= most:
                return pd.DataFrame(found)
            columns = {name: values[d, k] for name, values in block.columns.items()}
            found.append(
                {
                    "deal": int(block.deal[d, k]),
                    "seating": int(columns["seating"]),
                    "what": conditions[int(happened[:, d, k].argmax())].text,
                    "starter": int(columns["starter"]),
                    "winner": int(columns["winner"]),
                    "last_kind": KINDS[columns["last_kind"]],
                    "plays": int(columns["plays"]),
                    **{f"payoff_{seat}": int(x) for seat, x in enumerate(columns["payoff"])},
                }
            )
    return pd.DataFrame(found)


@dataclass(frozen=True)
class Condition:
    """One thing that may have happened; only what is listed here is ever evaluated."""

    text: str

    def tree(self) -> ast.expr:
        """The condition, parsed. Raises InputError."""
        try:
            if len(self.text) > LONGEST:
                raise ValueError
            return ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(
                f"{self.text[:60]!r} is no condition; write it as in 'grand_slam', 'dragon', "
                "'plays < 12', or 'payoff < -100 and cards_left == 13'"
            ) from None

    def columns(self, stored: list[str]) -> set[str]:
        """The columns that it looks at. Raises InputError for a name that is none."""
        per_seat = [name for name in PER_SEAT if name in stored or f"{name}_0" in stored]
        playout = [name for name in PER_PLAYOUT if name != "deal" and name in stored]
        found = set()
        for node in ast.walk(self.tree()):
            if not isinstance(node, ast.Name):
                continue
            column = node.id
            if column[-2:-1] == "_" and column[-1].isdecimal():
                column = column[:-2]
            if node.id in playout or column in per_seat:
                found.add(column)
            elif node.id not in (*EVENTS, *KINDS[1:], *OF_A_SEAT, "deal"):
                known = (*EVENTS, *KINDS[1:], *playout, *per_seat, *OF_A_SEAT, "deal")
                raise InputError(
                    f"unknown {node.id!r} in {self.text[:60]!r}; {nearest(node.id, known)}"
                )
        return found

    def holds(self, block: Block) -> Any:
        """bool[D, K]: where it happened, to some seat."""
        value = self._value(self.tree(), block)
        if _kind(value) != "b":
            raise self._no(self.text)
        shape = (len(block), block.seatings, block.players)
        return np.broadcast_to(value, shape).any(axis=2)

    def _no(self, part: str) -> InputError:
        return InputError(
            f"{part[:60]!r} is no condition; conditions compare columns with numbers, as in "
            "'plays < 12'"
        )

    def _value(self, node: ast.expr, block: Block) -> Any:
        """A part of the condition as an array that fits [D, K, n], a number, or a text."""
        match node:
            case ast.BoolOp(op=ast.And(), values=values):
                return np.logical_and.reduce(
                    np.broadcast_arrays(*(self._truth(value, block) for value in values))
                )
            case ast.BoolOp(values=values):
                return np.logical_or.reduce(
                    np.broadcast_arrays(*(self._truth(value, block) for value in values))
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ~self._truth(operand, block)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._figure(operand, block)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                return ARITHMETIC[type(op)](self._figure(left, block), self._figure(right, block))
            case ast.Compare(left=first, ops=ops, comparators=others):
                values = [self._value(part, block) for part in (first, *others)]
                kinds = {_kind(value) for value in values}
                if "b" in kinds or ("U" in kinds and len(kinds) > 1):
                    raise self._no(self.text)
                found = np.ones((1, 1, 1), bool)
                for a, comparison, b in zip(values, ops, values[1:], strict=False):
                    if type(comparison) not in COMPARISONS:
                        raise self._no(self.text)
                    found = found & COMPARISONS[type(comparison)](a, b)
                return found
            case ast.Constant(value=str() as value):
                return value
            case ast.Constant(value=bool()):
                raise self._no(ast.unparse(node))
            case ast.Constant(value=int() | float() as value) if abs(value) < LARGE:
                return value
            case ast.Name(id=name):
                return self._named(name, block)
        raise self._no(ast.unparse(node))

    def _truth(self, node: ast.expr, block: Block) -> Any:
        value = self._value(node, block)
        if _kind(value) != "b":
            raise self._no(ast.unparse(node))
        return value

    def _figure(self, node: ast.expr, block: Block) -> Any:
        value = self._value(node, block)
        if _kind(value) in "bU":
            raise self._no(ast.unparse(node))
        return value

    def _named(self, name: str, block: Block) -> Any:
        """A column, an event or a kind, as an array that fits [D, K, n]."""
        if name in EVENTS:
            return EVENTS[name].happened(block)[:, :, None]
        if name in KINDS:
            return (block.columns["last_kind"] == KINDS.index(name))[:, :, None]
        if name == "deal":
            return block.deal[:, :, None]
        if name == "seat":
            return np.arange(block.players)[None, None, :]
        if name == "strategy":
            return np.array(block.strategies)[block.group]
        if name == "won":
            return block.won
        if name == "from_starter":
            return block.position
        if name == "last_kind":
            return np.array(KINDS)[block.columns[name]][:, :, None]
        if name in block.columns:
            values = block.columns[name].astype(np.int64)
            return values if values.ndim == 3 else values[:, :, None]
        column, _, seat = name.rpartition("_")
        if int(seat) >= block.players:
            raise InputError(f"{name!r}: seats are 0 to {block.players - 1}")
        return block.columns[column].astype(np.int64)[:, :, int(seat), None]


def _kind(value: Any) -> str:
    """b: true or false; i, f: a figure; U: a text."""
    return np.asarray(value).dtype.kind
