"""Code for one machine: it gives what the general code gives, and only where the header fits."""

from __future__ import annotations

import ast
import ctypes

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.jit.llvm.toolchain import Level, compile_text
from simtlab.emu.module import Module
from simtlab.programs import find as program
from simtlab.programs.runner import PlainLauncher
from simtlab.timing.compiler.files import find
from simtlab.timing.compiler.inspection import is_device
from simtlab.timing.compiler.native import fitted as fitting
from simtlab.timing.compiler.native.known import UNFIT, Known
from simtlab.timing.compiler.native.translation import native_ir
from simtlab.timing.compiler.sources import code_of, tree_of
from simtlab.timing.engine.intrinsics import device, record, table
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

TOY = machine.load("toy", {"memory": "ideal"})
FIELDS = {"p_fitting": 0, "a": 1, "b": 2}
TEXT = """from __future__ import annotations
@device
def f(S: State, n: int) -> int:
    S.b += n << S.a
    return fitting(S, 1).word + (S.p_fitting & 0) + S.b
"""


def called(level: Level, header: list[int], known: Known) -> tuple[int, list[int]]:
    """Call f(S, 3) with this header behind which the table lies; return result, a and b."""
    space = {"device": device, "fitting": table("fitting", record(word="i8"))}
    exec(code_of("fitting.py", TEXT, space), space)
    code = compile_text(native_ir(space, "f", "entry", FIELDS, known=known), ["entry"], level=level)
    entry = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code["entry"])
    words = np.array([0, *header, 0, 1000], np.int64)
    words[0] = words[3:].ctypes.data
    return entry(words.ctypes.data, 3), words[1:3].tolist()


@pytest.mark.parametrize("level", [Level.PLAIN, Level.WHOLE])
def test_what_is_known_is_checked_when_the_code_is_called(level):
    """What is assigned (`b`) is no constant. A shift by 64 gives the same if `a` is a constant."""
    known = Known({"a": 64, "b": 5}, {"fitting": 24})
    assert called(level, [64, 5], known) == (1005, [64, 5])
    assert called(level, [64, 7], known) == (1007, [64, 7])
    assert called(level, [2, 5], known) == (UNFIT, [2, 5])
    assert called(level, [2, 5], Known({}, {"fitting": 24})) == (1017, [2, 17])
    assert called(level, [64, 5], Known({"a": 64}, {"fitting": 32})) == (UNFIT, [64, 5])


@pytest.mark.parametrize("name", ["dws", "lwm", "ppc"])
def test_no_record_hides_a_constant_of_the_machine(name):
    """A field that a record shares its name with is none, if engine code assigns the record's."""
    simulator = Simulator(machine.load(name), find("dws.revive-split" if name == "dws" else "conv"))
    stores = [
        node
        for function in vars(simulator.composition.namespace).values()
        if is_device(function)
        for node in ast.walk(tree_of(function))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    ]
    of_header = {node.attr for node in stores if ast.unparse(node.value) == "S"}
    of_records = {node.attr for node in stores if ast.unparse(node.value) != "S"}
    assert not (of_records - of_header) & set(simulator.composition.fields)


def test_a_long_run_gets_code_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    entry = program("dws/lu")  # has several launches
    module = Module(assemble(entry.path))

    def run() -> tuple[Simulator, dict[str, int]]:
        simulator = Simulator(TOY, find("conv"))
        data = entry.workload.make(np.random.default_rng(0), **entry.workload.sizes["tiny"])
        entry.workload.launch(PlainLauncher.on(simulator, module), data)
        return simulator, {"cycles": simulator.cycles, **simulator.counters()}

    Simulator(TOY, find("conv")).composition.fitted.clear()
    simulator, wanted = run()
    fitted, composition = simulator.state.fitted, simulator.composition
    assert fitted is not None
    assert fitted.code is None
    monkeypatch.setattr(fitting, "LONG", -1.0)
    assert run()[1] == wanted
    assert fitted._thread is not None
    fitted._thread.join()
    assert fitted.code is not None
    assert not fitted.code.from_cache
    # Without the general code, every launch has to run the fitted code.
    monkeypatch.setattr(composition, "entry", None)
    assert run()[1] == wanted
    monkeypatch.undo()
    composition.fitted.clear()


def test_another_machine_has_other_code(monkeypatch, tmp_path):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    one, other = (
        Simulator(machine.load("toy", {"wpus": wpus}), find("conv")).state.fitted for wpus in (1, 2)
    )
    again = Simulator(machine.load("toy", {"wpus": 1}), find("conv")).state.fitted
    assert one is again
    assert one is not other
