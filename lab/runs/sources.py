"""Digests of sources: what a result depends on besides the user's files."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

from ...timing.compiler.compose import CORE, engine_files, source_of

ROOT = Path(__file__).parents[2]

_SHARED = ("isa", "emu", "timing")
"""Folders that every simulation uses; texts of kernels count as assembled programs."""

_HELPERS = ("index.py", "mappings.py", "rounding.py", "runner.py", "workload.py")
"""Files of programs/ that make and check every run."""


@cache
def version_digest() -> str:
    """Return the digest of all of simtlab that every result depends on.

    Engine files and presets are not part of it: a run counts those that it uses.
    """
    files = [
        path
        for folder in _SHARED
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".ll", ".toml")
        and not path.is_relative_to(ROOT / "timing" / "engine")
        and not path.is_relative_to(ROOT / "isa" / "codes")  # texts of errors
        and not (path.suffix == ".toml" and path.parent.name == "machines")
    ]
    every = [*files, *(ROOT / "programs" / name for name in _HELPERS)]
    return digest_of(*(part for path in every for part in (_name(path), path.read_bytes())))[:16]


def engine_digest(files: tuple[str, ...]) -> str:
    """Return the digest of an engine's files. The user's own count by content, not by name."""
    hooks = (name for name in sorted(engine_files()) if name.startswith("hooks/"))
    common = (*CORE, "intrinsics", *hooks)
    return digest_of(*(_engine_file(name) for name in (*common, *files)))[:16]


def _engine_file(name: str) -> bytes:
    return source_of(name).read_bytes() if name.endswith(".py") else _packaged(name)


@cache
def _packaged(name: str) -> bytes:
    return digest_of(name, source_of(name).read_bytes()).encode()


@cache
def workload_digest(path: Path) -> str:
    """Return the digest of a program of this package: its Python file, and what that imports."""
    found = _imported(path)
    data = [f for folder in {p.parent for p in found} for f in folder.iterdir() if _is_data(f)]
    found |= {file: file.read_bytes() for file in data}
    return digest_of(*(part for p in sorted(found) for part in (_name(p), found[p])))[:16]


def own_workload_digest(path: Path) -> str:
    """Return the digest of a Python file of the user's, and of files beside it that it imports."""
    found = _imported(path)
    return digest_of(*(part for p in sorted(found) for part in (p.name, found[p])))[:16]


def _imported(path: Path) -> dict[Path, bytes]:
    """Return the content of a file, and of those that it imports from its folder or package."""
    found: dict[Path, bytes] = {}
    todo = [path]
    while todo:
        path = todo.pop()
        if path in found or not path.is_file():
            continue
        found[path] = path.read_bytes()
        for node in ast.walk(ast.parse(found[path], str(path))):
            if isinstance(node, ast.ImportFrom):
                folder = path.parents[max(0, node.level - 1)]
                todo.append(_module_file(folder, node.module or ""))
            elif isinstance(node, ast.Import):
                todo += (_module_file(path.parent, alias.name) for alias in node.names)
    return found


def _module_file(folder: Path, name: str) -> Path:
    return folder.joinpath(*name.split(".")).with_suffix(".py") if name else folder


def _is_data(path: Path) -> bool:
    return path.is_file() and path.suffix not in (".py", ".sasm", ".pyc")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def digest_of(*parts: str | bytes) -> str:
    """Return the SHA-256 of some parts, in 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
