"""What the repository holds, as packaging sees it."""

from __future__ import annotations

import os
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

OUTSIDE = frozenset({"bench", "build", "dist", "docs", "scratch", "tests"})
"""Folders of the root that are never part of the package, even with an __init__.py in them."""


class Tree:
    """The working tree, whether it is under git or not."""

    root = Path(__file__).resolve().parents[2]

    @cached_property
    def project(self) -> dict[str, Any]:
        """The whole of pyproject.toml."""
        return tomllib.loads((self.root / "pyproject.toml").read_text("utf-8"))

    @cached_property
    def packages(self) -> dict[str, Path]:
        """Every package of the tree with its folder, `simtlab` itself first."""
        found = {"simtlab": self.root}
        for folder, inner, files in os.walk(self.root):
            path = Path(folder)
            inner[:] = sorted(i for i in inner if i.isidentifier() and i != "__pycache__")
            if path == self.root:
                inner[:] = [i for i in inner if i not in OUTSIDE]
            elif "__init__.py" in files:
                found[".".join(("simtlab", *path.relative_to(self.root).parts))] = path
            else:
                inner.clear()  # nothing below can be imported as a part of simtlab
        return found

    @cached_property
    def package_files(self) -> set[str]:
        """Every file that a user should get, as a wheel names it."""
        files = [*self.root.glob("*.py"), *self.root.glob("py.typed")]
        for name, folder in self.packages.items():
            if name.count(".") == 1:
                files += [f for f in folder.rglob("*") if f.is_file() and not self._is_litter(f)]
        for pattern in (
            "docs/**/*.ipynb",
            "docs/**/*.md",
            "docs/**/*.png",
            "docs/**/*.svg",
            "docs/examples/*.py",
            "docs/examples/*.sasm",
            "docs/examples/*.toml",
            "docs/examples/*.txt",
        ):
            files += self.root.glob(pattern)
        report = self.root / "docs" / "reproduction"
        files = [file for file in files if not file.is_relative_to(report)]
        return {f"simtlab/{f.relative_to(self.root).as_posix()}" for f in files}

    def _is_litter(self, path: Path) -> bool:
        inside = path.relative_to(self.root).parts
        return path.suffix in {".orig", ".pyc", ".swp"} or any(
            part == "__pycache__" or part.startswith(".") for part in inside
        )

    def need(self, *names: str) -> None:
        """Skip where a folder is not written yet; the upper layers arrive one after the other."""
        for name in names:
            if not (self.root / name).exists():
                pytest.skip(f"{name} is not in the tree yet")


@pytest.fixture(scope="session")
def tree() -> Tree:
    return Tree()
