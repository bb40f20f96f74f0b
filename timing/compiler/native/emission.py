"""The text of a function in LLVM IR, as it grows: instructions, blocks, and refusals of code."""

from __future__ import annotations

import ast
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn

from ..inspection import COMPUTES, CompositionError
from .values import INT, Kind, Value

if TYPE_CHECKING:
    from .translation import Module


class Emission:
    """The instructions of a function: `lines` grows by what computes its values."""

    def __init__(self, module: Module, function: FunctionType) -> None:
        self.module = module
        self.code = function.__code__
        self.space = function.__globals__
        self.lines: list[str] = []
        self.block = "entry"
        """The block that grows, "" after an instruction that leaves it."""
        self.place = ""
        """The mark of the line that is translated, after each instruction (lines.py)."""
        self.locals: dict[str, Kind] = {}
        """The kinds of the local names that have been assigned."""
        self._last = 0

    def refuse(self, node: ast.AST, reason: str, hint: str = "") -> NoReturn:
        """Raise a CompositionError at a line; the usual hint says what engine code may use."""
        line = getattr(node, "lineno", self.code.co_firstlineno)
        where = f"{Path(self.code.co_filename).name}:{line}"
        raise CompositionError(f"{where}: {reason}", hint=hint or COMPUTES)

    # --- instructions and blocks

    def fresh(self, stem: str = "t") -> str:
        """Return a name that is new in this function."""
        self._last += 1
        return f"{stem}{self._last}"

    def emit(self, text: str) -> None:
        """Add an instruction without a result."""
        self.lines.append(f"  {text}{self.place}")

    def compute(self, text: str, kind: Kind = INT) -> Value:
        """Add an instruction; return its result."""
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name} = {text}{self.place}")
        return Value(name, kind)

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.block = label

    def go(self, label: str) -> None:
        """End the block, if it has not ended, with a jump."""
        if self.block:
            self.emit(f"br label %{label}")
            self.block = ""

    def go_if(self, test: Value, yes: str, no: str) -> None:
        """End the block with a branch."""
        self.emit(f"br i1 {test.text}, label %{yes}, label %{no}")
        self.block = ""
