"""Names of programs: full, short, ambiguous, unknown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simtlab.isa.errors import UsageError
from simtlab.programs import catalogue, find, index

NAMES = (
    *("basics/" + n for n in ("bfs", "bitonic", "collatz", "histogram", "kmeans")),
    *("basics/" + n for n in ("mandelbrot", "matmul", "saxpy", "scan", "transpose", "vectorsum")),
    *("dws/" + n for n in ("fft", "filter", "hotspot", "kmeans", "lu", "merge", "short", "svm")),
    *("lwm/" + n for n in ("bfs", "blackjack", "blackscholes", "decrypt", "histogram", "hotspot")),
    *("lwm/" + n for n in ("kmeans", "matrixmult", "needleman", "reduction", "sort", "viterbi")),
    *("ppc/" + n for n in ("binarysearch", "dct", "exits", "fallthrough", "floydwarshall")),
    *("ppc/" + n for n in ("gotoerror", "nw", "pathfinder", "scan", "shortcircuit")),
    *("lessons/" + n for n in ("banks", "barrier", "lockstep", "missing", "nested", "rows")),
    *("lessons/" + n for n in ("runahead", "spinlock", "splinters", "stragglers", "table1")),
    "lessons/trips",
)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty tree of programs in place of the package's."""
    for folder in index.FOLDERS:
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(index, "_ROOT", tmp_path)
    catalogue.cache_clear()
    yield tmp_path
    catalogue.cache_clear()


def add(root: Path, name: str) -> None:
    for suffix in (".sasm", ".py"):
        (root / f"{name}{suffix}").write_text("")


def test_the_catalogue_has_these_programs() -> None:
    assert [n for n in (e.name for e in catalogue()) if n in NAMES] == list(NAMES)


@pytest.mark.parametrize("name", ["saxpy", "basics/saxpy"])
def test_short_and_full_names_mean_the_same(name: str) -> None:
    entry = find(name)
    assert (entry.name, entry.remark) == ("basics/saxpy", "")
    assert entry.path.name == "saxpy.sasm"
    assert entry.workload.title.startswith("saxpy")


def test_an_ambiguous_name_means_the_first_folder_and_says_so(folders: Path) -> None:
    add(folders, "lessons/merge")
    add(folders, "lwm/merge")
    add(folders, "dws/merge")
    entry = find("merge")
    assert entry.name == "dws/merge"
    assert entry.remark == "'merge' means dws/merge; there is also lwm/merge and lessons/merge"
    assert find("lessons/merge").remark == ""


def test_a_kernel_without_a_workload_is_no_program(folders: Path) -> None:
    (folders / "basics/alone.sasm").write_text("")
    assert catalogue() == ()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sapxy", "did you mean `saxpy`?"),
        ("dws/filtre", "did you mean `dws/filter`?"),
        ("qqq", "`simtlab programs` lists them all"),
        ("", "`simtlab programs` lists them all"),
        ("../saxpy", "did you mean `saxpy`?"),
    ],
)
def test_an_unknown_name_is_a_usage_error_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        find(name)
    assert caught.value.first.message == f"unknown program {name!r}"
    assert caught.value.first.hint == hint


def test_importing_the_programs_is_cheap() -> None:
    code = (
        "import sys; from simtlab.programs import catalogue; catalogue();"
        "heavy = {'scipy', 'matplotlib', 'PIL', 'numba', 'llvmlite', 'lark'} & set(sys.modules);"
        "loaded = [m for m in sys.modules if m.startswith('simtlab.programs.basics')];"
        "assert not heavy and not loaded, (heavy, loaded)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
