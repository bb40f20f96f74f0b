"""Starting is quick because what is slow to import is imported where it is needed."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

HEAVY = ("matplotlib", "networkx", "numba", "pandas", "pydantic", "scipy")
"""Each costs between 0.05 and 0.5 s, and a plain run may take half a second altogether."""


def heavy_after(tmp_path, code: str) -> str:
    """What of HEAVY a fresh interpreter has loaded after running the code."""
    script = textwrap.dedent(code) + textwrap.dedent(
        f"""
        import sys
        print("loaded:", *(m for m in {HEAVY} if m in sys.modules))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1]


def test_import_simtlab(tmp_path):
    assert heavy_after(tmp_path, "import simtlab") == "loaded:"


@pytest.mark.parametrize("layer", ["isa", "asm", "emu", "programs"])
def test_import_a_layer(tree, tmp_path, layer):
    tree.need(layer)
    assert heavy_after(tmp_path, f"import simtlab.{layer}") == "loaded:"


def test_a_plain_run(tree, tmp_path):
    """The 0.5 s of `simtlab run` hold neither numba (timing) nor pydantic (machine files)."""
    tree.need("cli", "__main__.py", "programs")
    code = """
        import runpy, sys
        sys.argv = ["simtlab", "run", "saxpy", "--size", "tiny"]
        try:
            runpy.run_module("simtlab", run_name="__main__", alter_sys=True)
        except SystemExit as done:
            assert not done.code, done.code
    """
    assert heavy_after(tmp_path, code) == "loaded:"


def test_testing_without_hypothesis_says_what_to_install(tree, tmp_path):
    tree.need("testing")
    code = """
        import sys
        sys.modules["hypothesis"] = None  # what Python sees when it is not installed
        try:
            import simtlab.testing
        except ImportError as error:
            assert "hypothesis" in str(error) and "pip install" in str(error), str(error)
        else:
            raise AssertionError("simtlab.testing imported without hypothesis")
    """
    heavy_after(tmp_path, code)
