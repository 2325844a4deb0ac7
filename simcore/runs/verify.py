"""Whether a run says the truth: its sums added up again, and a sample of its deals played again."""

import random
import threading
from dataclasses import asdict, dataclass, field
from typing import Any

from simcore.columns import needed_in
from simcore.errors import InputError, RunError
from simcore.game.ruleset import RuleSet
from simcore.runs.executors import Tally, Worker, max_step_deals
from simcore.runs.parts import Part
from simcore.runs.reading import RunReader, Source, read_run
from simcore.runs.run import code_of_others, setup_of
from simcore.runs.schema import fill_rows, to_table
from simcore.runs.turns import verify_turns
from simcore.simulation.setup import Rows, Setup, Workspace
from simcore.strategies.registry import Entrant, load_strategy

MAX_PARTS = 20  # that are played again for one sample


@dataclass(frozen=True)
class Verification:
    """What was compared; a difference raises instead."""

    run: str
    parts: int  # all of them: names, checksums, stamps
    deals: int  # of the run
    playouts_added: int  # rows whose sums were compared with those that the parts state
    deals_compared: int  # that were played again
    playouts_compared: int
    not_played: list[str] = field(default_factory=list)  # strategies that nobody trusted
    turn_parts: int = 0  # of the rows for turns, if the run has some
    turns_compared: int = 0  # that were played again

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return asdict(self)


def verify(run: Source, sample: int = 1000, seed: int = 0, trust: bool = False) -> Verification:
    """Check every part's checksum and sums, and play a random sample of deals again.

    run: its folder, or what `simulate` returned; sample: number of deals; trust: whether the code
    of strategies that are not the laboratory's may be executed: without it, a run of theirs is not
    played again, and `not_played` says so. Raises RunError naming the first deal, seating and
    column that differ, the sum that is none, or the file that is damaged.
    """
    if sample < 1:
        raise InputError(f"sample {sample} is out of bounds: at least 1 deal")
    reader = read_run(run)
    if reader.store is None:
        raise InputError("a run in memory has no files to verify; simulate with out=")
    parts, others = reader.parts, [] if trust else code_of_others(reader.identity)
    compared, per_deal, setup = 0, reader.summary.playouts_per_deal, None
    if not others:
        setup = setup_of(reader.identity, trust)
        chosen = random.Random(seed).sample(parts, min(MAX_PARTS, len(parts)))
        for part in chosen:
            number = -(-(sample - compared) // max(1, len(chosen) - chosen.index(part)))
            if number <= 0:
                break
            if reader.keeps_playouts:
                compared += _compare_playouts(reader, setup, part, number, seed)
            else:
                compared += _compare_tally(reader, setup, part)
    added = check_sums(reader)
    turns = verify_turns(reader.store, setup, reader.players, sample, seed)
    deals, run_id = reader.summary.n_deals, str(reader.document["id"])
    return Verification(
        run_id, len(parts), deals, added, compared, compared * per_deal, others, *turns
    )


def check_sums(reader: RunReader) -> int:
    """Add up every part's rows, and compare with the sums that the part states; returns the rows.

    No strategy is loaded. Raises RunError for a part whose rows are not those of its deals, or do
    not come to its sums. A run of sums only has no rows to add up.
    """
    if not reader.keeps_playouts:
        return 0
    setup, total = _adding_setup(reader), 0
    step = max_step_deals(setup)
    for part, table in zip(reader.parts, reader.tables(), strict=True):
        tally = Tally(setup)
        for first in range(part.first, part.end, step):
            n = min(step, part.end - first)
            some = table.slice(
                (first - part.first) * setup.seatings_per_deal, n * setup.seatings_per_deal
            )
            rows = Rows(setup.players, *Rows.blank(some.num_rows))
            fill_rows(rows, some, needed_in(some.schema.names), reader.form)
            tally.add(rows, n)
        found, stated = tally.finish().as_dict(), part.summary.as_dict()
        for key, value in found.items():
            if stated[key] != value:
                raise _untrue(reader, part, f"its rows do not come to the {key!r} that it states")
        total += table.num_rows
    return total


def _adding_setup(reader: RunReader) -> Setup:
    """A setup that adds up: its strategies are names only, and nothing of theirs is loaded."""
    who, nobody = reader.identity, load_strategy("random")
    lineup = tuple(Entrant(name, nobody, ()) for name in reader.lineup)
    rules = RuleSet.from_dict(who["rules"])
    return Setup(rules, lineup, who["seed"], who["players"], who["seatings"], who["stake"])


def _untrue(reader: RunReader, part: Part, what: str) -> RunError:
    return RunError(
        f"run {reader.place!r}: deals {part.first} to {part.end - 1}: {what}; do not trust "
        f"{part.name}"
    )


def _compare_playouts(reader: RunReader, setup: Setup, part: Part, number: int, seed: int) -> int:
    """Compare up to `number` deals of a part; returns how many."""
    table = reader.read(part).replace_schema_metadata(None)
    per_deal = setup.seatings_per_deal
    rng = random.Random(f"{seed} {part.first}")
    deals = sorted(rng.sample(range(part.first, part.end), min(number, part.end - part.first)))
    workspace = Workspace(setup)
    for deal in deals:
        stored = table.slice((deal - part.first) * per_deal, per_deal).to_pydict()
        played = to_table(workspace.play(deal, 1), setup.needed, reader.form).to_pydict()
        for column in played:
            for row, (old, new) in enumerate(zip(stored[column], played[column], strict=True)):
                if old != new:
                    what = (
                        f"deal {deal}, seating {played['seating'][row]}, column {column!r} is "
                        f"{old!r}, played again {new!r}"
                    )
                    raise _untrue(reader, part, what)
    return len(deals)


def _compare_tally(reader: RunReader, setup: Setup, part: Part) -> int:
    """Play a whole part again and compare its sums; returns its number of deals."""
    again = Worker(setup).play(
        part.first, part.end, False, threading.Event(), float("inf"), lambda playouts: None
    )
    stated = part.summary.as_dict()
    for key, value in again.summary.as_dict().items():
        if stated[key] != value:
            what = f"{key!r} is not what the deals give when played again"
            raise _untrue(reader, part, what)
    return part.end - part.first
