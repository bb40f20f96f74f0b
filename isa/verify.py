"""The verifier: conditions that every program satisfies before anything runs it.

It looks at structure only: names, sizes, fields, targets, static addresses, the end of the code.
That a re-convergence point post-dominates its branch needs the control-flow graph and is checked
where that is built (asm/flow/joins.py), for assembled and for loaded programs alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from .encoding import DecodingError
from .errors import Diagnostic, ObjectFileError
from .instruction import Address, Instruction
from .program import Kernel, Program, Symbol
from .types import B1, Segment

MAX_SEGMENT = {
    Segment.GROUP: 1 << 20,
    Segment.PRIVATE: 1 << 16,
    Segment.READONLY: 1 << 22,
}
"""Most bytes of a segment; each is well inside the reach of a 24-bit offset."""

MAX_PARAMS = 256

MAX_NAME = 255
"""Most characters of the name of a kernel, parameter, array or label."""

RESERVED = frozenset({"kernel", "global", "inf", "nan"})
"""Words of the source language that no kernel or array can be named by."""


def verify(program: Program) -> None:
    """Raise ObjectFileError with every violation found (at most 20) if there is one."""
    found: list[Diagnostic] = []
    for diagnostic in problems(program):
        found.append(diagnostic)
        if len(found) == 20:
            break
    if found:
        raise ObjectFileError(diagnostics=tuple(found))


def problems(program: Program) -> Iterator[Diagnostic]:
    """Yield every violation of the program's structure."""
    if not program.kernels:
        yield Diagnostic("SIM220", "the program has no kernel")
    yield from _unique("kernel", [k.name for k in program.kernels])
    yield from _reserved([x.name for x in (*program.kernels, *program.readonly)])
    yield from _segment_problems("the program", Segment.READONLY, program.readonly)
    yield from _padding_problems(program)
    for kernel in program.kernels:
        yield from _kernel_problems(program, kernel)


def _unique(what: str, names: list[str]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield Diagnostic("SIM221", f"two {what}s have the name {name!r}")
        seen.add(name)


def _reserved(names: list[str]) -> Iterator[Diagnostic]:
    """Yield a violation for each name that is a word of the language."""
    for name in names:
        if name in RESERVED:
            yield Diagnostic("SIM221", f"{name!r} is a word of the language, not a name")


def _padding_problems(program: Program) -> Iterator[Diagnostic]:
    """Yield a violation unless readonly bytes between and after the arrays are zero."""
    rest = bytearray(program.readonly_data)
    for symbol in program.readonly:
        rest[symbol.offset : symbol.offset + symbol.size] = bytes(symbol.size)
    if any(rest):
        yield Diagnostic("SIM222", "the readonly data has bytes that belong to no array")


def _segment_problems(
    owner: str, segment: Segment, symbols: tuple[Symbol, ...]
) -> Iterator[Diagnostic]:
    size = max((s.offset + s.size for s in symbols), default=0)
    if size > MAX_SEGMENT[segment]:
        yield Diagnostic(
            "SIM222",
            f"{owner} has {size} bytes of {segment} memory; "
            f"at most {MAX_SEGMENT[segment]} are allowed",
        )
    for symbol in symbols:
        if symbol.type is B1 or symbol.count < 1:
            yield Diagnostic(
                "SIM223",
                f"{owner}: array {symbol.name} has the impossible size "
                f"{symbol.count} x {symbol.type}",
            )


def _kernel_problems(program: Program, kernel: Kernel) -> Iterator[Diagnostic]:
    owner = f"kernel {kernel.name}"
    arrays = (*kernel.group, *kernel.private)
    yield from _unique(f"{owner} parameter", [p.name for p in kernel.params])
    yield from _unique(f"{owner} array", [s.name for s in (*program.readonly, *arrays)])
    yield from _reserved([s.name for s in arrays])
    yield from _segment_problems(owner, Segment.GROUP, kernel.group)
    yield from _segment_problems(owner, Segment.PRIVATE, kernel.private)
    yield from _unique(f"{owner} label", [name for name, _ in kernel.labels])
    if len(kernel.params) > MAX_PARAMS:
        yield Diagnostic("SIM224", f"{owner} has more than {MAX_PARAMS} parameters")
    for param in kernel.params:
        if param.type is B1:
            yield Diagnostic("SIM224", f"{owner}: parameter %{param.name} cannot be of type b1")
    pcs = [pc for _, pc in kernel.labels]
    if pcs != sorted(pcs) or any(pc > len(kernel.words) for pc in pcs):
        yield Diagnostic("SIM225", f"{owner}: its labels are out of order or outside the code")
    if not kernel.words:
        yield Diagnostic("SIM226", f"{owner} has no instruction")
        return
    try:
        instructions = kernel.instructions
    except DecodingError as problem:
        yield Diagnostic("SIM210", f"{owner}: {problem.first.message}")
        return
    for pc, ins in enumerate(instructions):
        for message in _instruction_problems(program, kernel, ins):
            yield Diagnostic(
                "SIM227",
                f"{owner}, word {pc} ({ins.name}): {message}",
                program.span(kernel, pc),
            )
    last = instructions[-1]
    if last.row.falls_through:
        yield Diagnostic(
            "SIM228",
            f"{owner} falls off its end: its last instruction is {last.name}",
            program.span(kernel, len(instructions) - 1),
            hint="end it with ret, br or trap",
        )


def _instruction_problems(program: Program, kernel: Kernel, ins: Instruction) -> Iterator[str]:
    n = len(kernel.words)
    if ins.target is not None and not 0 <= ins.target < n:
        yield f"its target {ins.target} is outside the kernel"
    if ins.join is not None and not 0 <= ins.join < n:
        yield f"its re-convergence point {ins.join} is outside the kernel"
    if ins.address is not None:
        yield from _address_problems(program, kernel, ins, ins.address)


def _address_problems(
    program: Program, kernel: Kernel, ins: Instruction, address: Address
) -> Iterator[str]:
    size = {
        Segment.GROUP: kernel.group_size,
        Segment.PRIVATE: kernel.private_size,
        Segment.KERNARG: kernel.kernarg_size,
        Segment.READONLY: len(program.readonly_data),
        Segment.GLOBAL: None,
    }[address.segment]
    if size is None or address.base is not None:
        return
    assert ins.row.type is not None
    width = ins.row.type.size if ins.row.is_memory else 1
    if not 0 <= address.offset <= size - width:
        yield (
            f"bytes {address.offset} to {address.offset + width - 1} are outside the "
            f"{size} bytes of {address.segment} memory"
        )
    elif address.offset % width:
        yield f"the {address.segment} address {address.offset} is not a multiple of {width}"
