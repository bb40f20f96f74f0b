"""The instruction set: types, the instruction table, encoding, Program, object file."""

from .errors import (
    ArgumentError,
    Diagnostic,
    Note,
    ObjectFileError,
    SimtError,
    SourceError,
    Span,
    UsageError,
    did_you_mean,
    render,
)
from .instruction import WORD_BYTES, Address, Imm, Instruction, Reg, Source
from .objectfile import dumps, loads
from .program import Kernel, Location, Param, Program, Symbol
from .table import BY_NAME, ISA_VERSION, TABLE, Flags, Format, OperandKind, Row, Unit
from .types import TYPES, Kind, RegClass, Segment, Type
from .verify import verify

__all__ = [
    "BY_NAME",
    "ISA_VERSION",
    "TABLE",
    "TYPES",
    "WORD_BYTES",
    "Address",
    "ArgumentError",
    "Diagnostic",
    "Flags",
    "Format",
    "Imm",
    "Instruction",
    "Kernel",
    "Kind",
    "Location",
    "Note",
    "ObjectFileError",
    "OperandKind",
    "Param",
    "Program",
    "Reg",
    "RegClass",
    "Row",
    "Segment",
    "SimtError",
    "Source",
    "SourceError",
    "Span",
    "Symbol",
    "Type",
    "Unit",
    "UsageError",
    "did_you_mean",
    "dumps",
    "loads",
    "render",
    "verify",
]
