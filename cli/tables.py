"""Tables that lose no figure and no name, however narrow the terminal is."""

import re
from collections.abc import Iterator
from itertools import count

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions
from rich.table import Table as Grid
from rich.text import Text

GAP = 2  # between two columns
TEXT = 16  # a column of texts that is narrower than this takes too many lines to be read
LONGEST = (24, 16)  # what names are shortened to
LABEL = 8  # the least width of a record's headings
# Where a line may end: before a space, and behind a comma that is none of 100,000.
_PIECES = re.compile(r"\s+|(?:[^\s,]|,(?=\d))+,?|,")

Cell = str | Text


class Legend:
    """Names shortened in the middle, so that no two look the same, and which have been told."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # short: full
        self._told: set[str] = set()

    def short(self, name: str, most: int) -> str:
        """A name within so many characters."""
        if len(name) <= most:
            return name
        for number in count(1):
            mark = "…" if number == 1 else f"…{number}…"
            tail = 2 * most // 3
            found = name[: most - tail - len(mark)] + mark + name[-tail:]
            if self._names.setdefault(found, name) == name:
                return found
        raise AssertionError

    def lines(self, texts: set[str]) -> Iterator[Text]:
        """A line for each shortened name in some texts that has not been told yet."""
        for short, name in self._names.items():
            if short not in self._told and any(short in text for text in texts):
                self._told.add(short)
                yield Text(f"{short} = {name}", style="dim", overflow="fold")


class Table:
    """Rows under headings; a heading that begins with > is for figures, set to the right.

    Where they do not fit, headings and texts take several lines; then long names are shortened,
    with a legend below; then each row becomes a record of its own, a line for each of its cells.
    """

    def __init__(self, *headings: str) -> None:
        self.headings = [heading.removeprefix(">") for heading in headings]
        self.is_figure = [heading.startswith(">") for heading in headings]
        self.rows: list[tuple[Cell, ...]] = []

    def add_row(self, *cells: Cell) -> None:
        """One cell for each heading."""
        assert len(cells) == len(self.headings)
        self.rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Grid | Text]:
        width = options.max_width
        legend = getattr(console, "legend", None) or Legend()
        natural = [max(map(_width, self._column(i))) for i in range(len(self.headings))]
        if sum(natural) + GAP * (len(natural) - 1) <= width:
            yield self._grid(natural, self.headings, self.rows)
            return
        for most in (width, *LONGEST):
            headings = [_shortened(heading, most, legend) for heading in self.headings]
            rows = [
                tuple(
                    cell if figure or isinstance(cell, Text) else _shortened(cell, most, legend)
                    for cell, figure in zip(row, self.is_figure, strict=True)
                )
                for row in self.rows
            ]
            if widths := self._widths(headings, rows, width):
                yield self._grid(widths, headings, rows)
                yield from legend.lines({*headings, *(str(cell) for row in rows for cell in row)})
                return
        yield from self._records(width, legend)

    def _column(self, i: int) -> list[Cell]:
        return [self.headings[i], *(row[i] for row in self.rows)]

    def _widths(
        self, headings: list[str], rows: list[tuple[Cell, ...]], width: int
    ) -> list[int] | None:
        """Of columns in which only texts and headings take several lines; None: too wide."""
        least, wish = [], []
        for i, heading in enumerate(headings):
            cells = [row[i] for row in rows]
            whole = max(map(_width, cells), default=0)
            if self.is_figure[i]:
                least.append(max(whole, _longest_piece(heading)))
            else:
                pieces = max(map(_longest_piece, [heading, *cells]))
                least.append(max(pieces, min(whole, TEXT)))
            wish.append(max(whole, least[-1]))
        spare = width - GAP * (len(least) - 1) - sum(least)
        if spare < 0:
            return None
        by_need = sorted(range(len(least)), key=lambda i: wish[i] - least[i])
        for left, i in zip(range(len(least), 0, -1), by_need, strict=True):
            more = min(wish[i] - least[i], spare // left)
            least[i] += more
            spare -= more
        return least

    def _grid(self, widths: list[int], headings: list[str], rows: list[tuple[Cell, ...]]) -> Grid:
        grid = Grid(box=None, header_style="bold", pad_edge=False, show_header=any(self.headings))
        for i, (heading, width) in enumerate(zip(headings, widths, strict=True)):
            justify = "right" if self.is_figure[i] else "left"
            text = _folded(heading, width)
            grid.add_column(Text(text), justify=justify, width=width, overflow="fold")  # type: ignore[arg-type]
        for row in rows:
            grid.add_row(*(_as_text(cell, w) for cell, w in zip(row, widths, strict=True)))
        return grid

    def _records(self, width: int, legend: Legend) -> Iterator[Grid | Text]:
        """Each row as its first cell, and under it a line for each of the others."""
        first = self.headings[0]
        labels = [_shortened(heading, LONGEST[0], legend) for heading in self.headings[1:]]
        figures = [
            _width(cell)
            for row in self.rows
            for cell, figure in zip(row, self.is_figure, strict=True)
            if figure
        ]
        space = width - 2 * GAP - max(figures, default=TEXT)
        side = min(max(map(cell_len, labels)), max(LABEL, space))
        rest = width - side - 2 * GAP
        for cell, *cells in self.rows:
            yield _as_text(f"{first}: {cell}" if first else str(cell), width, "bold")
            grid = Grid.grid(padding=(0, GAP, 0, 0))
            grid.add_column(width=0)
            grid.add_column(width=side, overflow="fold")
            grid.add_column(max_width=rest, overflow="fold")
            for label, value in zip(labels, cells, strict=True):
                grid.add_row("", _as_text(label, side), _as_text(value, rest))
            yield grid
        yield from legend.lines(set(labels))


def _width(cell: Cell) -> int:
    return cell.cell_len if isinstance(cell, Text) else cell_len(cell)


def _pieces(cell: Cell) -> list[str]:
    return _PIECES.findall(str(cell))


def _longest_piece(cell: Cell) -> int:
    return max((cell_len(piece) for piece in _pieces(cell) if not piece.isspace()), default=0)


def _shortened(text: str, most: int, legend: Legend) -> str:
    """The names in a text within so many characters each."""
    return "".join(
        f"{legend.short(piece.removesuffix(','), most)}{',' * piece.endswith(',')}"
        for piece in _pieces(text)
    )


def _as_text(cell: Cell, width: int, style: str = "") -> Text:
    return cell if isinstance(cell, Text) else Text(_folded(cell, width), style=style)


def _folded(text: str, width: int) -> str:
    """A text in lines of at most this width, ended between its pieces where that can be."""
    if cell_len(text) <= width:
        return text
    lines = [""]
    for piece in _pieces(text):
        if cell_len(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines += chop_cells(piece, width)
    return "\n".join(line.rstrip() for line in lines if line)
