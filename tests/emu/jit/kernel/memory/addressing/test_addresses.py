"""Addresses modulo 2^64: sums, products and shifts that wrap around mean what the oracle says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.emu.engine import Work

from ......quick import examples
from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle

ITEMS = 40


LOAD = """
            ld_global_u32 $s3, [$d9+4]
            mad_u64 $d2, $d0, 4, $d2
            st_global_u32 $s3, [$d2]"""

STORE = "st_global_u32 $s0, [$d9+4]"


def work_of(lines: str, access: str, group_size: int) -> Work:
    """A launch that computes $d9 and accesses x there."""
    text = f"""
        kernel walk(global u32* %x, global u32* %index, global u32* %y, u64 %n) {{
            workitemabsid_u32 $s0, 0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            ld_kernarg_u64 $d2, [%y]
            ld_kernarg_u64 $d3, [%index]
            mad_u64 $d3, $d0, 4, $d3
            ld_global_u32 $s1, [$d3]
            cvt_u64_u32 $d3, $s1
            sub_u32 $s2, $s0, 3
            cvt_u64_s32 $d4, $s2
            ld_kernarg_u64 $d5, [%n]
            {lines}
            {access}
            ret
        }}"""
    x = np.arange(500, 500 + 2 * ITEMS + 8, dtype=np.uint32)
    index = np.random.default_rng(3).permutation(ITEMS).astype(np.uint32)
    args = [x, index, np.zeros(ITEMS, np.uint32), 3]
    return make(text, args, items=ITEMS, group_size=group_size)


def assert_same(lines: str, group_size: int, access: str = LOAD) -> None:
    """The same memory, or a trap that the oracle has, with its address."""
    work, expected = (work_of(lines, access, group_size) for _ in "ab")
    assert_as_oracle(work, expected)


@pytest.mark.parametrize("lanes", ["$d0", "$d3", "$d4"])
@pytest.mark.parametrize("power", [30, 31, 32, 33, 46, 47, 48, 61, 62, 63])
@pytest.mark.parametrize("group_size", [32, 7])
def test_steps_of_any_power_of_two(lanes: str, power: int, group_size: int) -> None:
    assert_same(f"shl_u64 $d9, {lanes}, {power}\n add_u64 $d9, $d9, $d1", group_size)


@pytest.mark.parametrize("lanes", ["$d0", "$d3", "$d4"])
@pytest.mark.parametrize(
    "lines",
    {
        "zero": "shl_u64 $d9, LANES, 32\n shl_u64 $d9, $d9, 32",
        "four": "shl_u64 $d8, LANES, 63\n mad_u64 $d9, LANES, 4, $d8\n add_u64 $d9, $d9, $d8",
        "minus": "mul_u64 $d9, LANES, -4\n add_u64 $d9, $d9, 160",
        "twice": "mul_u64 $d9, LANES, 2\n add_u64 $d9, $d9, $d9",
        "more": "mul_u64 $d9, LANES, 0x40000004\n mad_u64 $d9, LANES, -0x40000000, $d9",
        "uniform": "shl_u64 $d8, $d5, 63\n add_u64 $d8, $d8, $d8\n mad_u64 $d9, LANES, 4, $d8",
        "constant": "mov_u64 $d8, 1\n shl_u64 $d8, $d8, 63\n mad_u64 $d9, $d8, 2, $d8\n"
        "add_u64 $d9, $d9, $d8\n mad_u64 $d9, LANES, 4, $d9",
    }.items(),
    ids=lambda case: case[0],
)
def test_sums_that_wrap_around_to_small_ones(lines: tuple[str, str], lanes: str) -> None:
    text = lines[1].replace("LANES", lanes)
    for access in (LOAD, STORE):
        assert_same(f"{text}\n add_u64 $d9, $d9, $d1", ITEMS, access)


def test_an_index_that_wraps_around_modulo_two_to_the_32() -> None:
    for body in (
        "shl_u32 $s5, $s0, 16\n shl_u32 $s5, $s5, 16\n add_u32 $s5, $s5, $s0",
        "mul_u32 $s5, $s0, 0x40000001\n mad_u32 $s5, $s0, -0x40000000, $s5",
        "sub_u32 $s5, $s0, 0x80000000\n sub_u32 $s5, $s5, 0x80000000",
        "mul_u32 $s5, $s0, -1\n add_u32 $s5, $s5, 40",
        "mul_u32 $s5, $s0, 0x20000000",
    ):
        for convert in ("u32", "s32"):
            for group_size in (ITEMS, 32, 7):
                lines = f"{body}\n cvt_u64_{convert} $d9, $s5\n mad_u64 $d9, $d9, 4, $d1"
                assert_same(lines, group_size)


# --- random sums

SOURCES = {"$d0": (1, 0, 0, 0), "$d3": (0, 1, 0, 0), "$d4": (0, 0, 1, 0), "$d5": (0, 0, 0, 1)}
"""Register -> coefficients of the lane, the loaded index, the signed index and the argument."""

Coefficients = tuple[int, ...]


@dataclass
class Sum:
    """Lines that compute a sum in $d9, and what they add up to."""

    lines: list[str]
    total: Coefficients = (0, 0, 0, 0)

    def add(self, line: str, term: Coefficients) -> None:
        self.lines.append(line)
        self.total = tuple((a + b) % (1 << 64) for a, b in zip(self.total, term, strict=True))


def times(term: Coefficients, factor: int) -> Coefficients:
    return tuple(c * factor for c in term)


@st.composite
def sums(draw: st.DrawFn) -> str:
    """A sum that wraps around on its way to a small multiple of one of the indices."""
    found = Sum(["mov_u64 $d9, $d1"])
    for _ in range(draw(st.integers(1, 6))):
        source = draw(st.sampled_from(list(SOURCES)))
        term = SOURCES[source]
        factor = draw(st.sampled_from([1, 3, 4, -4, 1 << 20, -(1 << 31), (1 << 31) - 1]))
        shift = draw(st.sampled_from([0, 1, 2, 16, 31, 32, 45, 62, 63]))
        found.lines.append(f"mul_u64 $d8, {source}, {factor}\n shl_u64 $d8, $d8, {shift}")
        if draw(st.booleans()):
            found.add("add_u64 $d9, $d9, $d8", times(term, factor << shift))
        else:
            found.add("sub_u64 $d9, $d9, $d8", times(term, -(factor << shift)))
    aims: list[Any] = [(4, 0, 0, 0), (0, 4, 0, 0), (8, 0, 0, 0), (0, 0, 0, 4), (4, 0, 0, 12)]
    aim = draw(st.sampled_from(aims))
    for at, source in enumerate(SOURCES):
        left = (aim[at] - found.total[at]) % (1 << 64)
        low = (left & 0xFFFF_FFFF) - ((left & 0x8000_0000) << 1)
        high = (left - low) >> 32 & 0xFFFF_FFFF
        high -= (high & 0x8000_0000) << 1
        found.lines.append(
            f"mad_u64 $d9, {source}, {low}, $d9\n mul_u64 $d8, {source}, {high}\n"
            "shl_u64 $d8, $d8, 32\n add_u64 $d9, $d9, $d8"
        )
    return "\n".join(found.lines)


@examples(5, 25)
@given(sums(), st.sampled_from([ITEMS, 32, 7]), st.sampled_from([LOAD, STORE]))
def test_random_sums_wrap_around_as_the_oracles(lines: str, group_size: int, access: str) -> None:
    assert_same(lines, group_size, access)


@pytest.mark.slow
@settings(max_examples=400)
@given(sums(), st.sampled_from([ITEMS, 32, 7]), st.sampled_from([LOAD, STORE]))
def test_many_random_sums_wrap_around_so(lines: str, group_size: int, access: str) -> None:
    assert_same(lines, group_size, access)
