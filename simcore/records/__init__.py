"""Records of play: one hand of Big Two written down, anybody's, as one line of JSON.

read(file)                      the records of a file, one after another
write(run, deals, file, …)      playouts of a run as records
check(file, rules=None)         the referee: the first fault of every record
Record, Turn                    what a line says, as an object; format.py lists every field
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.records.record import Record, Turn, read

# Imported on first use: a reader of records does not wait for the compiler.
_HOME = {
    "Record": "simcore.records.record",
    "Turn": "simcore.records.record",
    "read": "simcore.records.record",
}
__all__ = ["Record", "Turn", "read"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'simcore.records' has no attribute {name!r}")
