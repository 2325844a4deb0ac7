"""Which deals are missing, and how they are cut into parts."""

from collections.abc import Iterable, Iterator

PART_ROWS = 524_288
MIN_PART_ROWS = 131_072  # below this, a part is a poor Parquet file


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


def plan_parts(
    gaps: list[tuple[int, int]], seatings: int, workers: int
) -> Iterator[tuple[int, int]]:
    """Cut the gaps into parts: large enough for Parquet, small enough to keep every worker busy."""
    rows = sum(b - a for a, b in gaps) * seatings
    part_rows = max(MIN_PART_ROWS, min(PART_ROWS, -(-rows // (2 * workers))))
    if rows < workers * MIN_PART_ROWS:
        part_rows = max(1, -(-rows // workers))
    deals = max(1, part_rows // seatings)
    for first, end in gaps:
        number = max(1, (end - first) // deals)  # of about equal parts, none much smaller
        for i in range(number):
            yield first + (end - first) * i // number, first + (end - first) * (i + 1) // number
