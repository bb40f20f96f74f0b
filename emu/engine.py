"""The contract of an engine, the list of engines, and which of them runs a launch.

An engine takes one `Work` and runs it to the end. What it promises:

1. It changes nothing but the host bytes of live, writable buffers of `work.memory`.
2. It runs every work-item of the geometry from pc 0 with zero registers, private memory and (per
   workgroup) group memory, until it executes `ret`.
3. Barriers, traps and the budget mean what docs/isa.md says. A trap is raised as `Trap`. The
   oracle's per-thread semantics has the same trap, except at a barrier that a lock-step scheme
   reaches with only a part of a warp.
4. It returns the statistics of the scheme, or None where `work.stats` is false and counting them
   would cost time. A KeyboardInterrupt leaves as `Interrupted` with what was counted so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypedDict

from ..isa.errors import Outcome, SimtError, UsageError, did_you_mean
from ..isa.program import Kernel, Program
from ..isa.quoting import shown
from .geometry import Geometry
from .memory import Memory
from .statistics import Statistics
from .traps import Trap, TrapRecord

if TYPE_CHECKING:
    from .checks import Checks
    from .jit.launch.again import Again
    from .jit.launch.counting.apart import Apart
    from .jit.launch.known_counts import KnownAgain, KnownCounts
    from .jit.launch.plan import Plan
    from .jit.launch.run_apart import ApartAgain

DEFAULT_BUDGET = 1 << 24
"""Instructions that a work-item may execute; after them a launch is taken to hang."""


AUTO = 0
"""In place of a number of threads: the engine decides."""


@dataclass(frozen=True)
class SchemeSpec:
    """A divergence scheme by name or file, with the knobs that differ from its defaults."""

    name: str = "stack"
    knobs: dict[str, str | int | bool] = field(default_factory=dict)
    own: type[Any] | None = None
    """The user's own scheme class, if one was passed; a file of the user's is given by name."""


class Kept(TypedDict, total=False):
    """What an engine keeps from call to call of one `Launch`, where only arguments differ."""

    plan: Plan
    """The plan of native code, ready for arguments."""
    again: Again | KnownAgain | ApartAgain
    """What runs the launch in its place, if its last call was short."""
    apart: Apart
    """How a launch with statistics is divided into one that runs and one that is counted."""
    in_order: bool
    """True if all calls must be in the interpreter's order."""
    known: KnownCounts
    """The counts of earlier calls with statistics."""
    refused: bool
    """True if native code has just tried a call that must be in the interpreter's order."""
    order: Again
    """What runs such calls, if the last of them was short."""


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
    """Count work-items that have returned as arrived at a barrier (default: it is divergent)."""
    threads: int = 1
    """Host threads that an engine with native code may use; AUTO is as many as there are cores,
    for kernels in which the order of workgroups does not show."""
    kept: Kept = field(default_factory=Kept)
    checks: Checks | None = None
    """Additional checks by the interpreter; no other engine traps for `checks.arrays`."""
    run_by: str = ""
    """The engine that has run the launch, if it became known only during the launch."""

    def trap(self, record: TrapRecord) -> Trap:
        """Return the error for a trap of this launch."""
        return Trap(record, self.program, self.kernel, self.geometry, self.memory)


class Interrupted(SimtError):
    """The user interrupted a launch; `statistics` holds what was counted until then."""

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
"""Name -> (module, function); a module is imported when its engine is first used."""

DEFAULT_ENGINE = "jit"

_ORDER = ".jit.launch.order"
"""What says which kernels the jit leaves to interp."""

GENERATED = ("ssa", "shapes", "masks", "llvm", "asm")
"""What can be shown of native code: the results of analyses, LLVM's IR, and the assembly."""


def chosen(name: str | None, *, usual: bool, stats: bool, observed: bool = False) -> str:
    """Return the name of the engine for a launch whose options ask for `name` (None: the fastest).

    The jit counts the `usual` divergence scheme only, and gives its results. Other `stats`, and
    launches that are `observed` (recorded or checked), are left to interp. Raises UsageError.
    """
    if name is None:
        return DEFAULT_ENGINE if usual and not observed else "interp"
    check_engine(name)
    name = "interp" if name == "jit" and (observed or (stats and not usual)) else name
    if not usual and name != "interp":
        raise UsageError(
            f"the engine {name} follows no divergence scheme",
            code="SIM517",
            hint="leave out the engine, or choose interp",
        )
    return name


def who_runs(name: str, kernel: Kernel, geometry: Geometry, *, stats: bool = False) -> str:
    """Return the name of the engine that runs a kernel when `name` is asked for.

    The jit leaves to interp kernels whose results depend on which work-items issue together or are
    scheduled first and, with `stats`, those whose statistics it cannot count.
    """
    if name != "jit":
        return name
    order = import_module(_ORDER, __package__)
    return "interp" if order.leaves(kernel, geometry, stats=stats) else "jit"


def has_code(kernel: Kernel, geometry: Geometry, *, stats: bool = False) -> bool:
    """Return whether the jit makes code of a whole kernel, and does not follow interp's order."""
    order = import_module(_ORDER, __package__)
    return not order.needs_order(kernel, geometry, stats=stats)


def overspent(work: Work) -> TrapRecord | None:
    """Return the trap of a work-item that spends its budget under every schedule, if known."""
    return import_module(_ENGINES["jit"][0], __package__).overspent(work)


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines."""
    return tuple(_ENGINES)


def check_engine(name: str) -> None:
    """Raise UsageError unless there is an engine of this name."""
    if not isinstance(name, str) or name not in _ENGINES:
        raise UsageError(
            f"unknown engine {shown(name)}; there are {', '.join(_ENGINES)}",
            hint=did_you_mean(name, engine_names()),
        )


def engine(name: str) -> Engine:
    """Return the engine of this name. Raises UsageError."""
    check_engine(name)
    module, function = _ENGINES[name]
    return getattr(import_module(module, __package__), function)
