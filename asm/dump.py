"""Listings of a program between two passes, for `--dump PASS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ..isa.instruction import WORD_BYTES, Address, Imm
from ..isa.program import Program
from ..isa.table import OperandKind
from .draft import DraftInstruction, DraftKernel, DraftProgram, Join
from .flow.cfg import Cfg
from .literals import value_text
from .syntax.parse import Statement
from .syntax.shapes import Word


def statements(found: Iterable[Statement]) -> str:
    """Return one line per statement: its place, its rule and what the rule keeps of it."""
    return "\n".join(
        f"{s.line.span(s.start, 1)}: {s.rule} {' '.join(map(_part, s.parts))}".rstrip()
        for s in found
    )


def _part(part: object) -> str:
    if isinstance(part, Word):
        return part.text
    items = getattr(part, "items", ())
    return f"({' '.join(i.text if isinstance(i, Word) else i for i in items)})"


def draft(program: DraftProgram) -> str:
    """Return every instruction with its byte address, operands and place in the source."""
    return "\n".join(line for kernel in program.kernels for line in _kernel(kernel))


def flow(graphs: Mapping[str, Cfg]) -> str:
    """Return the basic blocks of every kernel and their successors."""
    return "\n".join(f"kernel {name}\n{graph}" for name, graph in graphs.items())


def words(program: Program) -> str:
    """Return every instruction word in hexadecimal."""
    return "\n".join(
        line
        for kernel in program.kernels
        for line in (
            f"kernel {kernel.name}",
            *(f"0x{pc * WORD_BYTES:04x}  {word:016x}" for pc, word in enumerate(kernel.words)),
        )
    )


LISTINGS: dict[str, Callable[..., str]] = {
    "parse": statements,
    "expand": statements,
    "resolve": draft,
    "markers": draft,
    "flow": flow,
    "joins": draft,
    "encode": words,
}
"""What shows the result of each pass."""


def _kernel(kernel: DraftKernel) -> Iterator[str]:
    yield f"kernel {kernel.name}({', '.join(map(str, kernel.params))})"
    for symbol in (*kernel.group, *kernel.private):
        array = f"{symbol.type} {symbol.name}[{symbol.count}]"
        yield f"    .{symbol.segment} {array} at {symbol.offset}"
    names: dict[int, list[str]] = {}
    for name, index in kernel.labels.items():
        names.setdefault(index, []).append(name)
    for index, ins in enumerate(kernel.code):
        yield from (f"@{name}:" for name in names.get(index, ()))
        text = f"{ins.row.name} {', '.join(_operands(ins))}".rstrip()
        yield f"0x{index * WORD_BYTES:04x}  {text:<56}  {ins.span}"
    yield from (f"@{name}:" for name in names.get(len(kernel.code), ()))


def _operands(ins: DraftInstruction) -> Iterator[str]:
    if ins.dst is not None:
        yield str(ins.dst)
    srcs = [
        value_text(s.bits, o.type) if isinstance(s, Imm) and o.type is not None else str(s)
        for s, o in zip(ins.srcs, ins.row.srcs, strict=True)
    ]
    if ins.address is None:
        yield from srcs
    elif ins.row.is_store:
        yield from (*srcs, _address(ins.address))
    else:
        yield from (_address(ins.address), *srcs)
    yield from map(str, ins.literals)
    if not ins.row.is_branch:
        return
    yield _place(ins.target)
    if any(operand.kind is OperandKind.JOIN for operand in ins.row.operands):
        yield f"join {_place(ins.join)}"
        yield f"subdivide {_flag(ins.subdivide)}"
    yield f"loop {_flag(ins.loop)}"


def _address(address: Address) -> str:
    base = f"{address.base}+" if address.base is not None else ""
    return f"[{base}{address.offset}]"


def _place(place: int | Join | None) -> str:
    if isinstance(place, Join):
        return place.value
    return "?" if place is None else f"@0x{place * WORD_BYTES:04x}"


def _flag(flag: bool | None) -> str:
    return "auto" if flag is None else "yes" if flag else "no"
