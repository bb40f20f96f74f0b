"""The assembler's working form between parsing and encoding: symbolic, mutable, with spans.

The passes of asm/assemble.py hand a `DraftProgram` from one to the next; the last pass encodes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from ..isa.errors import Span
from ..isa.instruction import Address, Reg, Source
from ..isa.program import Location, Param, Symbol
from ..isa.table import Row


class Join(Enum):
    """A re-convergence point that is not a label of the source."""

    AUTO = "auto"
    """Left out in the source: the assembler computes the immediate post-dominator."""
    NONE = "none"
    """The branch re-converges only at the virtual exit."""


@dataclass(slots=True)
class DraftInstruction:
    """One instruction before encoding.

    Labels are indices into `DraftKernel.code` once `target` and `join` are resolved; `subdivide`
    and `loop` are None where the source leaves them to the assembler.
    """

    row: Row
    span: Span
    location: Location
    dst: Reg | None = None
    srcs: tuple[Source, ...] = ()
    address: Address | None = None
    literals: tuple[int, ...] = ()
    target: int | None = None
    join: int | Join = Join.AUTO
    join_span: Span | None = None
    subdivide: bool | None = None
    loop: bool | None = None


@dataclass(slots=True)
class DraftKernel:
    """One kernel before encoding; `labels` maps names to indices into `code`, in source order."""

    name: str
    span: Span
    params: tuple[Param, ...] = ()
    code: list[DraftInstruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    group: tuple[Symbol, ...] = ()
    private: tuple[Symbol, ...] = ()


@dataclass(slots=True)
class DraftProgram:
    """All kernels of one source text, its constants and the files it was read from."""

    kernels: list[DraftKernel] = field(default_factory=list)
    readonly: tuple[Symbol, ...] = ()
    readonly_data: bytes = b""
    files: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
