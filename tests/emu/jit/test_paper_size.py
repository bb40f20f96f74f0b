"""Every program at the size of the papers, in native code, against its NumPy reference."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.jit.launch.engine import depends_on_schedule
from simtlab.emu.module import Module
from simtlab.programs import Entry, catalogue
from simtlab.programs.runner import PlainLauncher, run_program

from ...quick import few

# Those of 100 million instructions and more take a while. Lanes of lessons/spinlock wait for each
# other, which the JIT leaves to the interpreter.
LARGE = [e for e in catalogue() if e.folder == "lwm"]
OTHERS = [e for e in catalogue() if e.folder != "lwm" and e.name != "lessons/spinlock"]


@pytest.mark.parametrize(
    "entry",
    [*few(OTHERS, 8), *(pytest.param(e, marks=pytest.mark.slow) for e in LARGE)],
    ids=lambda e: e.name,
)
def test_a_program_of_paper_size_is_right_in_native_code(entry: Entry) -> None:
    module = Module(assemble(entry.path))
    # What the JIT hands to the interpreter would take minutes, and test nothing here.
    assert not any(depends_on_schedule(function.kernel) for function in module)
    run = run_program(entry, PlainLauncher(module, engine="jit"), size="paper")
    assert run.results
    assert not run.mismatches, "\n".join(map(str, run.mismatches))
