"""What `pip install simtlab` puts on a machine: all of the package, nothing else, and it runs.

One test, because the parts cost seconds and need each other: with pytest-xdist a shared fixture
would build the wheel once per worker.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile

LEFT_BEHIND = (".*", "__pycache__", "build", "dist", "scratch", "*.egg-info", "node_modules")


def run(*command: object, **options) -> str:
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_wheel(tree, tmp_path):
    # A copy is built: setuptools leaves a build folder in the source, takes files of an earlier
    # build out of it again, and two test runs in one tree would meet there.
    source = tmp_path / "a-clone"
    shutil.copytree(tree.root, source, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    for outside in ("tests", "docs", "bench"):  # as tempting as a mistake could make them
        (source / outside).mkdir(exist_ok=True)
        (source / outside / "__init__.py").touch()
    run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, source,
        cwd=tmp_path,
    )  # fmt: skip
    [wheel] = tmp_path.glob("*.whl")

    with zipfile.ZipFile(wheel) as archive:
        names = {n for n in archive.namelist() if ".dist-info/" not in n and not n.endswith("/")}
        metadata = next(n for n in archive.namelist() if n.endswith("/METADATA"))
        licence = metadata.replace("METADATA", "licenses/LICENSE")
        assert licence in archive.namelist()
    assert not {n for n in names if n.split("/")[1] in {"tests", "bench"}}
    assert "simtlab/docs/__init__.py" not in names
    missing = sorted(tree.package_files - names)
    assert not missing, f"no pattern of [tool.setuptools.package-data] takes along: {missing}"
    assert names == tree.package_files

    site = tmp_path / "site"
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--no-index", "--target", site, wheel, cwd=tmp_path,
    )  # fmt: skip

    # The path comes before the editable install, and the dependencies come from where the tests'
    # come from; -P keeps the working folder off the path, as the installed command has it.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(site),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "NO_COLOR": "1",
    }

    def installed(*arguments: object) -> str:
        return run(sys.executable, "-P", *arguments, cwd=elsewhere, env=environment)

    assert installed("-c", "import simtlab; print(simtlab.__file__)").strip() == str(
        site / "simtlab" / "__init__.py"
    )
    # All but simtlab.testing, which needs an extra that the command does not.
    imported = [n for n in tree.packages if not n.startswith("simtlab.testing")]
    installed("-c", f"import {', '.join(imported)}")

    tree.need("cli", "__main__.py", "programs")
    version = installed("-c", "import simtlab; print(simtlab.__version__)").strip()
    assert version in installed("-m", "simtlab", "--version")
    assert version in run(site / "bin" / "simtlab", "--version", cwd=elsewhere, env=environment)
    installed("-m", "simtlab", "run", "saxpy", "--size", "tiny")
    assert installed("-m", "simtlab", "explain", "timing").startswith("# ")
    assert not list(elsewhere.iterdir()), "a plain run left something in the working folder"
