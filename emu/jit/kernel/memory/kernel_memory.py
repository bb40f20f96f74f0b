"""The memory that a kernel declares, and where a workgroup has it."""

from __future__ import annotations

from dataclasses import dataclass

from .....isa.program import Param
from ....analysis.offset_bounds import Ranges
from ...llvm.function_text import FunctionText
from ...runtime.context import Slot
from ..context_code import load_slot


@dataclass(frozen=True)
class KernelMemory:
    """Parameters, and the bytes of group, private (of a work-item) and readonly memory."""

    params: tuple[Param, ...]
    group_bytes: int
    private_bytes: int
    readonly_bytes: int
    ranges: Ranges
    """Of the values of the kernel."""
    private_of: str
    """The warp (an i64) whose private memory is used: the running one if warps take turns."""

    def private_place(self, code: FunctionText, width: int) -> str:
        """Return where the private memory of the running warp is, a ptr."""
        memory = code.let(f"inttoptr i64 {load_slot(code, Slot.PRIVATE_MEMORY)} to ptr")
        offset = code.let(f"mul i64 {self.private_of}, {self.private_bytes * width}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {offset}")

    def clear_private(self, code: FunctionText, width: int) -> None:
        """Set the private memory of the running warp to zero."""
        if self.private_bytes:
            code.zero(self.private_place(code, width), self.private_bytes * width)
