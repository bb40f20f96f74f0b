"""Wild kernels never hurt the host: they run in child processes, so that a crash is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .support import fences, wild

ROOT = Path(__file__).parents[3]
KERNELS = 100
"""Per child; `python -m tests.emu.jit.support.wild FIRST END TEXT` tries any others."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")


def run_child(first: int, end: int, folder: Path) -> tuple[str, str]:
    """Return what the child wrote to its error output, and the kernel that ended it, if any."""
    text = folder / f"wild-{first}.sasm"
    command = [sys.executable, "-m", wild.__name__, str(first), str(end), str(text)]
    child = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (child.returncode != 0) == text.exists(), child.stderr
    return child.stderr, text.read_text(encoding="utf-8") if child.returncode else ""


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 4 * KERNELS, KERNELS))
def test_wild_kernels_do_not_hurt_the_host(first: int, tmp_path: Path) -> None:
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
        f"import sys; sys.path.insert(0, {str(Path(fences.__file__).parent)!r})\n"
        "import ctypes, fences\n"
        "block = fences.fenced(100)\n"
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
