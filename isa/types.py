"""Value types, register classes and memory segments of the ISA."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

REGISTERS_PER_CLASS = 64


class Kind(StrEnum):
    """How the bits of a value are read."""

    BOOL = "b"
    UNSIGNED = "u"
    SIGNED = "s"
    FLOAT = "f"


class RegClass(StrEnum):
    """A register class of a work-item, as in HSAIL: `$s` 32-bit, `$d` 64-bit, `$c` 1-bit."""

    S = "s"
    D = "d"
    C = "c"

    bits: int
    """Width of one register in bits."""

    def __init__(self, name: str) -> None:
        self.bits = {"s": 32, "d": 64, "c": 1}[name]


class Segment(StrEnum):
    """A memory segment, as in HSAIL."""

    GLOBAL = "global"
    GROUP = "group"
    PRIVATE = "private"
    KERNARG = "kernarg"
    READONLY = "readonly"


@dataclass(frozen=True, slots=True)
class Type:
    """A value type. `bits` is its width in memory; registers hold it in class `reg`."""

    name: str
    kind: Kind
    bits: int
    doc: str

    @property
    def size(self) -> int:
        """Bytes in memory, also its natural alignment (b1 lives in registers only)."""
        return max(1, self.bits // 8)

    @property
    def reg(self) -> RegClass:
        """The register class that holds a value of this type."""
        if self.kind is Kind.BOOL:
            return RegClass.C
        return RegClass.D if self.bits == 64 else RegClass.S

    @property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_signed(self) -> bool:
        return self.kind is Kind.SIGNED

    @property
    def numpy(self) -> str:
        """The NumPy dtype name of an array of this type."""
        if self.kind is Kind.BOOL:
            return "bool"
        return {"u": "uint", "s": "int", "f": "float"}[self.kind] + str(self.bits)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Type({self.name})"


B1 = Type("b1", Kind.BOOL, 1, "one bit, in $c registers")
U8 = Type("u8", Kind.UNSIGNED, 8, "memory and conversion only; zero-extended in $s registers")
S8 = Type("s8", Kind.SIGNED, 8, "memory and conversion only; sign-extended in $s registers")
U16 = Type(
    "u16",
    Kind.UNSIGNED,
    16,
    "memory and conversion only; zero-extended in $s registers",
)
S16 = Type("s16", Kind.SIGNED, 16, "memory and conversion only; sign-extended in $s registers")
U32 = Type("u32", Kind.UNSIGNED, 32, "unsigned, wraps modulo 2^32")
S32 = Type("s32", Kind.SIGNED, 32, "two's complement, wraps modulo 2^32")
U64 = Type("u64", Kind.UNSIGNED, 64, "unsigned, wraps modulo 2^64; addresses")
S64 = Type("s64", Kind.SIGNED, 64, "two's complement, wraps modulo 2^64")
F32 = Type("f32", Kind.FLOAT, 32, "IEEE 754 binary32, round to nearest even, subnormals kept")
F64 = Type("f64", Kind.FLOAT, 64, "IEEE 754 binary64, round to nearest even, subnormals kept")

TYPES: dict[str, Type] = {t.name: t for t in (B1, U8, S8, U16, S16, U32, S32, U64, S64, F32, F64)}

# Named sets from which the instruction table generates its rows.
INT32 = (U32, S32)
INT64 = (U64, S64)
INT = INT32 + INT64
FLOAT = (F32, F64)
NUM = INT + FLOAT
SMALL = (U8, S8, U16, S16)
MEMORY = SMALL + NUM

BITS32 = 0xFFFF_FFFF
BITS64 = 0xFFFF_FFFF_FFFF_FFFF


def mask_of(bits: int) -> int:
    """Return the integer with the lowest `bits` bits set."""
    return (1 << bits) - 1


def sign_extend(value: int, bits: int) -> int:
    """Read the low `bits` bits of `value` as two's complement."""
    value &= mask_of(bits)
    return value - (1 << bits) if value >> (bits - 1) else value
