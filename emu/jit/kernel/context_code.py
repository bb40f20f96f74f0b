"""Access to the context block, which generated code has as `ptr %ctx`."""

from __future__ import annotations

from ..llvm.function_text import FunctionText


def load_slot(code: FunctionText, slot: int) -> str:
    """Return the value of a slot, an i64."""
    return code.let(f"load i64, ptr {_place(code, slot)}")


def load_slot_32(code: FunctionText, slot: int) -> str:
    """Return the lower half of a slot, an i32."""
    return code.let(f"trunc i64 {load_slot(code, slot)} to i32")


def store_slot(code: FunctionText, slot: int, value: str) -> None:
    """Change a slot to an i64."""
    code.line(f"store i64 {value}, ptr {_place(code, slot)}")


def _place(code: FunctionText, slot: int) -> str:
    return code.let(f"getelementptr i64, ptr %ctx, i64 {int(slot)}")
