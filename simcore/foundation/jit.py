"""The only place that configures numba: decorators, record arrays and the cache folder.

numba's own disk cache looks at one file only, so a kernel that inlines a helper from another file
would go stale when the helper changes. The cache folder is therefore named by a hash over every
source file that kernels are made of, comments and docstrings left out, and numba's look at the file
is switched off for the engine.
"""

import ast
import ctypes
import gc
import hashlib
import os
import platform
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
from llvmlite import binding
from numba import types
from numba.core.caching import CompileResultCacheImpl
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.types.function_type import CompileResultWAP
from numba.extending import intrinsic, overload

_ENGINE = Path(__file__).resolve().parents[1]
# What kernels are made of: rooms, and single files.
KEYED = (
    *("foundation", "game", "strategies", "simulation"),
    *("columns.py", "samples/hand_kernels.py", "records/referee_kernels.py", "records/faults.py"),
    "workshop/learning.py",
)


def keyed_files(engine: Path = _ENGINE) -> list[Path]:
    """The files whose code the cache of kernels depends on, in order."""
    places = (engine / name for name in KEYED)
    return sorted(f for place in places for f in ([place] if place.suffix else place.rglob("*.py")))


def _code(source: bytes) -> bytes:
    """A file's code without comments, docstrings and line numbers."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            if ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
    return ast.dump(tree).encode()


def _cache_key(folder: Path) -> str:
    """Hex digest over the code of the kernels and the versions that compile it.

    Parsing takes a tenth of a second, so the folder remembers, under a digest of the files as they
    are, what came out: no start reads a key that is not that of the very same bytes.
    """
    sources = [(str(f.relative_to(_ENGINE)).encode(), f.read_bytes()) for f in keyed_files()]
    versions = f"{numba.__version__} {platform.python_version()}".encode()

    def digest(parts: Iterable[bytes]) -> str:
        found = hashlib.sha256(versions)
        for part in parts:
            found.update(hashlib.sha256(part).digest())
        return found.hexdigest()[:16]

    known = folder / f"{digest(part for source in sources for part in source)}.key"
    with suppress(OSError):
        key = known.read_text("ascii")
        if len(key) == 16:
            return key
    key = digest(part for name, source in sources for part in (name, _code(source)))
    with tempfile.NamedTemporaryFile("w", dir=folder, encoding="ascii", delete=False) as file:
        file.write(key)
    Path(file.name).replace(known)
    return key


def _cache_folder() -> Path:
    """The first writable folder for compiled kernels: user cache, else the temporary folder."""
    base = os.environ.get("BIGTWO_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    home = Path(base) if base else Path.home() / ".cache"
    fallback = Path(tempfile.gettempdir()) / f"bigtwo-{os.getuid() if hasattr(os, 'getuid') else 0}"
    for folder in (home / "bigtwo", fallback):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            target = folder / _cache_key(folder)
            target.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=target):
                return target
        except OSError:
            continue
    return fallback


CACHE = _cache_folder()
numba.config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]
JIT = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]


class _Locator:
    """Where numba keeps a function of the engine; the folder's name says how fresh it is."""

    def __init__(self, file: Path) -> None:
        self._py_file = str(file)
        self._path = CACHE / ".".join(file.parent.relative_to(_ENGINE).parts)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_Locator | None":
        """None for somebody else's function, which numba looks after in its own way."""
        path = Path(file).resolve()
        return cls(path) if path.is_relative_to(_ENGINE) else None

    def ensure_cache_path(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return CACHE.name

    def get_disambiguator(self) -> str:
        return "kernel"  # numba's own takes the line number, which a comment moves


CompileResultCacheImpl._locator_classes = [_Locator, *CompileResultCacheImpl._locator_classes]

HAS_BMI2 = bool(binding.get_host_cpu_features().get("bmi2", False)) and platform.machine() in (
    "x86_64",
    "AMD64",
)

# Strategies are first-class functions; numba calls that experimental on every compilation.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

# Kernels allocate nothing, so they do without numba's (atomic, hence slow) reference counts. A
# kernel that is compiled because another needs it would inherit `forceinline` from that.
_OPTIONS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": False,
}  # fmt: skip


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on first use, without the GIL, and keep it in the engine's cache."""
    return cast(
        Callable[..., Any], numba.njit(cache=True, no_cfunc_wrapper=True, **_OPTIONS)(function)
    )


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `kernel`, for a helper that disappears into the kernels that call it.

    It has no entry point for Python and no cache entry of its own. LLVM merges it, so numba looks
    at it once: with `inline="always"` it would type it anew for every call, which took a third of
    the first compilation.
    """
    return _merged(function)


def inlined_with_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `inlined`, for a helper that creates arrays for those who may: strategies."""
    return _merged(function, _nrt=True)


def _merged(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    options = {**_OPTIONS, "forceinline": True, **options}
    return cast(
        Callable[..., Any],
        numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function),
    )


def fast(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `kernel`, for floating numbers whose last digit may depend on the machine: learning."""
    options = {**_OPTIONS, "fastmath": True}
    return cast(
        Callable[..., Any], numba.njit(cache=True, no_cfunc_wrapper=True, **options)(function)
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


def by_address(function: Any) -> Any:
    """A `typed` function as an argument of kernels, looked up once and not at every call.

    Called from Python, a kernel with four of them then takes microseconds, not a millisecond. What
    it raises is not passed on, so it is for functions of the engine's own only.
    """
    return CompileResultWAP(next(iter(function.overloads.values()))) if JIT else function


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


def record_at(dtype: np.dtype) -> Callable[[int], Any]:
    """For kernels: the record of this type that lies at an address (int64), in place.

    So data of its own reaches a strategy through its `params`, which are numbers. Whoever hands an
    address out keeps the record alive.
    """

    def found(address):  # type: ignore[no-untyped-def]
        held: Any = (ctypes.c_char * dtype.itemsize).from_address(int(address))
        return np.frombuffer(held, dtype).view(np.recarray)[0]

    record = numba.from_dtype(dtype)  # in kernels a pointer

    def at(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), codegen

    as_record = intrinsic(at)
    overload(found)(lambda address: lambda address: as_record(address))
    return found


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
