"""Words of other languages: what their hints say can be written."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.asm.syntax import foreign
from simtlab.isa.table import BY_NAME
from simtlab.isa.types import TYPES

KERNEL = "kernel k(u32 %n) {{\n    {}\n    ret\n}}\n"


@pytest.mark.parametrize("word", [*foreign._IDENTITIES, *foreign._SCALARS])
def test_the_line_of_an_identity_assembles(word: str) -> None:
    line = foreign.hint_for(word).partition(": ")[2]
    assert assemble(KERNEL.format(line)).kernels


@pytest.mark.parametrize("word", foreign._INSTRUCTIONS)
def test_the_instruction_that_a_word_stands_for_exists(word: str) -> None:
    assert foreign.hint_for(word).split("`")[1] in BY_NAME
    assert word not in BY_NAME


@pytest.mark.parametrize("word", foreign._DECLARATIONS)
def test_the_declaration_that_a_word_stands_for_assembles(word: str) -> None:
    declared = foreign.hint_for(word).partition("as: ")[2]
    if declared.startswith("kernel"):
        assert assemble(f"{declared}\n    ret\n}}\n").kernels
    elif declared.startswith((".readonly", ".const")):
        assert assemble(f"{declared}\n{KERNEL.format('nop')}").kernels
    else:
        assert assemble(KERNEL.format(declared)).kernels


def test_types_are_those_of_memory() -> None:
    assert set(foreign.TYPES.values()) <= set(TYPES)
    assert not set(foreign.TYPES) & set(TYPES)


def test_a_dimension_is_a_number_here() -> None:
    assert foreign.hint_for("threadIdx.z").endswith("workitemid_u32 $s0, 2")
    assert foreign.hint_for("%tid.y").endswith("workitemid_u32 $s0, 1")
    assert foreign.hint_for("threadIdx.w") == ""
    assert foreign.hint_for("frobnicate") == ""


def test_operations_that_take_several_instructions() -> None:
    assert (
        foreign.hint_for("rotl_u32") == foreign.hint_for("rotr_u64") == foreign.hint_for("shf.b32")
    )
    assert "shl" in foreign.hint_for("rotate")
    assert "clz_u32" in foreign.hint_for("ctz_u32")
    assert "neg_f32" in foreign.hint_for("fms_f32")
    assert not {f"{name}_u32" for name in foreign._SEQUENCES} & set(BY_NAME)
