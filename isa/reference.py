"""The instruction listing of docs/isa.md, generated from the table.

python -m simtlab.isa.reference docs/isa.md           rewrite the generated part
python -m simtlab.isa.reference docs/isa.md --check   exit with 1 if it is not current
"""

from __future__ import annotations

import sys

from .generated import GeneratedPart, folded
from .table import OPS, TABLE, Op, OperandKind, Row

_CHAPTERS = {
    "mov": "Moves",
    "add": "Arithmetic",
    "and": "Bits",
    "cmp_eq": "Comparison",
    "cvt": "Conversion",
    "ld": "Memory",
    "br": "Control",
    "workitemid": "Identity",
    "activelaneid": "Cross-lane",
}
"""The stem that opens each chapter."""


def operand_form(op: Op) -> str:
    """Return the operands of a stem by the names of its pseudo-code, as `d:$c, a, b`.

    Sources without a mark may be immediates. A fixed type is shown after a colon.
    """
    names = iter("abc")
    parts = []
    for word in op.operands.split():
        head, _, fixed = word.partition(":")
        kind = OperandKind(head.rstrip("?"))
        suffix = f":{fixed}" if fixed and fixed != "2" else ""
        match kind:
            case OperandKind.DST:
                parts.append(f"[d{suffix}]" if head.endswith("?") else f"d{suffix}")
            case OperandKind.SRC:
                parts.append(next(names) + suffix)
            case OperandKind.REG:
                parts.append(f"{next(names)}{suffix} (register)")
            case OperandKind.MEM:
                parts.append("[address]")
            case OperandKind.TARGET:
                parts.append("@target")
            case OperandKind.JOIN:
                parts.append("[@join or none], [flags]")
            case OperandKind.CODE:
                parts.append("[code]")
            case _:
                parts.append(kind.value)
    return ", ".join(parts)


def _rows_of(op: Op) -> list[Row]:
    return [row for row in TABLE if row.stem == op.stem and row.doc == op.doc]


def _names(op: Op, rows: list[Row]) -> str:
    """Return the mnemonics of a stem, with the types that it can have."""
    if op.types is None:
        return f"`{op.stem}`"
    types = "\\|".join(dict.fromkeys(str(r.type) for r in rows))
    segments = "\\|".join(dict.fromkeys(str(r.segment) for r in rows if r.segment))
    name = (op.name or "{stem}_{type}").format(
        stem=op.stem,
        type=types if len({r.type for r in rows}) == 1 else f"{{{types}}}",
        src="{source}",
        segment=segments if len({r.segment for r in rows}) == 1 else f"{{{segments}}}",
    )
    return name


def listing() -> str:
    """Return the generated part, as Markdown."""
    introduction = (
        f"{len(TABLE)} instructions. A number is the opcode of the first instruction of its line; "
        "the others follow in the order shown. d is the destination; a, b and c are the sources. A "
        "source may be an immediate unless the line says otherwise, but at most one source of an "
        "instruction. Operands in brackets are optional, except those of an address."
    )
    lines = folded(introduction)
    seen: set[tuple[str, str]] = set()
    for op in OPS:
        if op.stem in _CHAPTERS and (op.stem, "") not in seen:
            seen.add((op.stem, ""))
            lines += [
                "",
                f"### {_CHAPTERS[op.stem]}",
                "",
                "| opcode | instruction | operands | meaning | unit |",
                "|---:|---|---|---|---|",
            ]
        rows = _rows_of(op)
        key = (op.stem, op.doc)
        if key in seen:
            continue
        seen.add(key)
        first = rows[0].number
        means = f"`{op.means}`. " if op.means else ""
        units = "/".join(dict.fromkeys(r.unit.value for r in rows))
        lines.append(
            f"| {first} | {_names(op, rows)} | {operand_form(op) or '-'} | "
            f"{means.replace('|', chr(92) + '|')}{op.doc} | {units} |"
        )
    return "\n".join(lines)


PART = GeneratedPart("isa/table.py", "simtlab.isa.reference", listing)

if __name__ == "__main__":
    sys.exit(PART.main(sys.argv[1:]))
