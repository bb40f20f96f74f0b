"""What a recording says of a kernel: code, source places, graph and arrays."""

from __future__ import annotations

from typing import Any

from ..asm.flow.cfg import build
from ..asm.flow.dominators import post_dominators
from ..isa.instruction import Instruction
from ..isa.program import Kernel, Program

_KINDS = {
    "br": "jump", "cbr": "branch", "ret": "exit", "trap": "trap", "barrier": "barrier",
    "memfence": "fence", "reconverge": "marker",
}  # fmt: skip


def described(program: Program, kernel: Kernel) -> dict[str, Any]:
    """Return an entry of `facts["kernels"]`."""
    cfg = build(kernel.instructions)
    parents = post_dominators(cfg).parents
    return {
        "name": kernel.name,
        "signature": kernel.signature,
        "labels": dict(kernel.labels),
        "registers": dict(kernel.registers),
        "params": [
            {"name": p.name, "type": str(p.type), "pointer": p.is_pointer} for p in kernel.params
        ],
        "arrays": [
            {"name": s.name, "segment": s.segment.value, "type": str(s.type), "count": s.count,
             "offset": s.offset}
            for s in (*kernel.group, *kernel.private, *program.readonly)
        ],
        "group_bytes": kernel.group_size,
        "private_bytes": kernel.private_size,
        "blocks": [
            {"start": b.start, "end": b.end,
             "successors": [s for s in cfg.successors[b.number] if s != cfg.exit],
             "ipdom": None if parents[b.number] in (None, cfg.exit) else parents[b.number]}
            for b in cfg.blocks
        ],
        "instructions": [
            _instruction(program, kernel, pc, ins) for pc, ins in enumerate(kernel.instructions)
        ],
    }  # fmt: skip


def _instruction(program: Program, kernel: Kernel, pc: int, ins: Instruction) -> dict[str, Any]:
    span, row = program.span(kernel, pc), ins.row
    return {
        "text": program.line_of(kernel, pc),
        "file": span.file if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "stem": row.stem,
        "segment": ins.address.segment.value if ins.address else None,
        "type": str(row.type) if row.type is not None else None,
        "size": row.type.size if row.type is not None else None,
        "dst": str(ins.dst) if ins.dst is not None else None,
        "target": ins.target,
        "join": ins.join,
        "kind": kind_of(ins),
    }


def kind_of(ins: Instruction) -> str:
    """Return what sort of instruction it is, as recordings name it."""
    if ins.row.is_atomic:
        return "atomic"
    if ins.row.is_load:
        return "load"
    if ins.row.is_store:
        return "store"
    return _KINDS.get(ins.row.stem, "alu")
