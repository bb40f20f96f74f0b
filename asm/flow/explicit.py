"""Program -> Program with a `reconverge` at every join, for the explicit schemes.

The code is the same as from assembling with `markers="explicit"`; this is for programs whose text
or assembler options are not at hand.
"""

from __future__ import annotations

from dataclasses import replace

from ...isa.encoding import encode
from ...isa.errors import Span
from ...isa.instruction import Instruction
from ...isa.program import Kernel, Location, Program
from ..draft import DraftInstruction, DraftKernel, Join
from ..emit import instruction
from ..texts.collector import Collector
from .cfg import build
from .dominators import post_dominators
from .joins import annotate, immediate
from .markers import insert

_NO_SPAN = Span("", 1, 1)
_NO_LOCATION = Location(0, 1, 1)


def with_markers(program: Program) -> Program:
    """Return the program with one marker per branch that may diverge, at its join.

    A marker has the location of its branch, where the program has any. Raises EncodingError where a
    branch no longer reaches its target.
    """
    return replace(program, kernels=tuple(_kernel(kernel) for kernel in program.kernels))


def _kernel(kernel: Kernel) -> Kernel:
    draft = DraftKernel(kernel.name, _NO_SPAN, labels=dict(kernel.labels))
    cfg = build(kernel.instructions)
    tree = post_dominators(cfg)
    for pc, ins in enumerate(kernel.instructions):
        computed = ins.row.is_conditional and ins.join == immediate(cfg, tree, pc)
        draft.code.append(_draft(ins, kernel.locations[pc] if kernel.locations else _NO_LOCATION))
        draft.code[-1].join_span = None if computed else _NO_SPAN
    marked = insert(draft)
    annotate(marked, build(marked.code), Collector())
    instructions = tuple(instruction(ins) for ins in marked.code)
    found = replace(
        kernel,
        words=tuple(encode(ins, pc) for pc, ins in enumerate(instructions)),
        labels=tuple(marked.labels.items()),
        locations=tuple(ins.location for ins in marked.code) if kernel.locations else (),
    )
    # As the assembler does: decoding would lose the names of arrays, which are not encoded.
    found.__dict__["instructions"] = instructions
    return found


def _draft(ins: Instruction, location: Location) -> DraftInstruction:
    return DraftInstruction(
        ins.row,
        _NO_SPAN,
        location,
        ins.dst,
        ins.srcs,
        ins.address,
        ins.literals,
        ins.target,
        Join.NONE if ins.join is None else ins.join,
        subdivide=ins.subdivide,
        loop=ins.loop,
    )
