"""What a kernel means is the same under every Python that pyproject.toml names.

For each one that this machine has, a copy of the tree is installed into an environment of its own,
and the tests of isa, asm and emu run there.
"""

from __future__ import annotations

import faulthandler
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDERS = ("isa", "asm", "emu")
LEFT_BEHIND = (".*", "__pycache__", "build", "dist", "scratch", "*.egg-info")
OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
VERSION = re.compile(r"Programming Language :: Python :: (\d+\.\d+)")


def named_versions(project: dict) -> list[str]:
    """The versions that the classifiers name."""
    return [found[1] for c in project["project"]["classifiers"] if (found := VERSION.fullmatch(c))]


def interpreter(version: str) -> str | None:
    """An interpreter of this version: on the path, or among those of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    for candidate in filter(None, candidates):
        code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
        # A name on the path does not suffice: version managers put up names without a version.
        done = subprocess.run([candidate, "-c", code], capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return str(candidate)
    return None


def test_the_classifiers_begin_with_the_oldest_python(tree):
    assert f">={named_versions(tree.project)[0]}" == tree.project["project"]["requires-python"]
    assert {"3.11", "3.12", "3.13"} <= set(named_versions(tree.project))


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_isa_asm_and_emu_pass(tree, tmp_path, version):
    if version == OWN:
        pytest.skip("the whole suite runs under this one")
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    faulthandler.cancel_dump_traceback_later()  # it takes longer than a test that hangs may
    clone = tmp_path / "clone"
    shutil.copytree(tree.root, clone, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    own = tmp_path / "venv" / "bin" / "python"
    # The same examples as everywhere: it is the Python that is asked about.
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HYPOTHESIS_PROFILE": "ci",
    }

    def run(*command: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(c) for c in command],
            cwd=clone,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    assert run(python, "-m", "venv", tmp_path / "venv").returncode == 0
    project = tree.project["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    needed += [*tree.project["build-system"]["requires"], "lark", "networkx", "numba"]
    fetched = run(own, "-m", "pip", "install", "--quiet", *needed)
    if fetched.returncode:
        pytest.skip(f"the dependencies cannot be installed: {fetched.stderr.splitlines()[-1:]}")
    offline = ("--no-deps", "--no-build-isolation", "--no-index")
    made = run(own, "-m", "pip", "install", "--quiet", *offline, "--editable", clone)
    assert made.returncode == 0, made.stderr
    done = run(own, "-m", "pytest", "-q", "-m", "not slow", *(f"tests/{f}" for f in FOLDERS))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
