"""Where a run came from: software, machine and command, for run.json."""

import os
import platform
import re
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from simcore import ENGINE_VERSION, __version__


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """Model name of the processor, as the system gives it."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """The machine, as benchmarks and run.json quote it."""
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def software() -> dict[str, Any]:
    """Versions of the engine and of what it stands on."""
    return {
        "bigtwo": __version__,
        "engine_version": ENGINE_VERSION,
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numba", "numpy", "pandas", "pyarrow")},
    }


def command() -> list[str]:
    """The command line of this process, without the keys that a URL may hold."""
    words = [Path(sys.argv[0] or "python").name, *sys.argv[1:]]
    return [re.sub(r"://[^/@\s]+@", "://…@", word) for word in words]


def now() -> str:
    """UTC time in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
