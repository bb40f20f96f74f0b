"""Program -> text that assembles to the identical object file.

The text has everything that the assembler would otherwise compute: joins, flags and, as `.loc`,
the location of every instruction. Labels keep their names; other targets are byte addresses.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..isa.instruction import WORD_BYTES, Imm, Instruction, Source
from ..isa.program import Kernel, Param, Program, Symbol
from ..isa.table import OperandKind
from ..isa.types import U64, Segment, Type
from .literals import value_text

_INDENT = "    "


def disassemble(program: Program, *, loc: bool = True) -> str:
    """Return the source text of a program.

    With `loc` it assembles to the identical object file; without, it is easier to read and only
    the debug locations differ.
    """
    parts = [_readonly(program, symbol) for symbol in program.readonly]
    if parts:
        parts.append("")
    for number, kernel in enumerate(program.kernels):
        if number:
            parts.append("")
        parts += _kernel(program, kernel, loc)
    return "\n".join(parts) + "\n"


def instruction_text(program: Program, kernel: Kernel, pc: int) -> str:
    """Return one instruction as the listing has it, without its columns."""
    ins = kernel.instructions[pc]
    return f"{ins.name} {', '.join(_operands(program, kernel, ins))}".rstrip()


def _readonly(program: Program, symbol: Symbol) -> str:
    """Return a constant array; elements that are zero at its end are left out."""
    size = symbol.type.size
    data = program.readonly_data[symbol.offset : symbol.offset + symbol.size]
    bits = [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]
    while bits and not bits[-1]:
        bits.pop()
    values = ", ".join(value_text(b, symbol.type) for b in bits)
    return f".readonly {_declared(symbol)}" + (f" = {{ {values} }}" if bits else "")


def _declared(symbol: Symbol) -> str:
    return f"{symbol.type} {symbol.name}[{symbol.count}]"


def _kernel(program: Program, kernel: Kernel, loc: bool) -> Iterator[str]:
    yield f"{kernel.signature} {{"
    arrays = (*kernel.group, *kernel.private)
    for symbol in arrays:
        yield f"{_INDENT}.{symbol.segment} {_declared(symbol)}"
    if arrays:
        yield ""
    width = max(len(ins.name) for ins in kernel.instructions)
    for pc, ins in enumerate(kernel.instructions):
        yield from _labels(kernel, pc)
        if loc and kernel.locations:
            place = kernel.locations[pc]
            yield f'{_INDENT}.loc "{program.files[place.file]}" {place.line} {place.column}'
        operands = ", ".join(_operands(program, kernel, ins))
        yield f"{_INDENT}{ins.name:<{width}}  {operands}".rstrip()
    yield from _labels(kernel, len(kernel.words))
    yield "}"


def _labels(kernel: Kernel, pc: int) -> Iterator[str]:
    return (f"@{name}:" for name in kernel.labels_at(pc))


def _operands(program: Program, kernel: Kernel, ins: Instruction) -> Iterator[str]:
    """Yield the operands of an instruction in the order of its row."""
    srcs, literals = iter(ins.srcs), iter(ins.literals)
    for operand in ins.row.operands:
        match operand.kind:
            case OperandKind.DST:
                if ins.dst is not None:
                    yield str(ins.dst)
            case OperandKind.SRC | OperandKind.REG:
                source: Source = next(srcs)
                assert operand.type is not None
                yield (
                    value_text(source.bits, operand.type)
                    if isinstance(source, Imm)
                    else str(source)
                )
            case OperandKind.MEM:
                yield _address(program, kernel, ins)
            case OperandKind.TARGET:
                yield _place(kernel, ins.target)
            case OperandKind.JOIN:
                yield _place(kernel, ins.join)
                yield "subdivide" if ins.subdivide else "nosubdivide"
            case OperandKind.CODE:
                code = next(literals)
                if code:
                    yield str(code)
            case OperandKind.DIM | OperandKind.POS | OperandKind.LEN:
                yield str(next(literals))
    if ins.row.is_branch:
        yield "loop" if ins.loop else "noloop"


def _place(kernel: Kernel, pc: int | None) -> str:
    if pc is None:
        return "none"
    names = kernel.labels_at(pc)
    return f"@{names[0]}" if names else f"@0x{pc * WORD_BYTES:02x}"


def _address(program: Program, kernel: Kernel, ins: Instruction) -> str:
    """Return an address with the parameter or array that contains its offset, if one does.

    A register alone points anywhere, but an offset inside an array is more often that array
    indexed by the register; both texts mean the same word.
    """
    address = ins.address
    assert address is not None
    named: tuple[Param | Symbol, ...] = {
        Segment.KERNARG: kernel.params,
        Segment.GROUP: kernel.group,
        Segment.PRIVATE: kernel.private,
        Segment.READONLY: program.readonly,
        Segment.GLOBAL: (),
    }[address.segment]
    terms: list[str] = []
    offset = address.offset
    width = ins.row.type.size if ins.row.is_memory and ins.row.type is not None else 1
    for item in named:
        end = item.offset + item.size - (width - 1 if isinstance(item, Symbol) else 0)
        if item.offset <= offset < end:
            terms.append(f"%{item.name}" if isinstance(item, Param) else item.name)
            offset -= item.offset
            in_pieces = isinstance(item, Param) and not _loads_whole(ins.row.type, item)
            break
    else:
        in_pieces = False
    if address.base is not None:
        terms.append(str(address.base))
    if offset or not terms or in_pieces:
        terms.append(str(offset))
    return f"[{'+'.join(terms)}]".replace("+-", "-")


def _loads_whole(type_: Type | None, param: Param) -> bool:
    """Return whether a load of this type takes a parameter as what it is declared to be.

    The assembler refuses any other load of a parameter, unless an offset says that it is meant.
    """
    own = U64 if param.is_pointer else param.type
    if type_ is None or type_ is own:
        return type_ is own
    return type_.bits == own.bits >= 32 and type_.is_float == own.is_float
