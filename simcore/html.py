"""How objects show in a notebook: small HTML tables."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


class Markup(str):
    """Text that is HTML already."""


def table(rows: Iterable[Sequence[Any]], headings: Sequence[str] = ()) -> str:
    """An HTML table; the first cell of each row is its heading. Text is escaped, Markup is not."""
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    head = f"<thead><tr>{head}</tr></thead>" if headings else ""
    body = "".join(
        f"<tr><th style='text-align:left'>{_cell(first)}</th>"
        + "".join(f"<td style='text-align:left'>{_cell(value)}</td>" for value in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    return value if isinstance(value, Markup) else escape(str(value))
