"""What a report is made of: chapters, sections, tables, and the run that a chapter is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

import analyses
from analyses.cells import Column
from simcore.runs.reading import RunReader


@dataclass(frozen=True)
class Plot:
    """One plot: its specification, what it shows in a sentence, and whether it fills the page."""

    spec: str  # JSON
    title: str
    caption: str
    wide: bool = True
    figures: str = ""  # in words, for those who cannot see it

    @property
    def alternative(self) -> str:
        """What stands for the plot where it cannot be seen."""
        return " ".join(f"{self.title}. {self.caption} {self.figures}".split())


@dataclass
class Table:
    """A table with a heading."""

    title: str
    columns: list[Column]

    def rows(self) -> list[list[tuple[str, Any, bool]]]:
        """(text, value to sort by, whether it is a figure) of every cell."""
        return [
            [(c.texts[i], c.values[i], c.is_figure) for c in self.columns]
            for i in range(len(self.columns[0].texts))
        ]


def facts_table(title: str, facts: Mapping[str, str]) -> Table:
    """Names and values, a row for each."""
    names, values = list(facts), list(facts.values())
    return Table(title, [Column("", names, names, False), Column("value", values, values, False)])


@dataclass
class Section:
    """One heading with what stands under it; text may hold **bold** words."""

    title: str
    text: list[str] = field(default_factory=list)
    plots: list[Plot | None] = field(default_factory=list)  # None: of a report without plots
    tables: list[Table] = field(default_factory=list)
    hands: list[tuple[str, str]] = field(default_factory=list)  # what it is, its page in HTML


@dataclass
class Chapter:
    """Everything about one run."""

    run: str
    title: str
    summary: list[str]
    sections: list[Section]
    rules: list[str] = field(default_factory=list)  # in sentences


class RunReport:
    """One run, as the sections of its chapter see it.

    hands: as simcore.samples.hands gives them, or None. A section may add to `sentences`, which
    stand at the top of the chapter.
    """

    def __init__(self, reader: RunReader, hands: pd.DataFrame | None) -> None:
        self.run, self.hands, self.reader = reader.place, hands, reader
        self.who = self.reader.identity
        self.summary = self.reader.summary
        self.strategies = analyses.strategy_table(self.summary)
        self.has_playouts = self.reader.keeps_playouts
        self.names = self.summary.groups
        self.sentences: list[str] = []
