"""What `make` installs: the demo only what it needs, everything else the tools of development."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTHING = ""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
        os.utime(tmp_path / name, (1000, 1000))
    (tmp_path / ".venv").mkdir()
    return tmp_path


def stamp(tree: Path, extras: str, folder: Path | None = None, at: int = 2000) -> None:
    path = tree / ".venv" / ".installed"
    path.write_text(f"{folder or tree} [{extras}]\n")
    os.utime(path, (at, at))


def installed(tree: Path, *words: str) -> str:
    """Return the extras that `make` would install; nothing where it would install nothing."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    environment.pop("EXTRAS", None)
    done = subprocess.run(
        ["make", "-n", *words],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line for line in done.stdout.splitlines() if "pip install" in line]
    return found[0].partition("[")[2].partition("]")[0] if found else NOTHING


def test_a_new_clone(tree):
    assert installed(tree, "demo") == "lab"
    assert installed(tree, "test") == "dev"
    assert installed(tree, "install") == "dev"
    assert installed(tree, "demo", "test") == "dev"


@pytest.mark.parametrize(("extras", "for_tests"), [("lab", "dev"), ("dev", NOTHING)])
def test_a_second_make_installs_what_is_missing(tree, extras, for_tests):
    stamp(tree, extras)
    assert installed(tree, "demo") == NOTHING
    assert installed(tree, "test") == for_tests


def test_a_copied_tree_installs_anew(tree):
    stamp(tree, "dev", folder=tree.parent)
    assert installed(tree, "demo") == "lab"
    assert installed(tree, "install") == "dev"


def test_other_requirements_are_installed_as_before(tree):
    stamp(tree, "dev", at=500)
    assert installed(tree, "demo") == "dev"
    stamp(tree, "lab", at=500)
    assert installed(tree, "demo") == "lab"


def test_the_user_chooses(tree):
    stamp(tree, "dev,bench")
    assert installed(tree, "demo") == NOTHING
    assert installed(tree, "demo", "EXTRAS=tui") == "tui"
    assert installed(tree, "test", "EXTRAS=dev,bench") == NOTHING


def test_a_folder_with_a_blank(tree):
    other = tree / "two words"
    (other / ".venv").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy2(tree / name, other / name)
    stamp(other, "dev")
    assert installed(other, "demo") == NOTHING
    assert installed(other, "test") == NOTHING
