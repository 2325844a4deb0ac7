"""A run's playouts as one file for other programs, out of core."""

from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq

from simcore.errors import InputError, RunError, nearest
from simcore.runs.parts import ROW_GROUP
from simcore.runs.reading import RunReader, read_run
from simcore.runs.storage import TEMPORARY
from simcore.runs.store import Store

FORMATS = ("csv", "parquet", "duckdb")


def export(place: str, to: str, out: str | Path | None = None) -> Path:
    """Write the playouts, by deal and seating, into one file; returns its path.

    to: one of FORMATS; out: default the run's folder name with that suffix. duckdb: a database with
    the table `playouts` (extra: duckdb). Raises InputError, RunError.
    """
    if to not in FORMATS:
        raise InputError(f"unknown format {to!r}; {nearest(to, FORMATS)}")
    reader = read_run(place)
    store = reader.store
    assert store is not None
    if store.keeps != "playouts":
        raise RunError(f"run {place!r} keeps tallies only; there are no playouts to export")
    files = [f"{store.keeps}/{part.name}" for part in reader.parts]
    target = Path(out) if out is not None else Path(f"{Path(place).name}.{to}")
    if not target.parent.is_dir():
        raise RunError(f"folder {str(target.parent)!r} does not exist; create it first")
    if target.exists():
        raise RunError(f"file {str(target)!r} exists; move it, or choose another --out")
    temporary = target.with_name(f".{target.name}{TEMPORARY}")
    temporary.unlink(missing_ok=True)
    try:
        if to == "duckdb":
            for _ in reader.tables():
                pass  # DuckDB reads the files by itself: only what they hold is looked at here
            _to_duckdb(store, files, temporary)
        else:
            _stream(reader, temporary, to)
        temporary.replace(target)
    except OSError as error:
        raise RunError(
            f"file {str(target)!r} cannot be written: {error}; choose another --out"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)
    return target


def _stream(reader: RunReader, target: Path, to: str) -> None:
    """One part after the other into a CSV or Parquet file."""
    writer: Any = None
    try:
        for stored in reader.tables():
            table = stored.replace_schema_metadata(None)
            if writer is None:
                writer = (
                    pyarrow.csv.CSVWriter(target, table.schema)
                    if to == "csv"
                    else pq.ParquetWriter(target, table.schema, compression="zstd")
                )
            if to == "csv":
                writer.write_table(table)
            else:
                writer.write_table(table, row_group_size=ROW_GROUP)
    finally:
        if writer is not None:
            writer.close()


def _to_duckdb(store: Store, files: list[str], target: Path) -> None:
    """A DuckDB database with the table `playouts`."""
    try:
        import duckdb
    except ImportError:
        raise InputError(
            "export to duckdb needs an extra: pip install 'bigtwo-lab[duckdb]'"
        ) from None
    if store.storage.local is None:
        raise RunError(
            "export to duckdb reads local runs only; combine the run into a local folder"
        )
    paths = [store.storage.path(name) for name in files]
    with duckdb.connect(str(target)) as database:
        database.execute(
            "CREATE TABLE playouts AS SELECT * FROM read_parquet(?) ORDER BY deal, seating", [paths]
        )
