"""Reading a run's playouts: the one place that turns seatings into slots, and rows into deals.

`read_run` opens a run and verifies its parts once, however many questions are asked of it then.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from simcore.columns import FORMAT, PER_SEAT
from simcore.errors import InputError, RunError, shown
from simcore.game.kinds import KINDS
from simcore.game.ruleset import RuleSet
from simcore.game.seatings import N_ORDERS, ORDER
from simcore.runs.parts import Part
from simcore.runs.run import normalised
from simcore.runs.schema import kind_numbers
from simcore.runs.store import Store
from simcore.runs.summary import MAX_HAND, Summary

MOST_TURNS = 2**15 - 1  # what their column holds


def slots_at(players: int, seating: Any) -> Any:
    """int8[…, players]: the slot at every seat, for each of the seatings."""
    return ORDER[players, : N_ORDERS[players], :players].astype(np.int8)[seating]


def by_seat(table: pa.Table, name: str, players: int) -> Any:
    """[rows, players]: a column that stands once for each seat."""
    first = table[f"{name}_0"].to_numpy()
    found = np.empty((len(first), players), first.dtype)
    found[:, 0] = first
    for seat in range(1, players):
        found[:, seat] = table[f"{name}_{seat}"].to_numpy()
    return found


@dataclass(frozen=True)
class Block:
    """Whole deals of a run: D deals, each in the same number of seatings K, at a table of n seats.

    Where hands are played in sessions, D counts sessions, which are what is drawn: K playouts are
    those of its first deal in all seatings, then of the second, and so on.
    columns: the stored ones that were asked for, [D, K] per playout, [D, K, n] per seat; last_kind
    as an index into KINDS.
    """

    strategies: tuple[str, ...]  # distinct names, in slot order
    slots: tuple[int, ...]  # how many slots each has
    dealt: int  # cards of each seat at the start; the starter's may be more
    deals: NDArray[np.int64]  # [D]; of a session, the first of its deals
    group: NDArray[np.int8]  # [D, K, n]: index of the strategy at each seat
    columns: dict[str, Any]
    session_hands: int = 1  # deals of a session

    def __len__(self) -> int:
        return len(self.deals)

    @property
    def seatings(self) -> int:
        """Playouts of each deal (or session)."""
        return int(self.group.shape[1])

    @property
    def deal(self) -> Any:
        """int64[D, K]: the number of each playout's deal."""
        hand = np.arange(self.seatings) * self.session_hands // self.seatings
        return self.deals[:, None] + hand

    @property
    def players(self) -> int:
        """Seats of the table."""
        return int(self.group.shape[2])

    @property
    def position(self) -> Any:
        """int8[D, K, n]: each seat counted from the starter (needs the column starter)."""
        seats = np.arange(self.players, dtype=np.int8)
        return (seats - self.columns["starter"][:, :, None]) % np.int8(self.players)

    @property
    def won(self) -> Any:
        """bool[D, K, n] (needs the column winner)."""
        return self.columns["winner"][:, :, None] == np.arange(self.players, dtype=np.int8)

    @property
    def slot(self) -> Any:
        """int8[D, K, n]: the slot at each seat (needs the column seating)."""
        return slots_at(self.players, self.columns["seating"])

    def by_strategy(self, values: Any) -> Any:
        """[D, K, G]: the sum of values[D, K, n] over the slots of each strategy."""
        found = [(values * (self.group == g)).sum(axis=2) for g in range(len(self.slots))]
        return np.stack(found, axis=2)

    def per_strategy(self, values: Any) -> Any:
        """[D, G]: the sum of values[D, K, n] over each strategy's playouts and slots."""
        flat, groups = values.reshape(len(self), -1), self.group.reshape(len(self), -1)
        found = [(flat * (groups == g)).sum(axis=1) for g in range(len(self.slots))]
        return np.stack(found, axis=1)

    def by_deal(self) -> "Block":
        """The same with every deal for itself, also those of one session."""
        deals = self.deal[:, :: self.seatings // self.session_hands].ravel()
        shape = (len(deals), self.seatings // self.session_hands)
        found = {name: x.reshape(*shape, *x.shape[2:]) for name, x in self.columns.items()}
        group = self.group.reshape(*shape, self.players)
        return Block(self.strategies, self.slots, self.dealt, deals, group, found)

    def in_sessions(self) -> "Block":
        """Each session as one playout: payoffs added up, other columns those of its first hand."""
        shape = (len(self), self.session_hands, -1)
        whole = {name: x.reshape(*shape, *x.shape[2:]) for name, x in self.columns.items()}
        found = {k: x.sum(axis=1) if k == "payoff" else x[:, 0] for k, x in whole.items()}
        group = self.group.reshape(*shape, self.players)[:, 0]
        return Block(self.strategies, self.slots, self.dealt, self.deals, group, found)

    def take(self, chosen: Any) -> "Block":
        """The block of some deals, by index, numbered anew; for resampling."""
        return Block(
            self.strategies,
            self.slots,
            self.dealt,
            np.arange(len(chosen)),
            self.group[chosen],
            {name: values[chosen] for name, values in self.columns.items()},
            self.session_hands,
        )


def block_of(
    table: pa.Table, lineup: Sequence[str], columns: Sequence[str], dealt: int = 0, hands: int = 1
) -> Block:
    """Playouts of whole deals, ordered by deal, as arrays.

    lineup: names by slot; columns: stored names, those per seat without their number ("payoff");
    dealt: cards per seat, 0 for all that divide; hands: deals of a session.
    """
    players = len(lineup)
    deals = table["deal"].to_numpy()
    n_deals = (1 + int((np.diff(deals) != 0).sum())) // hands
    shape = (n_deals, len(deals) // n_deals)
    groups = list(dict.fromkeys(lineup))
    group_of = np.array([groups.index(name) for name in lineup], np.int8)
    found = {}
    for name in columns:
        if name in PER_SEAT:
            found[name] = by_seat(table, name, players).reshape(*shape, players)
        elif name == "last_kind":
            found[name] = kind_numbers(table[name]).reshape(shape)
        else:
            found[name] = table[name].to_numpy().reshape(shape)
    group = group_of[slots_at(players, table["seating"].to_numpy())]
    return Block(
        tuple(groups),
        tuple(list(lineup).count(name) for name in groups),
        dealt or 52 // players,
        deals.reshape(shape)[:, 0],
        group.reshape(*shape, players),
        found,
        hands,
    )


class RunReader:
    """A run that was opened to read; its parts are whole, and were verified when it was opened."""

    def __init__(
        self,
        identity: dict[str, Any],
        store: Store | None,
        tables: Sequence[pa.Table] = (),
        summary: Summary | None = None,
    ) -> None:
        self.identity = identity
        self.store = store  # None: a run in memory
        self.lineup: list[str] = [entrant["name"] for entrant in identity["lineup"]]
        self.players = int(identity["players"])
        self.parts: list[Part] = store.good_parts() if store is not None else []
        self._summary = summary
        in_order = sorted(tables, key=lambda table: table["deal"][0].as_py())
        self._table: Any = pa.concat_tables(in_order) if in_order else None  # of a run in memory

    @property
    def document(self) -> dict[str, Any]:
        """The contents of run.json; {} for a run in memory."""
        return self.store.document if self.store is not None else {}

    @property
    def place(self) -> str:
        """Its folder or URL; "in memory"."""
        return self.store.storage.place if self.store is not None else "in memory"

    @property
    def form(self) -> int:
        """Its format (simcore.columns)."""
        return self.store.form if self.store is not None else FORMAT

    @property
    def keeps_playouts(self) -> bool:
        """Whether there are rows: not in a run that keeps its sums only."""
        return self.store.keeps == "playouts" if self.store is not None else self._table is not None

    @property
    def summary(self) -> Summary:
        """The exact sums over all its deals."""
        if self._summary is None:
            self._summary = self.parts[0].summary
            for part in self.parts[1:]:
                self._summary += part.summary
        return self._summary

    @property
    def column_names(self) -> list[str]:
        """Names of the stored columns. Raises RunError for a run that keeps no playouts."""
        self._need_playouts()
        if self.store is None:
            return list(self._table.schema.names)
        with self.store.storage.open(f"playouts/{self.parts[0].name}") as file:
            return list(pq.read_schema(file).names)

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The stored rows, part by part, by deal and seating.

        columns: only these, by their stored names. Raises RunError for a run that keeps none.
        """
        self._need_playouts()
        if self.store is None:
            yield self._table if columns is None else self._table.select(list(columns))
        for part in self.parts:
            yield self.read(part, columns)

    def tables_of_deals(self, first: int, end: int) -> Iterator[pa.Table]:
        """The stored rows of deals first … end - 1 of a run on disk, part by part."""
        for part in self.parts:
            if part.first < end and first < part.end:
                table = self.read(part)
                low, high = np.searchsorted(table["deal"].to_numpy(), (first, end))
                yield table.slice(low, high - low)

    def read(self, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of one part of a run on disk. Raises RunError for values that cannot be."""
        assert self.store is not None
        path, system = self.store.part_path(part), self.store.storage.filesystem
        try:
            table = pq.read_table(path, columns=columns, filesystem=system)
        except (OSError, pa.ArrowException) as error:
            raise RunError(
                f"{path!r} cannot be read ({str(error).splitlines()[0]:.200}); run the run's "
                "command again, which plays its deals anew"
            ) from None
        problem = self._impossible(table, part)
        if problem:
            raise RunError(f"{path!r}: {problem}; do not trust this file")
        return table

    def _impossible(self, table: pa.Table, part: Part) -> str:
        """What in the rows of a part cannot be, "" for nothing: kernels rely on the rest."""
        if "deal" in table.schema.names:
            deals = table["deal"].to_numpy()
            due = np.repeat(np.arange(part.first, part.end), part.summary.playouts_per_deal)
            if len(deals) != len(due):
                return f"it has {len(deals):,} rows, not {len(due):,}"
            if (deals != due).any():
                row = int((deals != due).argmax())
                return f"deal is {deals[row]} in row {row}, not {due[row]}"
        orders = int(N_ORDERS[self.players]) - 1
        bounds = {"seating": orders, "starter": self.players - 1, "winner": self.players - 1}
        bounds |= {"plays": MOST_TURNS, "passes": MOST_TURNS, "tricks": MOST_TURNS}
        for seat in range(self.players):
            bounds |= {f"cards_left_{seat}": MAX_HAND, f"twos_left_{seat}": 4}
        bounds["payer"] = self.players - 1
        for name, most in bounds.items():
            if name in table.schema.names:
                values, least = table[name].to_numpy(), -1 if name == "payer" else 0
                wrong = (values < least) | (values > most)
                if wrong.any():
                    row = int(wrong.argmax())
                    return f"{name} is {values[row]} in row {row}, not {least} to {most}"
        if "last_kind" in table.schema.names:
            for chunk in table["last_kind"].chunks:
                for kind in set(chunk.dictionary.to_pylist()) - set(KINDS):
                    return f"last_kind is {shown(kind)}, which is no kind"
        return ""

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        """The same as arrays of whole deals. columns: those per seat without their number."""
        wanted = ["deal", "seating"]
        for name in columns:
            wanted += [f"{name}_{s}" for s in range(self.players)] if name in PER_SEAT else [name]
        dealt, hands = self.rules.deal, self.rules.session_hands
        for table in self.tables(list(dict.fromkeys(wanted))):
            yield block_of(table, self.lineup, columns, dealt, hands)

    @property
    def rules(self) -> RuleSet:
        """The rules of the run."""
        return RuleSet.from_dict(self.identity["rules"])

    @property
    def lineup_with_code(self) -> list[str]:
        """The lineup, each with the version, or the hash, of its strategy's code."""
        found = (
            f"version {e['version']}" if "version" in e else f"source {e['source'][:8]}"
            for e in normalised(self.identity)["lineup"]
        )
        return [f"{name} ({code})" for name, code in zip(self.lineup, found, strict=True)]

    def _need_playouts(self) -> None:
        if not self.keeps_playouts:
            raise RunError(
                f"run {self.place!r} keeps sums only; use analyses.run_summary, or simulate it "
                "into another folder without --summary-only"
            )


Source = str | Path | RunReader | Block | Any  # or what `simulate` returned


def read_run(run: Any) -> RunReader:
    """Open a run: its folder (or URL), or what `simulate` returned. Raises RunError, InputError."""
    if isinstance(run, RunReader):
        return run
    if isinstance(run, str | Path):
        store = Store.open(run)
        return RunReader(store.document["identity"], store)
    if not hasattr(run, "folder"):
        raise InputError(f"{run!r:.80} is no run; give its folder, or what simulate returned")
    if run.folder is not None:
        return read_run(run.folder)
    return RunReader(run.identity, None, run.tables, run.summary)


def runs_in(places: Sequence[Source]) -> list[Source]:
    """Runs as they are; a folder that holds runs, as that of a comparison does, as those."""
    found: list[Source] = []
    for place in places:
        if not isinstance(place, str):
            found.append(place)
            continue
        folder = Path(place)
        inner = [] if (folder / "run.json").exists() else sorted(folder.glob("*/run.json"))
        found += [str(file.parent) for file in inner] or [place]
    return found


def blocks(run: Source, columns: Sequence[str]) -> Iterator[Block]:
    """The deals of a run in order, a part at a time, so that any run fits into memory.

    columns: stored names, those per seat without their number ("payoff"). Raises RunError for a
    run that keeps no playouts.
    """
    if isinstance(run, Block):
        yield run
    else:
        yield from read_run(run).blocks(columns)
