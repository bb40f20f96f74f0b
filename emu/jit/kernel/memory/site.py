"""A load or store of global memory."""

from __future__ import annotations

from dataclasses import dataclass

from .....isa.types import Type
from ....analysis.values.ssa import Op
from ...llvm.function_text import FunctionText
from .addressing.windows import Window


@dataclass(frozen=True)
class Site:
    """A load or store, and the buffer it is expected in.

    `is_inside`: the tests of an interior warp show that it is inside in all lanes, or in those that
    run (`KernelMemory.for_running`).
    """

    op: Op
    type: Type
    window: Window
    is_inside: bool

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return self.type.size

    @property
    def is_load(self) -> bool:
        """Whether it gives a value."""
        return self.op.ins.row.is_load

    def address(self, code: FunctionText, offset: str) -> str:
        """Return the simulated address of an offset, which only the cold side computes."""
        return code.let(f"add i64 {offset}, {self.window.base}")
