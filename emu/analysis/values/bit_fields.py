"""Bit fields: values that are some bits of another value, moved.

The operands of an instruction in a word, as `word >> 16 & 255`, are such fields, and so are these
times a power of two.
"""

from __future__ import annotations

from dataclasses import dataclass

from .ssa import Const, Op, Value

_ALL = 0xFFFF_FFFF


@dataclass(frozen=True)
class BitField:
    """Bit j of a value is bit `j + shift` of a word where `mask` has it, and 0 elsewhere."""

    word: Value
    shift: int
    mask: int

    def in_word(self, bits: int) -> int:
        """Return the bits of the word that are some bits of the value."""
        bits &= self.mask
        return bits << self.shift if self.shift >= 0 else bits >> -self.shift


def field_of(value: Value) -> BitField:
    """Return a 32-bit value as a field of the value from which its bits are taken."""
    word, moves = value, []
    while isinstance(word, Op) and (move := _move(word)) is not None:
        word = move[0]
        moves.append(move)
    shift, mask = 0, _ALL
    for _, right, kept in reversed(moves):
        mask = (mask >> right if right >= 0 else mask << -right) & kept & _ALL
        shift += right
    return BitField(word, shift, mask)


def _move(op: Op) -> tuple[Value, int, int] | None:
    """Return what an op moves, how far to the right, and the mask of what it keeps then."""
    args, name = op.args, op.ins.row.name
    if name == "bitextract_u32":
        position, length = op.ins.literals
        return args[0], position, (1 << length) - 1
    if name in ("shl_u32", "shr_u32") and isinstance(args[1], Const):
        amount = args[1].bits % 32
        return args[0], -amount if name == "shl_u32" else amount, _ALL
    if name == "and_u32":
        for word, mask in (args, args[::-1]):
            if isinstance(mask, Const):
                return word, 0, mask.bits & _ALL
    return None
