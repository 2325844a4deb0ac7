"""Our own `cli` and `analyses`, whatever else of those names lies on Python's path.

Their names are common ones: a user's own cli.py or analyses/ beside a notebook comes first on the
path. The command names ours before anything is imported. In a program of the user's, where theirs
stays what it is, ours is loaded as simcore.analyses, from the same files.
"""

import ast
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ALIAS = "simcore.analyses"


def claim(name: str) -> None:
    """Make `name` our package, for all of this process. For the command only."""
    place = ROOT / name
    spec = spec_from_file_location(
        name, place / "__init__.py", submodule_search_locations=[str(place)]
    )
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def own_analyses() -> ModuleType:
    """Our `analyses`: by that name where it is ours, else under another."""
    known = sys.modules.get("analyses")
    if known is None:
        spec = find_spec("analyses")
        origin = spec.origin if spec is not None else None
    else:
        origin = getattr(known, "__file__", None)
    if origin is not None and Path(origin).resolve().parent == ROOT / "analyses":
        return import_module("analyses")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    return import_module(ALIAS)


class _Finder(MetaPathFinder):
    """Finds simcore.analyses and what is in it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != ALIAS and not name.startswith(f"{ALIAS}."):
            return None
        place = ROOT.joinpath(*name.split(".")[1:])
        inside = place / "__init__.py"
        file = inside if inside.is_file() else place.with_suffix(".py")
        return spec_from_file_location(
            name, file, loader=_Renaming(name, str(file)),
            submodule_search_locations=[str(place)] if file == inside else None,
        )  # fmt: skip


class _Renaming(SourceFileLoader):
    """Reads a file of ours with its imports of `analyses` as imports of simcore.analyses."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)

    def source_to_code(self, data: Any, path: Any, **options: Any) -> CodeType:  # type: ignore[override]
        tree = ast.parse(data)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "analyses":
                node.module = f"simcore.{node.module}"
        return compile(tree, str(path), "exec", dont_inherit=True)
