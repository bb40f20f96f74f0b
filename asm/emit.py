"""Draft -> Program: the words of every kernel, verified."""

from __future__ import annotations

from dataclasses import replace

from ..isa.encoding import EncodingError, encode
from ..isa.errors import Diagnostic, ObjectFileError, SourceError
from ..isa.instruction import Instruction
from ..isa.program import Kernel, Location, Program
from ..isa.verify import verify as verify_program
from .draft import DraftInstruction, DraftKernel, DraftProgram, Join
from .texts.collector import Collector


def emit(draft: DraftProgram, collector: Collector) -> Program:
    """Encode a draft whose branches are complete; what has no encoding goes to the collector."""
    numbers = _Files(draft.files)
    kernels = tuple(
        [_kernel(kernel, numbers, draft.readonly_data, collector) for kernel in draft.kernels]
    )
    return Program(
        kernels, draft.readonly, draft.readonly_data, tuple(numbers.names), draft.sources
    )


class _Files:
    """Numbers the files in the order in which the code names them, which an object file has.

    Stripping markers may have taken away the first instruction of a file.
    """

    def __init__(self, drafted: list[str]) -> None:
        self.names: list[str] = []
        self._drafted = drafted
        self._numbers: dict[int, int] = {}

    def place(self, location: Location) -> Location:
        """Return a location of the draft as one of the program."""
        number = self._numbers.get(location.file)
        if number is None:
            number = self._numbers[location.file] = len(self.names)
            self.names.append(self._drafted[location.file])
        return location if number == location.file else replace(location, file=number)


def _kernel(draft: DraftKernel, files: _Files, readonly: bytes, collector: Collector) -> Kernel:
    instructions = tuple([instruction(ins) for ins in draft.code])
    words: list[int] = []
    for pc, ins in enumerate(instructions):
        try:
            words.append(encode(ins, pc))
        except EncodingError as problem:
            collector.add(Diagnostic("SIM144", str(problem), draft.code[pc].span))
    kernel = Kernel(
        draft.name,
        draft.params,
        tuple(words),
        draft.group,
        draft.private,
        tuple(sorted(draft.labels.items(), key=lambda label: label[1])),
        tuple([files.place(ins.location) for ins in draft.code]),
        readonly,
    )
    # Decoding for the verifier what was encoded a moment ago would take as long as resolving.
    # That both are the same is a property of the encoding, tested over the whole table.
    kernel.__dict__["instructions"] = instructions
    return kernel


def instruction(ins: DraftInstruction) -> Instruction:
    """Return the instruction of a draft whose branches are complete."""
    if not ins.row.is_branch:
        return Instruction(ins.row, ins.dst, ins.srcs, ins.address, ins.literals)
    return Instruction(
        ins.row,
        srcs=ins.srcs,
        target=ins.target,
        join=None if isinstance(ins.join, Join) else ins.join,
        subdivide=bool(ins.subdivide),
        loop=bool(ins.loop),
    )


def verify(program: Program) -> None:
    """Verify the program, which the passes should have made valid."""
    try:
        verify_program(program)
    except ObjectFileError as problem:
        raise SourceError(diagnostics=problem.diagnostics) from None
