"""Programs and kernels as Python objects: `program.saxpy[groups, group_size](a, n, x, y)`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from ..asm.disassemble import disassemble
from ..asm.flow.explicit import with_markers
from ..isa import expect
from ..isa.errors import ArgumentError, SimtError, UsageError, did_you_mean
from ..isa.objectfile import dumps
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
    chosen,
    engine,
    has_code,
    who_runs,
)
from .geometry import DEFAULT_WIDTH, Geometry, whole
from .result import Result
from .schemes import Scheme, is_usual, resolve, spec_of
from .tables import labelled_html
from .timed import timed

if TYPE_CHECKING:
    from ..asm.flow.picture import ControlFlow

MAX_THREADS = 1024
"""Most host threads that a launch uses, whatever it is allowed."""

LAUNCHES_KEPT = 64
"""Shapes of `kernel[groups, group_size]` that a module remembers."""


class Module:
    """An assembled program whose kernels can be launched.

    `module["name"]` always finds a kernel, `module.name` where the name does not clash.
    """

    def __init__(self, program: Program) -> None:
        if not isinstance(program, Program):
            raise UsageError(
                f"a Module needs a Program, not {shown(program)}",
                code="SIM515",
                hint="simtlab.assemble makes one from a source, simtlab.load from an object file",
            )
        self.program = program
        self._launches: dict[str, Launch] = {}
        """Launches of `kernel[groups, group_size]`, kept because preparing one is expensive."""
        self._functions: dict[str, KernelFunction] = {}
        """Those that were asked for: making one takes longer than a small kernel runs."""

    def __getitem__(self, name: str) -> KernelFunction:
        try:
            if not isinstance(name, str):
                raise KeyError(name)
            return self._function(name)
        except KeyError:
            raise UsageError(self._unknown(name), code="SIM504", hint=self._near(name)) from None

    def __getattr__(self, name: str) -> KernelFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._function(name)
        except KeyError:
            hint = self._near(name)
            raise AttributeError(self._unknown(name) + (f"; {hint}" if hint else "")) from None

    def _function(self, name: str) -> KernelFunction:
        """Return the kernel of this name. Raises KeyError."""
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = KernelFunction(self, self.program.kernel(name))
        return found

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.kernels]

    def __iter__(self) -> Iterator[KernelFunction]:
        return (self[name] for name in self.kernels)

    def __repr__(self) -> str:
        return "Module(" + ", ".join(k.signature for k in self.program.kernels) + ")"

    def _repr_html_(self) -> str:
        from .display import module_html

        return module_html(self.program)

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels, in source order."""
        return tuple(k.name for k in self.program.kernels)

    @property
    def listing(self) -> str:
        """The program as assembly text."""
        return disassemble(self.program, loc=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the object file. Raises UsageError where that fails."""
        name = expect.path(path, "the name of an object file")
        try:
            with open(name, "wb") as file:
                file.write(dumps(self.program))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"cannot write {name}: {reason}", code="SIM511") from None

    def _unknown(self, name: object) -> str:
        return f"the program has no kernel {shown(name)}; it has {', '.join(self.kernels)}"

    def _near(self, name: object) -> str:
        return did_you_mean(name, self.kernels)

    @cached_property
    def _has_markers(self) -> bool:
        return any(i.row.is_marker for k in self.program.kernels for i in k.instructions)

    @cached_property
    def _explicit(self) -> Program:
        """The same program with `reconverge` instructions, for the explicit schemes."""
        return self.program if self._has_markers else with_markers(self.program)

    def for_scheme(self, spec: SchemeSpec) -> Program:
        """Return the program in the form that a scheme needs: with markers or without."""
        cls, _ = resolve(spec)
        return self._explicit if cls.explicit else self.program


@dataclass(frozen=True)
class KernelFunction:
    """A kernel of a module. `kernel[groups, group_size](args...)` launches it on NumPy arrays.

    Arguments come in the declared order or by the names of the parameters.
    """

    module: Module
    kernel: Kernel

    @property
    def name(self) -> str:
        return self.kernel.name

    @cached_property
    def _bind(self) -> Binder:
        """Checks and packs arguments; the same in the form of every scheme."""
        return Binder(self.kernel)

    @property
    def signature(self) -> str:
        """The declaration as in the source."""
        return self.kernel.signature

    @property
    def listing(self) -> str:
        """The kernel as assembly text."""
        alone = Program((self.kernel,), self.module.program.readonly,
                        self.module.program.readonly_data)  # fmt: skip
        return disassemble(alone, loc=False)

    @property
    def cfg(self) -> ControlFlow:
        """The control-flow graph: `str()` lists the blocks, and notebooks show a picture."""
        from .display import control_flow

        return control_flow(self.module.program, self.kernel)

    def _repr_html_(self) -> str:
        from .display import kernel_html

        return kernel_html(self.module.program, self.kernel)

    def __getitem__(self, shape: tuple[int | Sequence[int], int | Sequence[int]]) -> Launch:
        if not isinstance(shape, tuple) or len(shape) != 2:
            raise ArgumentError(
                f"kernel {self.name} is launched as kernel[groups, group_size](...), "
                f"not kernel[{shown(shape)}](...)",
                code="SIM308",
                hint="groups counts workgroups, group_size work-items in each",
            )
        launches = self.module._launches
        try:
            key = f"{self.name}{shape!r}"  # not the shape itself: 1, 1.0 and True are equal
        except Exception:
            key = ""  # Python refuses to print it, such as a number of 5,000 digits
        found = launches.get(key)
        if found is None:
            groups, group_size = shape
            found = self.launch(groups=groups, group_size=group_size)
            if len(launches) >= LAUNCHES_KEPT:
                launches.clear()
            launches[key] = found
        return found

    def __call__(self, /, *args: object, **named: object) -> Result:
        raise ArgumentError(
            f"kernel {self.name} needs its launch dimensions",
            code="SIM308",
            hint=f"{self.name}[groups, group_size](...), or {self.name}.launch(items=n)(...)",
        )

    def launch(
        self,
        *,
        groups: int | Sequence[int] | None = None,
        group_size: int | Sequence[int] = 256,
        items: int | Sequence[int] | None = None,
        warp: int = DEFAULT_WIDTH,
        engine: str | None = None,
        scheme: str | SchemeSpec | type[Scheme] = "stack",
        knobs: Mapping[str, Any] | None = None,
        budget: int = DEFAULT_BUDGET,
        stats: bool = False,
        exited_arrive: bool = False,
        threads: int | str = "auto",
    ) -> Launch:
        """Return a launch with options by name; call it with the kernel's arguments.

        `groups` counts workgroups, `items` work-items in total (one of the two); `warp` is the
        warp width. `scheme` names a divergence scheme, or is a file or subclass of `Scheme` of your
        own; `knobs` are the scheme's. `budget` bounds instructions per work-item. Without `engine`
        the jit runs the kernel, or interp if a scheme is chosen. With `stats` the instructions of
        the scheme are counted; the jit leaves to interp what it cannot count. `threads` is how many
        host threads native code uses; "auto" is one for each core if the order of workgroups does
        not show.
        """
        spec = spec_of(scheme)
        if knobs is not None:
            spec = replace(spec, knobs={**spec.knobs, **expect.mapping(knobs, "knobs")})
        counts = expect.flag(stats, "stats")
        name = chosen(engine, usual=is_usual(spec), stats=counts)
        geometry = Geometry.of(groups, group_size, items=items, width=warp)
        many = _threads(threads)
        if many != "auto" and many > 1 and name != "jit":
            raise UsageError(
                f"the engine {name} runs on one thread; only jit runs on several",
                code="SIM517",
                hint="leave out the options that need another engine than jit (checks do)",
            )
        bound = _positive(budget, "the budget")
        arrive = expect.flag(exited_arrive, "exited_arrive")
        return Launch(self, geometry, name, spec, bound, counts, arrive, many)

    def time(self, **options: Any) -> Any:
        """Simulate this kernel on a machine: `simtlab.simulate(self, **options)`."""
        return timed(self, **options)

    def __repr__(self) -> str:
        return f"<{self.signature}>"


def _positive(value: int, what: str) -> int:
    number = whole(value)
    if number is None or number < 1:
        raise ArgumentError(
            f"{what} must be a positive whole number, not {shown(value)}", code="SIM309"
        )
    return number


def _threads(value: int | str) -> int | Literal["auto"]:
    if isinstance(value, str) and value == "auto":
        return "auto"
    number = whole(value)
    if number is None or number < 1:
        raise ArgumentError(
            f'the number of threads must be a positive whole number or "auto", not {shown(value)}',
            code="SIM309",
        )
    return min(number, MAX_THREADS)


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
        from .jit.kernel.compile import facts_for_counting, facts_of, listing
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
            ("work-items", f"{g.n_items:,} in {g.n_groups:,} workgroups"),
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
