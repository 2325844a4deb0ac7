"""A report as one file: HTML that fetches nothing, or Markdown."""

import html
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any

import jinja2
import markupsafe
import pandas as pd

from analyses.cells import Column, columns
from analyses.report.content import Chapter, RunReport, Section, Table
from analyses.report.drawn import charts
from analyses.report.sections import BUILDERS, METHODS
from analyses.report.words import first_sentences, glossary, listed, rule_sentences
from simcore.errors import BigTwoError
from simcore.runs.reading import Source, read_run


@dataclass
class Report:
    """A report before it becomes a file."""

    title: str
    overview: Section | None  # of several runs
    chapters: list[Chapter]
    provenance: Table
    commands: list[str]
    methods: Sequence[tuple[str, str]] = tuple(METHODS)
    unit: str = "deals"  # what intervals are over
    words: Sequence[tuple[str, str]] = ()  # with what they mean
    byline: str = ""  # date and author
    note: str = ""  # the author's


def make_report(
    runs: Sequence[Source],
    hands: Mapping[str, pd.DataFrame] | None,
    progress: Callable[[str], None],
    about: Mapping[str, str] | None = None,
    title: str = "",
    byline: str = "",
    note: str = "",
) -> Report:
    """Everything that a report says of some runs; as `analyses.report.report`."""
    readers = [read_run(run) for run in runs]
    found = [RunReport(reader, (hands or {}).get(reader.place)) for reader in readers]
    chapters = [_chapter(each, progress) for each in found]
    rules = list(dict.fromkeys(each.who["rules"]["name"] for each in found))
    names = list(dict.fromkeys(name for each in found for name in each.names))
    return Report(
        title or f"Big Two: {listed(names)} ({listed(rules)})",
        _overview(found) if len(found) > 1 else None,
        chapters,
        _provenance(found),
        [
            *(_command(each) for each in found),
            f"bigtwo report {shlex.join(each.run for each in found)}",
        ],
        words=glossary(found, about or {}),
        byline=byline,
        note=note,
    )


def _chapter(run: RunReport, progress: Callable[[str], None]) -> Chapter:
    """All sections; one that the run cannot give says why instead."""
    sections, left_out = [], []
    run.sentences += first_sentences(run)
    for builder in BUILDERS:
        progress(f"{run.run}: {builder.title.lower()}")
        section = Section(builder.title)
        if builder.needs_playouts and not run.has_playouts:
            left_out.append(builder.title.lower())
            continue
        try:
            builder.fill(run, section)
        except BigTwoError as error:
            section.text.append(f"Not shown: {error}.")
        section.plots = [plot for plot in section.plots if plot is not None]
        if section.text or section.plots or section.tables:
            sections.append(section)
    if left_out:
        run.sentences.append(
            "The run keeps sums only, so there is nothing here on " + listed(left_out) + "."
        )
    title = f"{run.who['rules']['name']}: {', '.join(run.names)}"
    return Chapter(run.run, title, run.sentences, sections, rule_sentences(run.reader.rules))


def _overview(found: list[RunReport]) -> Section:
    tables = []
    for each in found:
        table = each.strategies.copy()
        table.insert(0, "rules", each.who["rules"]["name"])
        table.insert(0, "run", each.run)
        tables.append(table)
    whole = pd.concat(tables, ignore_index=True)
    opponents = _opponents(found)
    if opponents is not None:
        title = "Payoff of the row's strategy at a table with the column's"
        column = pd.Series(opponents)
    else:
        title = "Payoff of every strategy in every run"
        short = {each.run: PurePath(each.run).name for each in found}
        if len(set(short.values())) < len(short):
            short = {run: run for run in short}
        column = whole["run"].map(short)
    cells = whole.assign(
        row=whole["strategy"], column=column, low=whole["payoff_low"], high=whole["payoff_high"]
    )
    caption = "Points per playout, with half of the 95 % interval. Blue: above 0."
    plot = charts.matrix(cells, title, caption)
    return Section(
        "All runs", plots=[plot], tables=[Table("Strategies of all runs", columns(whole))]
    )


def _opponents(found: list[RunReport]) -> list[str] | None:
    """The other strategy for each row of the runs, where every run is a pair's only table."""
    rules = {each.who["rules"]["name"] for each in found}
    pairs = {frozenset(each.names) for each in found}
    if len(rules) > 1 or len(pairs) < len(found) or any(len(pair) != 2 for pair in pairs):
        return None
    return [
        next(other for other in each.names if other != name)
        for each in found
        for name in each.strategies["strategy"]
    ]


def _provenance(found: list[RunReport]) -> Table:
    rows: list[dict[str, str]] = []
    for each in found:
        document, parts = each.reader.document, each.reader.parts
        lineup = ", ".join(each.reader.lineup_with_code)
        calls = "; ".join(
            f"{' '.join(call['command'])} (ended {call.get('ended', 'never')})"
            for call in document["calls"]
        )
        rows.append(
            {
                "run": each.run,
                "id": document["id"],
                "rules": each.who["rules"]["title"],
                "lineup": lineup,
                "seed": str(each.who["seed"]),
                "deals": f"{each.summary.n_deals:,}: {parts[0].first} to {parts[-1].end - 1}",
                "stake": str(each.who["stake"]),
                "software": ", ".join(f"{k} {v}" for k, v in document["software"].items()),
                "machine": ", ".join(str(v) for v in document["machine"].values()),
                "played by": calls,
            }
        )
    keys = list(rows[0])
    return Table(
        "Runs",
        [
            Column("", keys, keys, False),
            *(Column(row["run"], list(row.values()), list(row.values()), False) for row in rows),
        ],
    )


def _command(each: RunReport) -> str:
    """The command that plays the run again."""
    who, parts = each.who, each.reader.parts
    first = parts[0].first
    words = [
        "bigtwo", "simulate", "--rules", who["rules"]["name"],
        "--lineup", ",".join(entrant["name"] for entrant in who["lineup"]),
        "--deals", str(parts[-1].end - first), "--seed", str(who["seed"]),
        "--seatings", who["seatings"],
    ]  # fmt: skip
    words += ["--stake", str(who["stake"])] if who["stake"] != 1 else []
    words += ["--first-deal", str(first)] if first else []
    words += ["--summary-only"] if not each.has_playouts else []
    return shlex.join([*words, "--out", each.run])


def render(report: Report, to: str) -> str:
    """The report as text; to: html or md."""
    folder = resources.files("analyses.report")
    environment = jinja2.Environment(autoescape=to == "html", trim_blocks=True, lstrip_blocks=True)
    environment.filters["bold"] = _bold
    environment.filters["md"] = lambda text: html.escape(str(text), quote=False)
    environment.filters["cell"] = lambda text: (
        html.escape(str(text), quote=False).replace("|", "\\|").replace("\n", " ")
    )
    environment.filters["key"] = lambda value: "" if value != value else value
    template = environment.from_string((folder / f"report.{to}.j2").read_text("utf-8"))
    given: dict[str, Any] = {}
    if to == "html":
        import altair as alt

        version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
        given = {
            "library": _library(version),
            "style": (folder / "report.css").read_text("utf-8"),
            "script": (folder / "report.js").read_text("utf-8"),
        }
    return template.render(report=report, **given)


@cache
def _library(version: str) -> str:
    """Vega, Vega-Lite of a version, and Vega-Embed, as one script."""
    import vl_convert

    found: str = vl_convert.javascript_bundle(None, version)  # type: ignore[arg-type]
    return found


def _bold(text: str) -> markupsafe.Markup:
    """Escaped HTML with **bold** words."""
    return markupsafe.Markup(re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(text)))
