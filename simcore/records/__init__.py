"""Records of play: one hand of Big Two written down, anybody's, as one line of JSON.

read(file)                      the records of a file, one after another
playouts(run, deals, …)         playouts of a run as records
write(run, file, deals, …)      the same into a file
check(file, rules=None)         the referee: the first fault of every record
write_page(record, file, …)     a page that shows a record turn by turn
settlement(record, …)           its payoffs, item by item
Record, Turn                    what a line says, as an object; format.py lists every field
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.records.record import Record, Turn, read
    from simcore.records.referee import Checked, check
    from simcore.records.table_page import page, settlement, write_page
    from simcore.records.writing import playouts, write

# Imported on first use: a reader of records does not wait for the compiler.
_HOME = {
    "Checked": "simcore.records.referee",
    "Record": "simcore.records.record",
    "Turn": "simcore.records.record",
    "check": "simcore.records.referee",
    "page": "simcore.records.table_page",
    "playouts": "simcore.records.writing",
    "read": "simcore.records.record",
    "settlement": "simcore.records.table_page",
    "write": "simcore.records.writing",
    "write_page": "simcore.records.table_page",
}
__all__ = [
    "Checked",
    "Record",
    "Turn",
    "check",
    "page",
    "playouts",
    "read",
    "settlement",
    "write",
    "write_page",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'simcore.records' has no attribute {name!r}")
