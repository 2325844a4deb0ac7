"""Reports: what runs say, as one self-contained HTML file or as Markdown (extra: report)."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from simcore.errors import InputError, nearest

FORMATS = ("html", "md")


def report(
    runs: Sequence[str],
    to: str = "html",
    hands: Mapping[str, pd.DataFrame] | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> str:
    """The text of a report on some runs' folders; to: one of FORMATS.

    hands: for each run, what simcore.samples.hands.dealt_hands gives, for the section on the dealt
    cards. progress: called with what is being worked on. Raises RunError for a run that cannot be
    read, InputError for another format or where the extra `report` is not installed.
    """
    if to not in FORMATS:
        raise InputError(f"unknown format {to!r}; {nearest(to, FORMATS)}")
    try:
        from analyses.report.page import make_report, render
    except ImportError as error:
        raise InputError(
            f"a report needs {error.name}, which is not installed: pip install 'bigtwo-lab[report]'"
        ) from None
    return render(make_report(runs, hands, progress), to)
