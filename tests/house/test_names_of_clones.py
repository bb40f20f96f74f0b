"""The tests run whatever the folder of the clone is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_folder_whose_name_python_cannot_import(tmp_path: Path) -> None:
    """An archive of the tree unpacks into `simtlab-main`, and the root has an `__init__.py`."""
    clone = tmp_path / "simtlab-main"
    clone.symlink_to(ROOT, target_is_directory=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0",
               "-c", str(clone / "pyproject.toml"), "--rootdir", str(clone),
               "tests/isa/test_objectfile.py", "--collect-only"]  # fmt: skip
    run = subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
