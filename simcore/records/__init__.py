"""Records of play: one hand of Big Two written down, anybody's, as one line of JSON.

read(file)                      the records of a file, one after another
playouts(run, deals, …)         playouts of a run as records
write(run, file, deals, …)      the same into a file
check(file, rules=None)         the referee: the first fault of every record
Record, Turn                    what a line says, as an object; format.py lists every field
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.records.record import Record, Turn, read
    from simcore.records.referee import Checked, check
    from simcore.records.writing import playouts, write

# Imported on first use: a reader of records does not wait for the compiler.
_HOME = {
    "Checked": "simcore.records.referee",
    "Record": "simcore.records.record",
    "Turn": "simcore.records.record",
    "check": "simcore.records.referee",
    "playouts": "simcore.records.writing",
    "read": "simcore.records.record",
    "write": "simcore.records.writing",
}
__all__ = ["Checked", "Record", "Turn", "check", "playouts", "read", "write"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'simcore.records' has no attribute {name!r}")
