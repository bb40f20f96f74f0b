"""simtlab: write SIMT kernels, run them on NumPy arrays, and ask how long they take and why.

    import simtlab
    program = simtlab.assemble("saxpy.sasm")
    program.saxpy[groups, group_size](a, n, x, y)     # NumPy arrays, changed in place

Names are imported when they are first used, so that `import simtlab` is quick.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .emu.timed import provide
from .isa.version import __version__

if TYPE_CHECKING:
    from .asm.assemble import Markers
    from .asm.format import format_source
    from .debugger.session import debug
    from .emu.device import Device, DeviceArray
    from .emu.engine import Interrupted
    from .emu.module import KernelFunction, Module
    from .emu.result import Result
    from .emu.traps import Trap, TrapKind
    from .isa.errors import ArgumentError, ObjectFileError, SimtError, SourceError, UsageError
    from .lab.contest import compare
    from .lab.reproduce import reproduce
    from .lab.simulate import simulate
    from .lab.store import Store
    from .lab.sweep.sweep import sweep
    from .programs.checking import check_run
    from .recording.record import record
    from .recording.recording import Recording
    from .timing.results.comparison import Comparison
    from .timing.simulate import Simulation
    from .viewer.page import view

_HOMES = {
    "ArgumentError": ".isa.errors",
    "Comparison": ".timing.results.comparison",
    "Device": ".emu.device",
    "DeviceArray": ".emu.device",
    "Interrupted": ".emu.engine",
    "KernelFunction": ".emu.module",
    "Module": ".emu.module",
    "ObjectFileError": ".isa.errors",
    "Recording": ".recording.recording",
    "Result": ".emu.result",
    "SimtError": ".isa.errors",
    "Simulation": ".timing.simulate",
    "SourceError": ".isa.errors",
    "Store": ".lab.store",
    "Trap": ".emu.traps",
    "TrapKind": ".emu.traps",
    "UsageError": ".isa.errors",
    "check_run": ".programs.checking",
    "compare": ".lab.contest",
    "debug": ".debugger.session",
    "format_source": ".asm.format",
    "record": ".recording.record",
    "reproduce": ".lab.reproduce",
    "simulate": ".lab.simulate",
    "sweep": ".lab.sweep.sweep",
    "view": ".viewer.page",
}
"""Public name -> the module that defines it."""

_ELSEWHERE = {
    **dict.fromkeys(
        ("run", "launch"), "a kernel is launched as program.kernel[groups, group_size](arguments)"
    ),
    "time": "simtlab.simulate does what the command `simtlab time` does",
    "check": "simtlab.assemble reports the errors of a source, simtlab.check_run those of a run",
    "trace": "simtlab.record(...)(...).export writes a trace",
    "program": "simtlab.simulate takes a program by its name, and simtlab.sweep takes several",
}
"""Names that the package does not have: where a user finds what they mean."""

__all__ = [
    "ArgumentError",
    "Comparison",
    "Device",
    "DeviceArray",
    "Interrupted",
    "KernelFunction",
    "Module",
    "ObjectFileError",
    "Recording",
    "Result",
    "SimtError",
    "Simulation",
    "SourceError",
    "Store",
    "Trap",
    "TrapKind",
    "UsageError",
    "__version__",
    "assemble",
    "check_run",
    "compare",
    "debug",
    "format_source",
    "load",
    "record",
    "reproduce",
    "simulate",
    "sweep",
    "view",
]


def assemble(
    source: str | os.PathLike[str], *, markers: Markers = "auto", subdivide_limit: int = 50
) -> Module:
    """Assemble a `.sasm` file or a source text into a module of kernels.

    `markers` is auto (leave `reconverge` instructions as they are), explicit (insert them at every
    immediate post-dominator) or none (strip them). A branch may subdivide a warp (DWS-06) if the
    block after its post-dominator has at most `subdivide_limit` instructions.
    Raises SourceError with every error of the text.
    """
    from .asm.assemble import assemble as assemble_program
    from .emu.module import Module

    program = assemble_program(source, markers=markers, subdivide_limit=subdivide_limit)
    return Module(program)


def load(source: str | os.PathLike[str] | bytes) -> Module:
    """Load an object file `.sbc` from a path or its bytes. Raises ObjectFileError."""
    from .asm.load import load as load_program
    from .emu.module import Module

    return Module(load_program(source))


def load_ipython_extension(ipython: Any) -> None:
    """Define `%%sasm` and show recordings: called by `%load_ext simtlab` in IPython and Jupyter."""
    from .editors.notebook import register

    register(ipython)


def _simulate(kernel: KernelFunction, **options: Any) -> Any:
    from .timing.simulate import simulate

    return simulate(kernel, **options)


provide(_simulate)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        hint = _ELSEWHERE.get(name)
        raise AttributeError(
            f"module 'simtlab' has no attribute {name!r}" + (f"; {hint}" if hint else "")
        )
    return getattr(import_module(home, __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
