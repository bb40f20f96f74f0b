"""Launches: a kernel with dimensions and options, which runs when it is called with arguments."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from ..isa.errors import SimtError, UsageError
from ..isa.program import Kernel, Program
from ..isa.quoting import shown
from .arguments import Binder, in_order
from .engine import (
    AUTO,
    DEFAULT_BUDGET,
    DEFAULT_ENGINE,
    GENERATED,
    Engine,
    Interrupted,
    Kept,
    SchemeSpec,
    Work,
    engine,
    has_code,
    who_runs,
)
from .geometry import Dim3, Geometry
from .result import Result
from .text.tables import labelled_html

if TYPE_CHECKING:
    from .module import KernelFunction


class _Prepared(NamedTuple):
    """What all calls of a launch share: looking it up takes longer than a small kernel."""

    run: Engine
    name: str
    """The engine that runs the kernel."""
    program: Program
    kernel: Kernel
    bind: Binder
    kept: Kept
    result: Result
    """That of a launch without statistics, which is copied."""


class _Never:
    """What runs no launch, in the place of `Again`."""

    def native(self, _args: tuple[object, ...]) -> None:
        """Leave a launch to the longer way."""

    def finish(self, _args: tuple[object, ...], _found: None) -> None:
        """Leave a launch to the longer way."""

    def make_results(self, _like: Result) -> None:
        """Make none."""


_NEVER = _Never()


_OPTIONS_FIRST = {
    "time": "program.{kernel}.time({shape})(arguments)",
    "launch": "program.{kernel}.launch({shape})(arguments)",
    "simulate": "simtlab.simulate(program.{kernel}, {shape})(arguments)",
    "record": "simtlab.record(program.{kernel}, {shape})(arguments)",
    "compare": 'simtlab.compare(program.{kernel}, "conv,slip", {shape})(arguments)',
}
"""Attributes that a launch does not have: the call that is meant."""


def _size(sizes: Dim3) -> str:
    """Return one to three sizes as a caller writes them."""
    return str(sizes[0]) if sizes[1:] == (1, 1) else str(sizes)


@dataclass(frozen=True)
class Launch:
    """A kernel with its dimensions and options; call it with the arguments."""

    function: KernelFunction
    geometry: Geometry
    engine: str = DEFAULT_ENGINE
    scheme: SchemeSpec = field(default_factory=SchemeSpec)
    budget: int = DEFAULT_BUDGET
    stats: bool = False
    exited_arrive: bool = False
    threads: int | Literal["auto"] = "auto"
    _again: ClassVar[Any] = _NEVER
    """What runs the next call if it can. Each object on the way costs time in cold caches."""

    @cached_property
    def _prepared(self) -> _Prepared:
        program = self.function.module.for_scheme(self.scheme)
        kernel = program.kernel(self.function.name)
        name = who_runs(self.engine, kernel, self.geometry, stats=self.stats)
        result = Result(kernel.name, name, self.scheme.name, self.geometry, None, 0.0)
        return _Prepared(engine(name), name, program, kernel, self.function._bind, {}, result)

    if not TYPE_CHECKING:  # for it, no other attribute exists

        def __getattr__(self, name: str) -> Any:
            text = f"a launch has no attribute {name!r}"
            if name in _OPTIONS_FIRST:
                groups, items = _size(self.geometry.groups), _size(self.geometry.group_size)
                shape = f"groups={groups}, group_size={items}"
                call = _OPTIONS_FIRST[name].format(kernel=self.function.name, shape=shape)
                text += f"; the kernel takes the dimensions: {call}"
            elif name in ("run", "start", "execute"):
                text += "; it is called with the arguments of the kernel"
            raise AttributeError(text)

    def generated(self, form: str) -> str:
        """Return the code that is generated for this launch, or what an analysis has found.

        `form` is "llvm" (LLVM's IR), "asm" (assembly), "ssa" (registers as values), "shapes" (which
        values are uniform) or "masks" (where lanes wait).

        Raises UsageError where there is none: with another engine than the jit, and for kernels
        that the jit leaves to the interpreter, or runs in its order.
        """
        ready = self._prepared
        if not isinstance(form, str) or form not in GENERATED:
            raise UsageError(
                f"generated code is shown as {', '.join(GENERATED[:-1])} or {GENERATED[-1]}, "
                f"not {shown(form)}",
                code="SIM515",
            )
        if self.engine != "jit":
            raise UsageError(
                f"the engine {self.engine} generates no code",
                code="SIM517",
                hint="leave out the options that need another engine than jit (checks do)",
            )
        if not has_code(ready.kernel, self.geometry, stats=self.stats):
            how = "leaves it to interp" if ready.name != "jit" else "runs it in the order of interp"
            raise UsageError(
                f"no code is generated for kernel {self.function.name}: the jit {how}, since it is "
                "very large or its results depend on the order of "
                f"execution{', or native code cannot count it' if self.stats else ''}",
                code="SIM517",
            )
        from .jit.kernel.compile import listing
        from .jit.kernel.launch_facts import facts_for_counting, facts_of
        from .jit.launch.regroup import as_run

        kernel = ready.kernel
        if self.stats and form in ("llvm", "asm"):
            facts = facts_for_counting(kernel, self.geometry)
        else:
            kernel, geometry = as_run(kernel, self.geometry)
            facts = facts_of(kernel, geometry)
        return listing(kernel, len(ready.program.readonly_data), facts, form)

    def rows(self) -> list[tuple[str, str]]:
        """Return label and value of what is launched."""
        g, scheme = self.geometry, self.scheme.name
        return [
            ("kernel", self.function.signature),
            ("engine", f"{self.engine}, scheme {scheme}, warps of {g.width}"),
            ("work-items", g.described()),
        ]

    def _repr_html_(self) -> str:
        return labelled_html(self.rows())

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields for copies and pickles, without addresses of this process."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __call__(self, /, *args: object, **named: object) -> Result:
        """Run the kernel on arguments by place or by name; arrays are changed in place.

        Raises ArgumentError and Trap.
        """
        if not named:
            again = self._again
            try:
                result = again.native(args)
                if result.__class__ is not Result:
                    result = again.finish(args, result)
            except KeyboardInterrupt:
                raise Interrupted(None) from None
            if result is not None:
                return result
        return self.run_by(self._prepared.run, *args, **named)

    def run_by(self, run: Engine, /, *args: object, **named: object) -> Result:
        """Run the launch by another executor: `launch.run_by(simulator.run, *arguments)`."""
        ready = self._prepared
        if not callable(run):
            raise UsageError(f"an executor is a function, not {shown(run)}", code="SIM515")
        if named:
            args = in_order(ready.kernel, args, named)
        bound = ready.bind(args)
        work = Work(
            ready.program,
            ready.kernel,
            self.geometry,
            bound.kernargs,
            bound.memory,
            self.scheme,
            self.budget,
            self.stats,
            self.exited_arrive,
            AUTO if self.threads == "auto" else self.threads,
            ready.kept,
        )
        start = time.perf_counter()
        try:
            statistics = run(work)
        except SimtError as stop:
            stop.seconds = time.perf_counter() - start
            raise
        finally:
            bound.finish()
        seconds = time.perf_counter() - start
        again = ready.kept.get("again", _NEVER)
        again.make_results(ready.result)
        self.__dict__["_again"] = again
        return Result(
            ready.kernel.name,
            work.run_by or ready.name,
            self.scheme.name,
            self.geometry,
            statistics,
            seconds,
        )
