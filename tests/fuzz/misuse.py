"""The Python face with arguments of all sorts: whatever is wrong, it is an error for the user."""

from __future__ import annotations

import os
import random
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import simtlab
from simtlab.isa.errors import SimtError

from .example import Draw, Example, Files, Generator
from .sources import told

SOURCE = """\
kernel scale(f32 %a, u32 %n, global f32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_f32 $s2, [%a]
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    ld_global_f32 $s3, [$d1]
    mul_f32 $s3, $s3, $s2
    st_global_f32 $s3, [$d1]
@done:
    ret
}
"""

VALUES = (
    "None", "True", "False", "0", "1", "-1", "2", "7", "64", "65", "1 << 32", "1 << 63",
    "-(1 << 63)", "1 << 64", "10 ** 40", "-(10 ** 400)", "0.0", "1.0", "1.5", "-2.5",
    "float('nan')", "float('inf')", "1e400", "1e39", "3j", "''", "'jit'", "'interp'", "'oracle'",
    "'stack'", "'ppc'", "'conv'", "'dws'", "'dws.revive-split'", "'toy'", "'no such'", "'a\\0b'",
    "'\\ud800'", "'x' * 300", "'/'", "'.'", "'nothing.py'", "b''", "b'SIMTLAB\\0'",
    "b'\\xff' * 40", "()", "(1,)", "(2, 3)", "(2, 3, 4)", "(1, 2, 3, 4)", "(0, 1)", "(1.5, 2)",
    "[]", "[4]", "['4']", "{}", "{'a': 1}", "{'width': -1}", "{'wpus': 0}", "{'no.such': 1}",
    "{1: 2}", "{'cascade': 7}", "{'first-path': None}", "set()", "object()", "range(3)",
    "Ellipsis", "len", "int", "Path('nothing')", "Path('.')", "np.float32(1)", "np.float64('nan')",
    "np.int8(-1)", "np.uint64(1 << 63)", "np.bool_(True)", "np.array(3)", "np.array(None)",
    "np.array([], np.float32)", "np.zeros(4, np.float32)", "np.zeros(8, np.float32)[::2]",
    "np.zeros((2, 2), np.float32).T", "np.zeros(4, '>f4')", "np.zeros(4, np.float16)",
    "np.zeros(4, object)", "np.zeros(4, 'U3')", "np.zeros(3, 'i4,f8')", "np.zeros(4, 'M8[s]')",
    "np.broadcast_to(np.float32(1), (4,))", "np.float32", "'f4'", "'float32'", "'nonsense'",
    "np.dtype('f4')", "np.timedelta64(3)", "device", "array", "freed", "other", "kernel",
    "program", "launch", "SOURCE",
)  # fmt: skip
"""What is passed, as text of Python."""

PATHS = tuple(value for value in VALUES if value[0] in "'PN{[(ob")
"""Those that cannot be the number of an open file, as the one that findings are sent through."""

CALLS = (
    "simtlab.assemble({0})",
    "simtlab.load({0})",
    "program[{0}]",
    "program.save({path})",
    "kernel[{0}, {1}]",
    "kernel[{0}]",
    "kernel({0})",
    "kernel[1, 4]({0}, {1}, {2})",
    "kernel[1, 4](1.0, {1}, {2})",
    "kernel[1, 4](1.0, 4, {2})",
    "kernel[1, 4]({0}, {1})",
    "kernel.launch(groups={0}, group_size={1})",
    "kernel.launch(items={0}, group_size={1})",
    "kernel.launch(items=4, warp={0})(1.0, 4, array)",
    "kernel.launch(items=4, engine={0})(1.0, 4, array)",
    "kernel.launch(items=4, scheme={0}, engine='interp')(1.0, 4, array)",
    "kernel.launch(items=4, scheme={0}, knobs={1})(1.0, 4, array)",
    "kernel.launch(items=4, knobs={0})(1.0, 4, array)",
    "kernel.launch(items=4, budget={0})(1.0, 4, array)",
    "kernel.launch(items=4, stats={0})(1.0, 4, array)",
    "kernel.launch(items=4, threads={0})(1.0, 4, array)",
    "kernel.launch(items=4, exited_arrive={0})(1.0, 4, array)",
    "launch.generated({0})",
    "simtlab.Device().zeros({0}, {1})",
    "simtlab.Device().zeros({0})",
    "simtlab.Device().to_device({0})",
    "simtlab.Device().to_device({0}, {1})",
    "simtlab.Device().map({0}, {1})",
    "array.copy_from({0})",
    "freed.copy_from({0})",
    "freed.to_host()",
    "simtlab.simulate({0}, machine='toy', items=4, group_size=4)",
    "simtlab.simulate(kernel, machine={0}, items=4, group_size=4)",
    "simtlab.simulate(kernel, machine='toy', policy={0}, items=4, group_size=4)",
    "simtlab.simulate(kernel, machine='toy', items={0}, group_size={1})",
    "simtlab.simulate(kernel, machine='toy', set={0}, items=4, group_size=4)",
    "simtlab.simulate(kernel, machine='toy', items=4, group_size=4, budget={0})",
)
"""Calls with places for values. Grids that are large and legal are not among the values."""


@dataclass
class Call:
    """One call, as text of Python."""

    text: str

    def run(self) -> str:
        space = scene()
        try:
            eval(self.text, space)  # the text is made above
        except SimtError as error:
            return told(error)
        except TypeError as error:
            # Python itself refuses a call that does not fit the signature, before any of our code.
            if len(traceback.extract_tb(error.__traceback__)) > 2:
                raise
            return "signatures"
        return "accepted"

    def files(self) -> Files:
        return {"reproduce.py": REPRODUCE.format(text=self.text)}

    def smaller(self) -> list[Example]:
        return []


def scene() -> dict[str, Any]:
    """What a call may use."""
    device = simtlab.Device()
    freed = device.zeros(4, "float32")
    freed.free()
    program = simtlab.assemble(SOURCE)
    return {
        "np": np, "Path": Path, "simtlab": simtlab, "device": device, "freed": freed,
        "array": device.zeros(4, "float32"), "other": simtlab.Device().zeros(4, "float32"),
        "program": program, "kernel": program.scale, "launch": program.scale.launch(items=4),
        "SOURCE": SOURCE,
    }  # fmt: skip


REPRODUCE = """\
from tests.fuzz.misuse import scene

print(eval({text!r}, scene()))
"""


def draw(rng: random.Random) -> Call:
    """A call with values at random."""
    values = rng.choices(VALUES, k=3)
    return Call(rng.choice(CALLS).format(*values, path=rng.choice(PATHS)))


def _open(scratch: Path, rng: random.Random) -> Draw:

    os.chdir(scratch)  # `save` writes files
    return draw


GENERATOR = Generator("misuse", _open, 60.0, 0.3)
