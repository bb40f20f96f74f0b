"""Programs and kernels as Python objects: `program.saxpy[groups, group_size](a, n, x, y)`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ..asm.disassemble import disassemble
from ..asm.flow.explicit import with_markers
from ..isa import expect
from ..isa.calls import options_by_name
from ..isa.errors import ArgumentError, UsageError, did_you_mean
from ..isa.objectfile import dumps
from ..isa.program import Kernel, Program
from ..isa.quoting import shown
from .arguments import Binder
from .engine import DEFAULT_BUDGET, SchemeSpec, chosen
from .geometry import DEFAULT_WIDTH, Geometry, whole
from .launch import Launch
from .result import Result
from .schemes import Scheme, is_usual, resolve, spec_of
from .timed import timed

if TYPE_CHECKING:
    from ..asm.flow.picture import ControlFlow

MAX_THREADS = 1024
"""Most host threads that a launch uses, whatever it is allowed."""

LAUNCHES_KEPT = 64
"""Shapes of `kernel[groups, group_size]` that a module remembers."""


_LAUNCHES = ("run", "start", "execute", "call")
"""Attributes that a kernel does not have: what a launch is called elsewhere."""


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

    @options_by_name("kernel.launch", "kernel.launch(groups=2, group_size=32)(x, y)")
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

    @options_by_name("kernel.time", "kernel.time(groups=2, group_size=32)(x, y)")
    def time(self, **options: Any) -> Any:
        """Simulate this kernel on a machine: `simtlab.simulate(self, **options)`."""
        return timed(self, **options)

    if not TYPE_CHECKING:  # for it, no other attribute exists

        def __getattr__(self, name: str) -> Any:
            text = f"a kernel has no attribute {name!r}"
            if name in _LAUNCHES:
                text += "; it is launched as kernel[groups, group_size](arguments)"
            raise AttributeError(text)

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
