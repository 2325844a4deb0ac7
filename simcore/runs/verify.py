"""Playing a sample of a stored run again, and comparing every column."""

import random
import threading
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow.parquet as pq

from simcore.errors import InputError, RunError
from simcore.runs.executors import Worker
from simcore.runs.parts import Part
from simcore.runs.run import setup_of
from simcore.runs.schema import to_table
from simcore.runs.store import Store
from simcore.simulation.setup import Setup, Workspace

MAX_PARTS = 20  # that are read for one sample


@dataclass(frozen=True)
class Verification:
    """What was compared; a difference raises instead."""

    run: str
    parts: int  # all of them: names, checksums, stamps
    deals: int  # of the run
    deals_compared: int
    playouts_compared: int

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return asdict(self)


def verify(place: str, sample: int = 1000, seed: int = 0) -> Verification:
    """Check every part's checksum, and recompute a random sample of deals from their seeds.

    sample: number of deals. Raises RunError naming the first deal, seating and column that differ,
    or the file that is damaged.
    """
    if sample < 1:
        raise InputError(f"sample {sample} is out of bounds: at least 1 deal")
    store = Store.open(place)
    parts = store.good_parts()
    setup = setup_of(store.document["identity"])
    chosen = random.Random(seed).sample(parts, min(MAX_PARTS, len(parts)))
    compared = 0
    for part in chosen:
        number = -(-(sample - compared) // max(1, len(chosen) - chosen.index(part)))
        if number <= 0:
            break
        if store.keeps == "playouts":
            compared += _compare_playouts(store, setup, part, number, seed)
        else:
            compared += _compare_tally(store, setup, part)
    deals = sum(part.end - part.first for part in parts)
    return Verification(store.id, len(parts), deals, compared, compared * setup.seatings_per_deal)


def _compare_playouts(store: Store, setup: Setup, part: Part, number: int, seed: int) -> int:
    """Compare up to `number` deals of a part; returns how many."""
    with store.storage.open(f"{store.keeps}/{part.name}") as file:
        table = pq.read_table(file).replace_schema_metadata(None)
    per_deal = setup.seatings_per_deal
    rng = random.Random(f"{seed} {part.first}")
    deals = sorted(rng.sample(range(part.first, part.end), min(number, part.end - part.first)))
    workspace = Workspace(setup)
    for deal in deals:
        stored = table.slice((deal - part.first) * per_deal, per_deal).to_pydict()
        played = to_table(workspace.play(deal, 1), setup.leftovers, store.form).to_pydict()
        for column in played:
            for row, (old, new) in enumerate(zip(stored[column], played[column], strict=True)):
                if old != new:
                    raise RunError(
                        f"run {store.storage.place!r}: deal {deal}, seating "
                        f"{played['seating'][row]}, column {column!r} is {old!r}, played again "
                        f"{new!r}; do not trust {part.name}"
                    )
    return len(deals)


def _compare_tally(store: Store, setup: Setup, part: Part) -> int:
    """Play a whole part again and compare its sums; returns its number of deals."""
    again = Worker(setup).play(
        part.first, part.end, False, threading.Event(), float("inf"), lambda playouts: None
    )
    old, new = part.summary, again.summary.as_dict()
    for key, value in new.items():
        plain = [[[list(x) for x in c] for c in s] for s in value] if key == "payoffs" else value
        if old[key] != plain:
            raise RunError(
                f"run {store.storage.place!r}: deals {part.first} to {part.end - 1}, "
                f"{key!r} is not "
                f"what the deals give when played again; do not trust {part.name}"
            )
    return part.end - part.first
