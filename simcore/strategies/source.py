"""What a strategy of a user's is known by: the source it is written in."""

import ast
import hashlib
from pathlib import Path


def neighbours(path: Path) -> list[Path]:
    """Python files in the same folder that a file imports, or that those import, by name."""
    found: dict[Path, None] = {}
    todo = [path.resolve()]
    while todo:
        for name in _imported(todo.pop()):
            file = path.resolve().parent / f"{name}.py"
            if file.is_file() and file != path.resolve() and file not in found:
                found[file] = None
                todo.append(file)
    return sorted(found)


def _imported(path: Path) -> set[str]:
    """First parts of the names of modules that a file imports; none where it cannot be read."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def source_hash(path: Path) -> str:
    """16 hex digits over a file, and over its neighbours where it imports some."""
    found = hashlib.sha256(path.read_bytes())
    for file in neighbours(path):
        found.update(f"\n{file.name}\n".encode() + file.read_bytes())
    return found.hexdigest()[:16]
