"""The only place that configures numba: decorators, record arrays and the cache folder.

numba's own disk cache looks at the time stamp of one file only, so a kernel that inlines a helper
from another file would go stale when the helper changes. The cache folder is therefore named by a
hash over every source file of the engine.
"""

import gc
import hashlib
import os
import platform
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
from llvmlite import binding
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic, overload

_ENGINE = Path(__file__).resolve().parents[1]
_ROOMS = ("foundation", "game", "strategies", "simulation")  # that hold kernels


def source_hash() -> str:
    """Hex digest over the engine's sources and the versions that compile them."""
    digest = hashlib.sha256(f"{numba.__version__} {platform.python_version()}".encode())
    for path in sorted(p for room in _ROOMS for p in (_ENGINE / room).rglob("*.py")):
        digest.update(str(path.relative_to(_ENGINE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """The first writable folder for compiled kernels: user cache, else the temporary folder."""
    base = os.environ.get("BIGTWO_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    home = Path(base) if base else Path.home() / ".cache"
    fallback = Path(tempfile.gettempdir()) / f"bigtwo-{os.getuid() if hasattr(os, 'getuid') else 0}"
    for folder in (home / "bigtwo", fallback):
        try:
            target = folder / source_hash()
            target.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=target):
                return target
        except OSError:
            continue
    return fallback


CACHE = _cache_folder()
numba.config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]
JIT = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
HAS_BMI2 = bool(binding.get_host_cpu_features().get("bmi2", False)) and platform.machine() in (
    "x86_64",
    "AMD64",
)

# Strategies are first-class functions; numba calls that experimental on every compilation.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

# Kernels allocate nothing, so they do without numba's (atomic, hence slow) reference counts.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on first use, without the GIL, and keep it in the engine's cache."""
    return cast(
        Callable[..., Any], numba.njit(cache=True, no_cfunc_wrapper=True, **_OPTIONS)(function)
    )


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `kernel`, for a helper that disappears into the kernels that call it.

    It has no entry point for Python and no cache entry of its own, which halves its compile time.
    """
    return cast(
        Callable[..., Any],
        numba.njit(inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(
            function
        ),
    )


def typed(signature: Any, checked: bool = False) -> Callable[..., Any]:
    """Compile at once for `signature`, for a function that may create arrays.

    checked: indices and divisions by zero raise as in Python, and nothing is cached on disk, since
    it may use other people's files.
    """
    options = {**_OPTIONS, "_nrt": True, "error_model": "python" if checked else "numpy"}
    return cast(
        Callable[..., Any],
        numba.njit(signature, cache=not checked, boundscheck=checked, **options),
    )


def stay_apart() -> None:
    """Called in a kernel, this forbids the compiler to merge that kernel into its callers.

    For a loop that is faster with all registers to itself.
    """


def _forbid_inlining(typingctx: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


_stay_apart = intrinsic(_forbid_inlining)
overload(stay_apart, inline="always")(lambda: lambda: _stay_apart())


def records(dtype: np.dtype, shape: int | tuple[int, ...]) -> Any:
    """A zeroed record array whose items have named fields, compiled or not."""
    return np.zeros(shape, dtype).view(np.recarray)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection: compiling makes millions of objects, next to none of it garbage.

    That is a sixth of the time of a compilation.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def is_warm(name: str) -> bool:
    """Whether kernel `name` was compiled on this machine by these sources before."""
    return not JIT or (CACHE / f"{name}.compiled").exists()


def mark_warm(name: str) -> None:
    """Remember that kernel `name` is in the cache now."""
    if JIT and CACHE.exists():
        (CACHE / f"{name}.compiled").touch()
