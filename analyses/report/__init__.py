"""Reports: what runs and score sheets say, as one self-contained file (extra: report)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from analyses.review import Review
from analyses.sheet import Sheet
from analyses.training import training
from simcore.errors import InputError, nearest
from simcore.runs.reading import Source, runs_in

FORMATS = ("html", "md")


def report(
    runs: Sequence[Source],
    to: str = "html",
    hands: Mapping[str, pd.DataFrame] | None = None,
    progress: Callable[[str], None] = lambda text: None,
    about: Mapping[str, str] | None = None,
    title: str = "",
    byline: str = "",
    note: str = "",
) -> str:
    """The text of a report on some runs on disk, each its folder or opened; to: one of FORMATS.

    hands: for each run's folder, what simcore.samples.hands.dealt_hands gives, for the section on
    the dealt cards. progress: called with what is being worked on. about: a sentence on each
    strategy of the lineups, by its name there. title, byline (date and author) and note (text
    of the author's, paragraphs parted by empty lines) stand at the top. Raises RunError for a run
    that cannot be read, InputError for another format or where the extra `report` is not installed.
    """
    if to not in FORMATS:
        raise InputError(f"unknown format {to!r}; {nearest(to, FORMATS)}")
    check_extra(to)
    with _extra():
        from analyses.report.page import make_report, render
    runs = [run for each in runs for run in runs_in([each])]
    return render(make_report(runs, hands, progress, about, title, byline, note), to)


def sheet_page(sheet: Sheet, file: str, command: Sequence[str]) -> str:
    """One self-contained HTML page on a score sheet; file: where it was read; command: its words.

    Raises InputError where the extra `report` is not installed.
    """
    with _extra():
        from analyses.report.page import render
        from analyses.report.sheet import make_report
    return render(make_report(sheet, file, command), "html")


def review_page(review: Review, file: str) -> str:
    """One self-contained HTML page on a review; file: where the records were read.

    Raises InputError where the extra `report` is not installed.
    """
    with _extra():
        from analyses.report.page import render
        from analyses.report.review import make_report
    return render(make_report(review, file), "html")


def draw_training(weights: str | Path, file: Path) -> None:
    """Draw the curve of a training into a file .svg, .png or .html; weights: what it writes.

    Raises InputError where the extra `report` is not installed, or for another kind of file.
    """
    check_curve(file)
    with _extra():
        from analyses.report.curve import draw_curve
    draw_curve(training(weights), file)


def check_curve(file: Path) -> None:
    """Raises InputError where `draw_training` could not draw into a file."""
    if file.suffix not in (".svg", ".png", ".html"):
        raise InputError(f"a curve is drawn into .svg, .png or .html, not {str(file)!r}")
    check_extra("html")


def check_extra(to: str) -> None:
    """Raises InputError where what a page of this kind needs is not installed; md has no plots."""
    with _extra():
        import jinja2  # noqa: F401

        if to == "html":
            import altair  # noqa: F401
            import vl_convert  # noqa: F401


@contextmanager
def _extra() -> Iterator[None]:
    """Raises InputError where the extra `report` is not installed."""
    try:
        yield
    except ImportError as error:
        raise InputError(
            f"a report needs {error.name}, which is not installed: pip install "
            "'bigtwo-lab[report]', or pip install '.[report]' in a checkout"
        ) from None
