"""Every test runs the command in a folder of its own, with a kernel or two in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simtlab.cli import main

SCALE = """\
// y[i] = a * x[i]; even work-items take a detour
kernel scale(f32 %a, u32 %n, global f32* %x, global f32* %y) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s1, [%n]
    cmp_ge_u32         $c0, $s0, $s1
    cbr                $c0, @done
    and_u32            $s4, $s0, 1
    cmp_eq_u32         $c1, $s4, 0
    cbr                $c1, @even
    nop
@even:
    cvt_u64_u32        $d2, $s0
    ld_kernarg_u64     $d0, [%x]
    ld_kernarg_u64     $d1, [%y]
    mad_u64            $d0, $d2, 4, $d0
    mad_u64            $d1, $d2, 4, $d1
    ld_global_f32      $s2, [$d0]
    ld_kernarg_f32     $s3, [%a]
    mul_f32            $s2, $s2, $s3
    st_global_f32      $s2, [$d1]
@done:
    ret
}
"""

TWO = """\
kernel set(global u32* %x, u32 %v) {
    workitemabsid_u32  $s0, 0
    cvt_u64_u32        $d1, $s0
    ld_kernarg_u64     $d0, [%x]
    mad_u64            $d0, $d1, 4, $d0
    ld_kernarg_u32     $s1, [%v]
    st_global_u32      $s1, [$d0]
    ret
}

kernel spin() {
@again:
    add_u32 $s0, $s0, 1                         // a loop that changes nothing would be noticed
    br      @again
}

kernel leave() {
    workitemabsid_u32  $s0, 0
    cmp_lt_u32         $c0, $s0, 32
    cbr                $c0, @done               // the first warp leaves
    barrier
@done:
    ret
}
"""

SCALE_ARGS = ["--arg", "a=2", "--arg", "n=8", "--arg", "x=arange:8", "--arg", "y=ones:8"]
"""Arguments of `scale` that fit."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def rows(self) -> dict[str, str]:
        """The label and value lines of a text."""
        lines = (line for line in self.out.splitlines() if line[:1] not in ("", " "))
        return {label: value.strip() for label, _, value in (x.partition("  ") for x in lines)}


Cli = Callable[..., Done]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIMTLAB_STORE", str(tmp_path / "results.db"))
    monkeypatch.setenv("COLUMNS", "100")
    Path("scale.sasm").write_text(SCALE)
    Path("two.sasm").write_text(TWO)

    def call(*arguments: str) -> Done:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return call
