"""Merging the disjoint deal ranges of one run, played on several machines."""

from collections.abc import Sequence
from itertools import pairwise

from simcore.columns import needed_in
from simcore.errors import InputError, RunError
from simcore.runs.parts import MOST_BYTES, Part, encode, part_name
from simcore.runs.reading import RunReader
from simcore.runs.run import differences
from simcore.runs.schema import arrow_schema
from simcore.runs.store import Store


def combine(places: Sequence[str], out: str) -> tuple[int, int]:
    """Copy the parts of several folders of one run into `out`; returns (parts, deals) there.

    One part is in memory at a time. Where formats differ, all is written in the oldest. Nothing is
    written unless every folder is whole, all are the same run, and no deal stands twice. Raises
    InputError, RunError.
    """
    if len(places) < 2:
        raise InputError("combine needs at least two runs; give their folders")
    stores = [Store.open(place) for place in places]
    first = stores[0]
    for other in stores[1:]:
        found = differences(first.document["identity"], other.document["identity"])
        if found or first.keeps != other.keeps:
            what = "; ".join(found[:3]) or f"keeps: {first.keeps} → {other.keeps}"
            raise RunError(
                f"{first.storage.place!r} and {other.storage.place!r} are not the same "
                f"run ({what}); "
                "only deals of one run can be combined"
            )
    first = min(stores, key=lambda store: store.form)  # whose format all can be written in
    readers = [RunReader(store.document["identity"], store) for store in stores]
    given = [(part, reader.place) for reader in readers for part in reader.parts]
    _refuse_overlaps(sorted(given))
    about = {k: first.document[k] for k in ("software", "machine")}
    calls = [call for store in stores for call in store.document["calls"]]
    target = Store.create(
        out, first.document["identity"], first.keeps, {**about, "calls": calls}, first.form
    )
    try:
        here = [(part, target.storage.place) for part in target.parts()[0]]
        _refuse_overlaps(sorted(here + given))
        for reader in readers:
            for part in reader.parts:
                target.write_part(*_rewritten(reader, part, target))
        parts = target.good_parts()
        deals = sum(part.end - part.first for part in parts)
        target.document["deals"] = deals
        target.write_document()
        return len(parts), deals
    except OSError as error:
        raise target.storage.failure(error) from None
    finally:
        target.close()


def _rewritten(reader: RunReader, part: Part, target: Store) -> tuple[str, bytes]:
    """(name, bytes) of a part as a part of another folder of the same run."""
    store = reader.store
    assert store is not None
    data = store.storage.read(f"{store.keeps}/{part.name}", MOST_BYTES)
    if (store.id, store.form) == (target.id, target.form):
        return part.name, data
    table = None
    if store.keeps == "playouts":
        whole = reader.read(part)
        schema = arrow_schema(reader.players, needed_in(whole.schema.names), target.form)
        table = whole.select(schema.names).cast(schema)
    data = encode(target.id, part.first, part.end, part.summary, table)
    return part_name(part.first, part.end, data, target.keeps), data


def _refuse_overlaps(parts: list[tuple[Part, str]]) -> None:
    """parts: with the place of each, sorted by deal."""
    for (a, place_a), (b, place_b) in pairwise(parts):
        if b.first < a.end:
            raise RunError(
                f"deals {b.first} to {min(a.end, b.end) - 1} are in {place_a!r} and in "
                f"{place_b!r}; a deal counts once: leave out one of the folders"
            )
