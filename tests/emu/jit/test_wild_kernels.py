"""Wild kernels never hurt the host: they run in child processes, so that a crash is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .support import wild

KERNELS = 100
"""Per child; `python wild.py FIRST END TEXT` tries any others."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")


def run_child(first: int, end: int, folder: Path) -> tuple[str, str]:
    """What the child wrote to its error output, and the kernel that it did not survive."""
    text = folder / f"wild-{first}.sasm"
    command = [sys.executable, wild.__file__, str(first), str(end), str(text)]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (child.returncode != 0) == text.exists(), child.stderr
    return child.stderr, text.read_text(encoding="utf-8") if child.returncode else ""


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 4 * KERNELS, KERNELS))
def test_wild_kernels_hurt_nobody(first: int, tmp_path: Path) -> None:
    problem, kernel = run_child(first, first + KERNELS, tmp_path)
    assert not kernel, f"{problem}\n{kernel}"


def test_a_few_wild_kernels_in_every_run(tmp_path: Path) -> None:
    problem, kernel = run_child(10_000, 10_005, tmp_path)
    assert not kernel, f"{problem}\n{kernel}"


def test_a_seed_is_always_the_same_kernel() -> None:
    assert str(wild.sample(7)) == str(wild.sample(7))


def test_a_process_does_not_survive_its_touch_of_a_fence(tmp_path: Path) -> None:
    touch = tmp_path / "touch.py"
    touch.write_text(
        f"import sys; sys.path.insert(0, {str(Path(wild.__file__).parent)!r})\n"
        "import ctypes, wild\n"
        "block = wild.fenced(100)\n"
        "block[:] = 1\n"
        "print('so far', flush=True)\n"
        "ctypes.string_at(block.ctypes.data + 100, 1)\n"
        "print('too far', flush=True)\n"
    )
    child = subprocess.run(
        [sys.executable, str(touch)], capture_output=True, text=True, check=False
    )
    assert child.stdout == "so far\n"
    assert child.returncode < 0
