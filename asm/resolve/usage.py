"""The written forms of an instruction, from the operands of its row."""

from __future__ import annotations

from collections.abc import Iterable

from ...isa.table import Flags, Operand, OperandKind, Row

_FORMS = {
    OperandKind.MEM: "[address]",
    OperandKind.TARGET: "@label",
    OperandKind.JOIN: "@join",
    OperandKind.DIM: "0|1|2",
    OperandKind.POS: "position",
    OperandKind.LEN: "length",
    OperandKind.CODE: "code",
}


REMARKS = (
    (Flags.COMMUTES, "The two sources may be exchanged."),
    (Flags.MAY_TRAP, "Can end the launch with a trap."),
    (
        Flags.CROSS_LANE,
        "The value depends on which lanes issue together, thus on the divergence scheme.",
    ),
    (Flags.READS_DST, "Reads the destination's old value too."),
)
"""What flags mean to a programmer."""


def usage(row: Row) -> str:
    """Return the forms of an instruction, as "`fma_f32 $s, $s|f32, $s|f32, $s|f32`".

    `$s|f32` is a register or an immediate of that type.
    """
    forms = [_form(row, row.operands)]
    required = [operand for operand in row.operands if not operand.optional]
    if len(required) < len(row.operands):
        forms.insert(0, _form(row, required))
    return " or ".join(forms)


def _form(row: Row, operands: Iterable[Operand]) -> str:
    return f"`{row.name} {', '.join(map(_operand, operands))}`".replace(" `", "`")


def _operand(operand: Operand) -> str:
    if operand.type is None:
        return _FORMS[operand.kind]
    register = f"${operand.type.reg.value}"
    return f"{register}|{operand.type}" if operand.kind is OperandKind.SRC else register
