"""Which deals are missing, and how they are cut into parts."""

from collections.abc import Iterable, Iterator

PART_ROWS = 524_288
MIN_PART_ROWS = 65_536  # below this, a part is a poor Parquet file


def missing(done: Iterable[tuple[int, int]], first: int, end: int) -> list[tuple[int, int]]:
    """Ranges of first … end - 1 that no part holds; done: sorted, disjoint (first, end)."""
    gaps = []
    position = first
    for a, b in done:
        if a > position:
            gaps.append((position, min(a, end)))
        position = max(position, b)
    gaps.append((position, end))
    return [(a, b) for a, b in gaps if a < b]


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted ranges (first, end) of deals, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for first, end in sorted(ranges):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((first, end))
    return found


def plan_parts(
    gaps: list[tuple[int, int]], seatings: int, workers: int, kept: bool = True, hands: int = 1
) -> Iterator[tuple[int, int]]:
    """Cut the gaps into parts, smaller ones towards the end, so that all workers end together.

    kept: parts will hold playouts, and must not be too small for Parquet; hands: deals of a
    session, in whole numbers of which the gaps are, and the parts will be.
    """
    left = sum(b - a for a, b in gaps) * seatings
    least = MIN_PART_ROWS if kept else MIN_PART_ROWS // 8
    if left < workers * least:
        least = -(-left // workers)
    for first, end in gaps:
        while first < end:
            rows = max(least, min(PART_ROWS, left // (2 * workers)))
            deals = max(1, rows // (seatings * hands)) * hands
            if end - first < 1.5 * deals:  # no small part behind
                deals = end - first
            yield first, first + deals
            first += deals
            left -= deals * seatings
