"""Playouts of a run as records."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from simcore.errors import InputError
from simcore.game.cards import card_names
from simcore.game.dealing import is_first_hand
from simcore.game.rule_table import rule_table
from simcore.game.seatings import N_ORDERS, ORDER
from simcore.records.record import Hand, Record, Turn
from simcore.records.rules import written
from simcore.runs.reading import RunReader, read_run
from simcore.runs.run import run_id, setup_of
from simcore.simulation.playout import MAX_TURNS
from simcore.simulation.replay import Replay
from simcore.simulation.setup import Setup, Workspace
from simcore.simulation.watch import watched


def playouts(
    run: Any,
    deals: tuple[int, int] | None = None,
    seating: int | None = None,
    trust: bool = False,
) -> Iterator[Record]:
    """Playouts of a run, played again, as records: by deal, then by seating.

    run: its folder, or what `simulate` returned; deals: (first, end), default: all of the run's;
    seating: only this one, default: all in which the run plays each deal; trust: whether code that
    a run on disk names, and that is not the laboratory's, may be executed. The id of a record is
    "run id/deal/seating". Raises RunError, InputError, StrategyError.
    """
    reader = read_run(run)
    setup = setup_of(reader.identity, trust or reader.store is None)
    numbers = [n for first, end in deal_ranges(reader, deals) for n in range(first, end)]
    if seating is not None and not 0 <= seating < N_ORDERS[setup.players]:
        raise InputError(
            f"seating {seating} is out of bounds: 0 to {N_ORDERS[setup.players] - 1} for "
            f"{setup.players} players"
        )
    work = Workspace(setup, traced=1 if seating is not None else setup.seatings_per_deal)
    run_name = reader.store.id if reader.store is not None else run_id(reader.identity)
    rules = written(setup.rules)
    for deal in numbers:
        for record in _of_deal(setup, work, deal, seating):
            yield replace(record, rules=rules, id=f"{run_name}/{deal}/{record.id}")


def write(
    run: Any,
    file: str | Path,
    deals: tuple[int, int] | None = None,
    seating: int | None = None,
    trust: bool = False,
) -> int:
    """Write playouts of a run as records, see `playouts`; returns their number.

    The file appears whole or not at all. Raises InputError if it cannot be written.
    """
    path = Path(file)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    number = 0
    found = playouts(run, deals, seating, trust)
    try:
        with temporary.open("w", encoding="utf-8") as opened:
            for record in found:
                opened.write(record.as_line() + "\n")
                number += 1
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            f"records {str(file)!r} cannot be written: {error.strerror or error}; choose another "
            "file"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)
    return number


def of_replay(found: Replay, setup: Setup) -> Record:
    """A playout that was played again, as a record."""
    return Record(
        players=setup.players,
        turns=tuple(Turn(turn["seat"], tuple(turn["cards"])) for turn in found.turns),
        hands=tuple(map(tuple, found.hands)),
        rules=written(setup.rules),
        names=tuple(found.lineup[slot] for slot in found.slots),
        starter=found.starter,
        first_hand=_is_first(setup, found.deal),
        payoffs=tuple(found.payoffs),
        stake=setup.stake,
        id=f"seed {found.seed}, deal {found.deal}, seating {found.seating}",
    )


def _is_first(setup: Setup, deal: int) -> bool:
    return bool(is_first_hand(rule_table(setup.rules)[0], deal))


def deal_ranges(reader: RunReader, wanted: tuple[int, int] | None) -> list[tuple[int, int]]:
    """The deals asked for, as ranges. Raises InputError for one that the run has not played."""
    if reader.store is not None:
        played = [(part.first, part.end) for part in reader.parts]
    else:
        tables = [table["deal"] for table in reader.tables(["deal"])]
        played = [(deals[0].as_py(), deals[-1].as_py() + 1) for deals in tables]
    if wanted is None:
        return played
    first, end = wanted
    found = [(max(first, a), min(end, b)) for a, b in played if a < end and first < b]
    if first >= end or sum(b - a for a, b in found) != end - first:
        number = sum(b - a for a, b in played)
        raise InputError(
            f"deals {first}:{end} are not all in the run, which has {number:,}, from "
            f"{played[0][0]} to {played[-1][1] - 1}; give others, or extend the run"
        )
    return found


@lru_cache(maxsize=1 << 16)
def _names(mask: int, suits: str) -> Hand:
    return tuple(card_names(mask, suits))


def _of_deal(setup: Setup, work: Workspace, deal: int, seating: int | None) -> Iterator[Record]:
    """The playouts of one deal; the id is the seating."""
    rows = watched(work, lambda: work.play(deal, 1, seating))
    suits, players = setup.rules.suits, setup.players
    hands = tuple(_names(mask, suits) for mask in work.hands_dealt())
    for row in range(len(rows)):
        first = row * MAX_TURNS
        trace = work.trace[first : first + int(rows["plays"][row] + rows["passes"][row])]
        k = int(rows["seating"][row])
        yield Record(
            players=players,
            turns=tuple(
                Turn(seat, _names(mask, suits))
                for seat, mask in zip(trace.seat.tolist(), trace.mask.tolist(), strict=True)
            ),
            hands=hands,
            names=tuple(setup.lineup[slot].name for slot in ORDER[players, k, :players]),
            starter=int(rows["starter"][row]),
            first_hand=_is_first(setup, deal),
            payoffs=tuple(rows["payoff"][:, row].tolist()),
            stake=setup.stake,
            id=k,
        )
