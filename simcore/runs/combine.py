"""Merging the disjoint deal ranges of one run, played on several machines."""

from collections.abc import Sequence
from itertools import pairwise

from simcore.errors import InputError, RunError
from simcore.runs.parts import Part
from simcore.runs.run import differences
from simcore.runs.store import Store


def combine(places: Sequence[str], out: str) -> tuple[int, int]:
    """Copy the parts of several folders of one run into `out`; returns (parts, deals) there.

    One part is in memory at a time. Nothing is written unless every folder is whole, all are the
    same run, and no deal stands twice. Raises InputError, RunError.
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
    found_parts = [(part, store) for store in stores for part in store.good_parts()]
    _refuse_overlaps(sorted(found_parts, key=lambda x: x[0]))
    about = {k: first.document[k] for k in ("software", "machine")}
    calls = [call for store in stores for call in store.document["calls"]]
    target = Store.create(out, first.document["identity"], first.keeps, {**about, "calls": calls})
    try:
        here = [(part, target) for part in target.parts()[0]]
        _refuse_overlaps(sorted(here + found_parts, key=lambda x: x[0]))
        for part, store in found_parts:
            target.write_part(part.name, store.storage.read(f"{store.keeps}/{part.name}"))
        parts = target.good_parts()
        deals = sum(part.end - part.first for part in parts)
        target.document["deals"] = deals
        target.write_document()
        return len(parts), deals
    except OSError as error:
        raise target.storage.failure(error) from None
    finally:
        target.close()


def _refuse_overlaps(parts: list[tuple[Part, Store]]) -> None:
    """parts: sorted by deal."""
    for (a, store_a), (b, store_b) in pairwise(parts):
        if b.first < a.end:
            raise RunError(
                f"deals {b.first} to {min(a.end, b.end) - 1} are in "
                f"{store_a.storage.place!r} and in "
                f"{store_b.storage.place!r}; a deal counts once: leave out one of the folders"
            )
