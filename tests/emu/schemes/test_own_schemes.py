"""Divergence schemes of one's own: files and classes, what may be wrong with them, the contract."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.emu.recent import Recent
from simtlab.emu.schemes import SCHEMES, Scheme, outside
from simtlab.emu.schemes.outside import SchemeFileError
from simtlab.emu.schemes.watched import SchemeError
from simtlab.testing import scheme_contract

from ...quick import count

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "fewest_first.py"

KERNEL = """kernel k(global u32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64  $d0, [%x]
    cvt_u64_u32     $d1, $s0
    mad_u64         $d0, $d1, 4, $d0
    and_u32         $s2, $s0, 1
    cmp_eq_u32      $c0, $s2, 0
    cbr             $c0, @even
    add_u32         $s1, $s0, 1
    br @end
@even:
    add_u32         $s1, $s0, 2
@end:
    st_global_u32   $s1, [$d0]
    ret
}
"""


def run(scheme: str | type[Scheme]) -> np.ndarray:
    x = np.zeros(8, np.uint32)
    launch = simtlab.assemble(KERNEL).k.launch(items=8, group_size=8, scheme=scheme)
    result = launch(x)
    assert result.engine == "interp", "native code has no scheme"
    return x


def variant(folder: Path, old: str, new: str, name: str = "mine.py") -> str:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert old in text
    path = folder / name
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return str(path)


def refusal(folder: Path, old: str, new: str) -> str:
    with pytest.raises(SchemeFileError) as caught:
        run(variant(folder, old, new))
    return caught.value.first.message


def fault(folder: Path, old: str, new: str) -> str:
    with pytest.raises(SchemeError) as caught:
        run(variant(folder, old, new))
    return caught.value.first.message


def test_a_file_and_a_class_run_and_are_not_left_to_native_code():
    expected = np.array([2, 2, 4, 4, 6, 6, 8, 8], np.uint32)
    assert (run(str(EXAMPLE)) == expected).all()

    class Mine(SCHEMES["per-thread"]):
        name = "mine"

    assert (run(Mine) == expected).all()


def test_a_class_of_the_package_is_the_scheme_itself():
    x = np.zeros(8, np.uint32)
    launch = simtlab.assemble(KERNEL).k.launch(items=8, scheme=SCHEMES["ppc"])
    assert launch(x).scheme == "ppc"


def test_a_file_that_changes_is_read_again(tmp_path):
    path = variant(tmp_path, '"fewest-first"', '"one"')
    run(path)
    variant(tmp_path, "def exit(self)", "def quit(self)")
    with pytest.raises(SchemeFileError, match="has no exit"):
        run(path)


def modules_of_schemes() -> set[str]:
    return {name for name in sys.modules if name.startswith("simtlab_scheme_")}


def test_a_file_may_change_any_number_of_times(tmp_path, monkeypatch):
    kept = Recent(3, forget=outside._FILES.forget)
    monkeypatch.setattr(outside, "_FILES", kept)
    before = modules_of_schemes()
    for number in range(8):
        path = variant(tmp_path, "(Scheme):", f"(Scheme):\n    version = {number}\n")
        first = outside.from_file(path)
        assert outside.from_file(path) is first
    assert len(kept) == len(modules_of_schemes() - before) == 3
    # A file that is not a scheme leaves nothing.
    with pytest.raises(SchemeFileError):
        outside.from_file(variant(tmp_path, "(Scheme):", "(Unknown):"))
    assert len(modules_of_schemes() - before) == 3


def test_classes_are_freed_when_many_others_have_run():
    def define(number: int) -> weakref.ref[type]:
        cls = type(f"Mine{number}", (SCHEMES["stack"],), {"name": f"mine{number}"})
        outside.from_class(cls)
        return weakref.ref(cls)

    first = define(0)
    for number in range(1, outside.KEPT + 1):
        define(number)
    gc.collect()
    assert first() is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def exit(self)", "def quit(self)", "mine.py:16: FewestFirst has no exit"),
        (
            "def exit(self)",
            "def exit(self, mask)",
            "mine.py:30: exit takes (self), not (self, mask)",
        ),
        ("(Scheme):", "(Unknown):", "mine.py:11: NameError: name 'Unknown' is not defined"),
        ("(Scheme):", "(:", "mine.py:11: this is not a scheme file: "),
        (
            "(Scheme):",
            ":",
            "mine.py: a scheme file has one subclass of simtlab.emu.schemes.Scheme, ",
        ),
        (
            '    name = "fewest-first"',
            "    knobs = {'a': 1}",
            "mine.py:16: knobs is a dictionary of",
        ),
    ],
)
def test_a_file_that_cannot_be_a_scheme_is_told_at_its_line(tmp_path, old, new, message):
    assert refusal(tmp_path, old, new).startswith(message)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SchemeFileError, match=r"cannot read scheme file .*missing\.py"):
        run(str(tmp_path / "missing.py"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("self._park(fall, self.mask & ~taken)", "self._park(fall, taken)", "branch of scheme"),
        (
            "self._park(target, taken)",
            "pass",
            "branch of scheme fewest-first loses lanes 0, 2, 4, 6",
        ),
        ("self._park(target, taken)", "self._park(target, -1)", "branch of scheme"),
        ("self._park(target, taken)", "self._park(target + 1, taken)", "branch of scheme"),
        ("self._park(target, taken)", "self.paths[self.pc] / 0", "raises KeyError: "),
    ],
)
def test_lanes_that_a_scheme_loses_or_moves_are_told(tmp_path, old, new, message):
    found = fault(tmp_path, old, new)
    assert found.startswith("mine.py:")
    assert message in found


def test_the_example_of_the_documentation_keeps_the_contract():
    scheme_contract(EXAMPLE, examples=count(5, 20), shrink=False)


@pytest.mark.parametrize("name", SCHEMES)
def test_our_schemes_keep_the_contract(name):
    scheme_contract(name, examples=count(5, 15), shrink=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self._park(target, taken)", "self._park(fall, taken)"),
        ("self._park(fall, self.mask & ~taken)", "self._park(fall, self.mask)"),
        ("self.waiting[self.pc] = self.waiting.get(self.pc, 0) | self.mask", "pass"),
        ("self._park(pc + 1, mask)", "self._park(pc, mask)"),
        ("self.waiting.clear()", "pass"),
        ("        self._choose()\n        return True", "        return True"),
        ("        return True", "        return False"),
        ("self.mask = self.paths.pop(self.pc)", "self.mask = self.paths[self.pc]"),
        ("self.paths.get(pc, 0) | mask", "mask"),
        ("default=NOWHERE)", "default=self.pc + 1)"),
    ],
)
def test_the_contract_finds_what_is_wrong_with_a_scheme(tmp_path, old, new):
    path = variant(tmp_path, old, new)
    if "default" in old:
        scheme_contract(
            path, examples=count(5, 20), shrink=False
        )  # to be asked more often is legal
        return
    with pytest.raises(AssertionError, match=r"kernel (random|pieces)\("):
        scheme_contract(path, shrink=False)


def test_the_command_runs_a_scheme_of_ones_own(tmp_path, capsys):
    from simtlab.cli import main

    assert main(["run", "dws/short", "--size", "tiny", "--scheme", str(EXAMPLE)]) == 0
    out = capsys.readouterr().out
    assert "interp in place of jit" in out
    assert main(
        ["run", "dws/short", "--size", "tiny", "--scheme", variant(tmp_path, "def exit", "def e")]
    )


def test_every_scheme_of_ours_is_a_class_that_can_be_built_upon():
    assert all(issubclass(cls, Scheme) for cls in SCHEMES.values())
