"""Programs of the user: a workload in a Python file, or a kernel with a launch in words."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import numpy as np

from ...asm.assemble import Markers, assemble
from ...asm.load import load
from ...emu.module import KernelFunction, Module
from ...emu.text.described import described_arguments
from ...isa.errors import ArgumentError, SimtError, UsageError, did_you_mean
from ...isa.program import Program
from ...programs.index import Entry
from ...programs.workload import Data, Launcher, Workload
from .run import KernelLaunch


@dataclass(frozen=True)
class OwnEntry(Entry):
    """A program of the user's: `file` has its kernels, `source` makes its workload, `given`."""

    file: Path = field(default=Path())
    source: Path = field(default=Path())
    given: Workload | None = None

    @property
    def name(self) -> str:
        return self.short

    @property
    def path(self) -> Path:
        return self.file

    @property
    def workload(self) -> Workload:  # pyright: ignore[reportIncompatibleVariableOverride]
        assert self.given is not None
        return self.given


def read(path: Path) -> bytes:
    """Return the content of a file of the user's. Raises UsageError."""
    try:
        return path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(f"cannot read {path}: {reason}", code="SIM510") from None


Texts = tuple[tuple[Path, str], ...]
"""The files that a program was assembled of, with their contents."""


def assembled(path: Path, markers: Markers = "auto") -> tuple[Program, Texts]:
    """Return the program of a source or an object file, with the texts that it was made of.

    Raises SourceError, ObjectFileError, UsageError.
    """
    if path.suffix == ".sbc":
        return load(read(path)), ()
    read(path)  # one message for a file that does not exist, whatever reads it
    program = assemble(path, markers=markers)
    return program, tuple((path.parent / name, text) for name, text in program.sources.items())


def workload_of(path: Path, source: bytes, digest: str) -> Workload:
    """Execute a Python file of the user's and return its WORKLOAD. Raises UsageError.

    `digest` is that of the file and of what it imports.
    """
    module = _execute(path, source, f"simtlab_workload_{digest}")
    found = getattr(module, "WORKLOAD", None)
    if not isinstance(found, Workload):
        raise UsageError(
            f"{path} has no WORKLOAD, which says how its kernels are launched",
            code="SIM551",
            hint="WORKLOAD = Workload(...) of simtlab.programs; `simtlab explain sweeps` shows one",
        )
    return found


def _execute(path: Path, source: bytes, name: str) -> ModuleType:
    spec = importlib.util.spec_from_loader(name, loader=None, origin=str(path))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    beside = str(path.parent)
    sys.path.insert(0, beside)  # what lies beside the file can be imported, as for a script
    try:
        exec(compile(source, str(path), "exec"), vars(module))
    except Exception as error:
        raise raised_in(path, error) from None
    finally:
        sys.path.remove(beside)
    sys.modules[name] = module
    return module


@contextmanager
def errors_of(entry: Entry) -> Iterator[None]:
    """Raise what a user's file raises as a UsageError with its line; other errors as they are."""
    try:
        yield
    except SimtError:
        raise
    except Exception as error:
        if not isinstance(entry, OwnEntry):
            raise
        raise raised_in(entry.source, error) from None


def raised_in(path: Path, error: Exception) -> UsageError:
    """Return the error for an exception in a Python file of the user's, with its last line there.

    A SyntaxError has its own line.
    """
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    line = error.lineno if isinstance(error, SyntaxError) else (lines or [None])[-1]
    where = f"{path}:{line}" if line else str(path)
    text = " ".join(str(error).split())
    return UsageError(f"{where}: {type(error).__name__}: {text}", code="SIM551")


def launched(module: Module, path: Path, size: str, seed: int, launch: KernelLaunch) -> Workload:
    """Return one launch of a user's kernel as a workload without a reference.

    Raises UsageError and ArgumentError for an unknown kernel or argument.
    """
    function = kernel_of(module, path, launch.kernel)
    kernel, values = function.kernel, dict(launch.args)
    names = [p.name for p in kernel.params]
    for name in values:
        if name not in names:
            raise ArgumentError(
                f"kernel {kernel.name} has no parameter {name!r}",
                code="SIM320",
                hint=did_you_mean(name, names) or f"the signature: {kernel.signature}",
            )

    def make(rng: np.random.Generator) -> Data:  # the seed itself is what --arg rand: takes
        arguments = described_arguments(kernel, values, seed, where="argument", folder=path.parent)
        return dict(zip(names, arguments, strict=True))

    def start(launcher: Launcher, data: Data) -> None:
        launcher(
            kernel.name,
            groups=launch.groups,
            items=launch.items,
            group_size=launch.group_size or min(256, launcher.core_contexts),
        )(*(data[name] for name in names))

    return Workload(kernel.name, str(path), {size: {}}, make, start, lambda data: {})


def kernel_of(module: Module, path: Path, name: str) -> KernelFunction:
    """Return the kernel of this name, or the only one. Raises UsageError."""
    if name:
        return module[name]
    if len(module.kernels) != 1:
        raise UsageError(
            f"{path} has {len(module.kernels)} kernels: {', '.join(module.kernels)}",
            code="SIM518",
            hint='choose one with kernel = "NAME"',
        )
    return module[module.kernels[0]]
