"""The contract of an executor, and the list of them.

An engine takes one `Work` and runs it to the end. Its promise, in order:

1. It changes nothing but the host bytes of live, writable buffers of `work.memory`.
2. It runs every work-item of the geometry from pc 0 with zero registers, private memory and (per
   workgroup) group memory, until it executes `ret`.
3. Barriers, traps and the budget mean what docs/isa.md says; the first trap that it reports is
   one that the oracle's per-thread semantics has too, but for barriers to which a lock-step
   scheme brings only a part of a warp. A trap is raised as `Trap`.
4. It returns the statistics of the scheme, or None where `work.stats` is false and counting them
   would cost time. A KeyboardInterrupt leaves as `Interrupted` with what was counted so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..isa.errors import Outcome, SimtError, UsageError, did_you_mean
from ..isa.program import Kernel, Program
from ..isa.quoting import shown
from .geometry import Geometry
from .memory import Memory
from .statistics import Statistics
from .traps import Trap, TrapRecord

if TYPE_CHECKING:
    from .checks import Checks

DEFAULT_BUDGET = 1 << 24
"""Instructions per work-item before a launch is taken to hang."""


@dataclass(frozen=True)
class SchemeSpec:
    """A divergence scheme by name or file, with the knobs that differ from its defaults."""

    name: str = "stack"
    knobs: dict[str, str | int | bool] = field(default_factory=dict)
    own: type[Any] | None = None
    """A class of the user's that is the scheme; the name may also be that of a file of theirs."""


@dataclass
class Work:
    """One launch, ready to run: everything checked, arguments packed."""

    program: Program
    kernel: Kernel
    geometry: Geometry
    kernargs: bytes
    memory: Memory
    scheme: SchemeSpec = field(default_factory=SchemeSpec)
    budget: int = DEFAULT_BUDGET
    stats: bool = False
    exited_arrive: bool = False
    """Barrier knob: a work-item that has returned counts as arrived (default: it is divergent)."""
    threads: int = 1
    """Threads of the host that an engine with native code may use."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What an engine keeps from call to call of one `Launch`, where only arguments differ."""
    checks: Checks | None = None
    """What the interpreter checks besides; no other engine traps for `checks.arrays`."""
    run_by: str = ""
    """The engine that has run it, where that became known during the launch only."""

    def trap(self, record: TrapRecord) -> Trap:
        """The error for a trap of this launch."""
        return Trap(record, self.program, self.kernel, self.geometry, self.memory)


class Interrupted(SimtError):
    """The user interrupted a launch; `statistics` is what was counted until then."""

    code = "SIM430"
    outcome = Outcome.INTERRUPTED

    def __init__(self, statistics: Statistics | None) -> None:
        self.statistics = statistics
        super().__init__("interrupted; the launch did not finish")


Engine = Callable[[Work], Statistics | None]

_ENGINES = {
    "jit": (".jit.launch.engine", "run"),
    "interp": (".interp.interpreter", "run"),
    "oracle": (".oracle.oracle", "run"),
}
"""Name -> (module, function); a module is imported when its engine is first asked for."""

DEFAULT_ENGINE = "jit"

GENERATED = ("ssa", "shapes", "masks", "llvm", "asm")
"""What can be shown of native code: the results of analyses, LLVM's IR, and the assembly."""


def chosen(name: str | None, *, usual: bool, stats: bool) -> str:
    """Return the engine that runs when `name` is asked for, or the fastest that can where none is.

    Native code leaves counting to interp, and follows no divergence scheme: it gives the results of
    the `usual` one. Raises UsageError.
    """
    if name is None:
        return DEFAULT_ENGINE if usual and not stats else "interp"
    check_engine(name)
    name = "interp" if stats and name == "jit" else name
    if not usual and name != "interp":
        raise UsageError(
            f"a divergence scheme has no effect with the engine {name}, which follows none",
            code="SIM517",
            hint="leave out the engine, or ask for interp",
        )
    return name


def executor(name: str, kernel: Kernel, geometry: Geometry) -> str:
    """The engine that runs a kernel when `name` is asked for: the jit leaves some to interp."""
    if name != "jit":
        return name
    jit = import_module(_ENGINES["jit"][0], __package__)
    return "interp" if jit.leaves(kernel, geometry) else "jit"


def overspent(work: Work) -> TrapRecord | None:
    """Return the trap of a work-item that spends its budget under every schedule, if known."""
    return import_module(_ENGINES["jit"][0], __package__).overspent(work)


def engine_names() -> tuple[str, ...]:
    """The engines that can be asked for."""
    return tuple(_ENGINES)


def check_engine(name: str) -> None:
    """Raises UsageError where there is no engine of this name."""
    if not isinstance(name, str) or name not in _ENGINES:
        raise UsageError(
            f"unknown engine {shown(name)}; there are {', '.join(_ENGINES)}",
            hint=did_you_mean(name, engine_names()),
        )


def engine(name: str) -> Engine:
    """The engine of this name. Raises UsageError."""
    check_engine(name)
    module, function = _ENGINES[name]
    return getattr(import_module(module, __package__), function)
