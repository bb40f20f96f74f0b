"""The translation of an engine into one LLVM module.

Engine code is a small part of Python: functions of whole numbers, fields of records, `if`, `while`
and `for` over a range. Each function that the entry reaches is translated once, straight from its
syntax tree, and is internal. So LLVM sees the whole program: it inlines functions with one caller
and folds results that never differ.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ...engine.intrinsics import TABLES
from ..inspection import hook_names, is_device
from ..sources import parameters_of, tree_of
from .function import Function
from .intrinsics import intrinsics_ir
from .known import NOTHING_KNOWN, UNFIT, Known
from .lines import Lines
from .values import INT, NOTHING, Kind, Rows, layout_of, layout_of_header, rows

_ENTRY = """\
define i64 @{name}(i64 %header, i64 %n) {{
  %S = inttoptr i64 %header to ptr
{check}
fitting:
  %answer = call i64 @"{what}"(ptr %S, i64 %n){how}
  ret i64 %answer
unfit:
  ret i64 {unfit}
}}

declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
"""


@dataclass(frozen=True)
class Signature:
    """What a function takes and gives."""

    kinds: tuple[Kind, ...]
    result: Kind


class Module:
    """An LLVM module that grows by the functions that are called; with `lines`, for profilers."""

    def __init__(
        self,
        fields: Mapping[str, int],
        *,
        known: Known = NOTHING_KNOWN,
        lines: bool = False,
    ) -> None:
        self.state = rows("S", layout_of_header(fields))
        self.known = known
        self.texts: list[str] = []
        self._rows: dict[Any, Rows] = {}
        self._signatures: dict[str, Signature] = {}
        self._waiting: list[tuple[str, FunctionType]] = []
        self._metadata: list[str] = ['!{!"simtlab engine"}']
        self._marks: dict[tuple[Kind, str], str] = {}
        self.lines = Lines(self._metadata) if lines else None

    def rows_of(self, accessor: FunctionType) -> Rows:
        """Return the kind of a table's records."""
        if accessor not in self._rows:
            name, dtype = TABLES[accessor]
            self._rows[accessor] = rows(name, layout_of(dtype))
        return self._rows[accessor]

    def mark(self, kind: Rows, name: str) -> str:
        """Return the mark of a field's accesses for LLVM: they overlap no other field (TBAA)."""
        key = kind, name
        if key not in self._marks:
            n = len(self._metadata)
            self._metadata.append(f'!{{!"{kind.name}.{name}", !0, i64 0}}')
            self._metadata.append(f"!{{!{n}, !{n}, i64 0}}")
            self._marks[key] = f"!tbaa !{n + 1}"
        return self._marks[key]

    def function(self, name: str, function: FunctionType, given: Sequence[Kind]) -> Signature:
        """Return the signature of a function that is called with arguments of some kinds.

        The first call decides what parameters are that have no annotation.
        """
        known = self._signatures.get(name)
        if known is not None:
            return known
        tree = tree_of(function)
        kinds = tuple(
            self._annotated(parameter.annotation) or kind
            for parameter, kind in zip(parameters_of(tree), given, strict=True)
        )
        is_hook = tree.name in hook_names()
        result = INT if is_hook else self._annotated(tree.returns)
        # A function that says nothing of its result can call itself, if that is a number.
        self._signatures[name] = Signature(kinds, result or INT)
        if result is None:
            self._signatures[name] = self._translate(name, function)
        else:
            self._waiting.append((name, function))
        return self._signatures[name]

    def _annotated(self, annotation: ast.expr | None) -> Kind | None:
        text = annotation.id if isinstance(annotation, ast.Name) else ""
        return {"int": INT, "State": self.state}.get(text)

    def _translate(self, name: str, function: FunctionType) -> Signature:
        signature = self._signatures[name]
        made = Function(self, function)
        self.texts.append(made.text(name, signature.kinds))
        return Signature(signature.kinds, made.result or NOTHING)

    def finish(self) -> None:
        """Translate all that the functions so far call."""
        while self._waiting:
            name, function = self._waiting.pop()
            made = self._translate(name, function)
            if made.result is not INT and made.result is not NOTHING:
                tree = tree_of(function)
                Function(self, function).refuse(
                    tree, f"{tree.name} returns {made.result.text}, not a number"
                )

    def text(self) -> str:
        """Return the module's IR."""
        named = self.lines.named() if self.lines else ()
        metadata = (f"!{n} = {text}" for n, text in enumerate(self._metadata))
        return "\n".join((*self.texts, intrinsics_ir(), *named, *metadata, ""))


def native_ir(
    space: Mapping[str, Any],
    what: str,
    name: str,
    fields: Mapping[str, int],
    *,
    known: Known = NOTHING_KNOWN,
    lines: bool = False,
) -> str:
    """Return the IR of engine code as `i64 name(i64 header, i64 n)`, which calls `what(S, n)`.

    `fields` are the words of the header. What is `known` of them, and no engine code assigns, are
    constants of the code, which returns UNFIT for a header with others. With `lines`, instructions
    know their lines of source. Raises CompositionError for code that is not engine code.
    """
    assigned = _assigned(space) if known.constants else ()
    constants = {n: value for n, value in known.constants.items() if n not in assigned}
    module = Module(fields, known=Known(constants, known.places), lines=lines)
    # What is inlined into a function without lines, as the entry, would lose its own.
    how = " noinline" if lines else ""
    entry = _ENTRY.format(
        name=name, what=what, how=how, unfit=UNFIT, check=_check(module.state, module.known)
    )
    module.texts.append(entry)
    module.function(what, space[what], (module.state, INT))
    module.finish()
    return module.text()


def _assigned(space: Mapping[str, Any]) -> set[str]:
    """Return the names of all fields, of the header or of records, that engine code assigns."""
    return {
        node.attr
        for function in space.values()
        if is_device(function)
        for node in ast.walk(tree_of(function))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }


def _check(state: Rows, known: Known) -> str:
    """Return the code that goes on to `fitting` if what is known of the header at %S is so."""
    wanted = {name: str(value) for name, value in known.constants.items()}
    lines: list[str] = []
    differ = "0"
    for i, (name, place) in enumerate(known.places.items()):
        lines.append(f"  %place{i} = add i64 %header, {place}")
        wanted[f"p_{name}"] = f"%place{i}"
    for i, (name, value) in enumerate(wanted.items()):
        lines += (
            f"  %at{i} = getelementptr i8, ptr %S, i64 {state.fields[name][0]}",
            f"  %word{i} = load i64, ptr %at{i}",
            f"  %other{i} = xor i64 %word{i}, {value}",
            f"  %differ{i} = or i64 {differ}, %other{i}",
        )
        differ = f"%differ{i}"
    lines += (f"  %fits = icmp eq i64 {differ}, 0", "  br i1 %fits, label %fitting, label %unfit")
    return "\n".join(lines)
