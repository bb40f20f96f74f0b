"""What notebooks show of programs and kernels."""

from __future__ import annotations

from html import escape

from ..asm.disassemble import disassemble, instruction_text
from ..asm.flow.cfg import build
from ..asm.flow.picture import ControlFlow
from ..asm.html import highlighted
from ..isa.program import Kernel, Program

_LEFT = "text-align:left"


def module_html(program: Program) -> str:
    """Return a table of the kernels, and the source; of an object file, the listing."""
    head = ("kernel", "instructions", "registers", "group memory", "private memory")
    rows = [
        (
            k.signature,
            f"{len(k.words):,}",
            _registers(k),
            f"{k.group_size:,} bytes",
            f"{k.private_size:,} bytes",
        )
        for k in program.kernels
    ]
    title = "source" if program.sources else "listing"
    text = next(iter(program.sources.values()), None) or disassemble(program, loc=False)
    return (
        f"{_table(head, rows)}<details open><summary>{title}</summary>{highlighted(text)}</details>"
    )


def kernel_html(program: Program, kernel: Kernel) -> str:
    """Return the signature and the listing of a kernel."""
    alone = Program((kernel,), program.readonly, program.readonly_data)
    needs = (
        f"{len(kernel.words):,} instructions; registers {_registers(kernel)}; "
        f"{kernel.group_size:,} bytes of group memory"
    )
    return f"<p>{escape(needs)}</p>{highlighted(disassemble(alone, loc=False))}"


def control_flow(program: Program, kernel: Kernel) -> ControlFlow:
    """Return the control-flow graph of a kernel with the text of its instructions."""
    texts = [instruction_text(program, kernel, pc) for pc in range(len(kernel.words))]
    labels = {pc: name for name, pc in reversed(kernel.labels)}
    return ControlFlow(kernel.name, build(kernel.instructions), texts, labels)


def _registers(kernel: Kernel) -> str:
    return (
        ", ".join(f"{count} ${cls}" for cls, count in kernel.registers.items() if count) or "none"
    )


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    titles = "".join(f"<th style='{_LEFT}'>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='{_LEFT}'>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{titles}</tr>{body}</table>"
