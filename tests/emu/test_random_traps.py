"""Random kernels with one hostile instruction: traps are those that the oracle finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab import Trap
from simtlab.emu.launch import Launch
from simtlab.testing import Case, kernels

from .support.hostile_kernels import WAYS, trap_of

SIZES = {"u8": 1, "s16": 2, "u32": 4, "f64": 8}


@st.composite
def hostile_lines(draw: st.DrawFn) -> list[str]:
    """An instruction that may trap, for some work-items or all. Uses registers from 50 on."""
    lines = [f"and_u32 $s50, $s40, {draw(st.sampled_from((0, 1, 3, 31)))}"]
    type_ = draw(st.sampled_from(sorted(SIZES)))
    register = "$d52" if SIZES[type_] == 8 else "$s52"
    kind = draw(
        st.sampled_from(("global", "global", "group", "private", "readonly", "div", "trap"))
    )
    if kind == "trap":
        lines += ["cmp_ne_u32 $c50, $s50, 1", "cbr $c50, @TRAP", "trap 5", "@TRAP:"]
    elif kind == "div":
        stem, t = draw(st.sampled_from(("div", "rem"))), draw(st.sampled_from(("u32", "s32")))
        lines.append(f"{stem}_{t} $s51, $s40, $s50")
    elif kind == "global":
        # Stores go where they trap for certain: a store into a live buffer would be a race.
        does_store = draw(st.booleans())
        bases = ("INPUT", "null", "wild") if does_store else ("INPUT", "ROW", "SHARED", "wild")
        base = draw(st.sampled_from(bases))
        start = {"INPUT": "$d42", "ROW": "$d40", "SHARED": "$d43"}.get(base)
        stride = draw(st.sampled_from((0, 1, 2, 4, 8, 256, -4, 1 << 20)))
        offset = draw(st.sampled_from((0, 1, -1, 2, -4, 4, 8, 252, 255, 256, 4096, -8_000_000)))
        if start is None:
            value = draw(st.sampled_from((1 << 63, (1 << 64) - 8, 1 << 40, 0x0FFF_FFFC)))
            lines.append(f"mov_u64 $d50, {value if base == 'wild' else 0}")
        else:
            lines.append(f"mov_u64 $d50, {start}")
        lines += ["cvt_u64_u32 $d51, $s50", f"mad_s64 $d50, $d51, {stride}, $d50"]
        lines.append(
            f"st_global_{type_} {register}, [$d50{offset:+}]"
            if does_store
            else f"ld_global_{type_} {register}, [$d50{offset:+}]"
        )
    else:
        stride = draw(st.sampled_from((0, 1, 4, 8, 1 << 16, -8)))
        start = draw(st.sampled_from((0, 4, 24, 120, 600, 1 << 20, (1 << 32) - 4)))
        offset = draw(st.sampled_from((0, 0, 1, 8, -1, -4)))
        lines += [f"mov_u32 $s51, {start}", f"mad_s32 $s51, $s50, {stride}, $s51"]
        lines.append(f"ld_{kind}_{type_} {register}, [$s51{offset:+}]")
    return lines


@st.composite
def hostile_kernels(draw: st.DrawFn) -> Case:
    """A random kernel with one hostile instruction at any place of its body."""
    return draw(kernels(inserted=hostile_lines()))


def check_hostile(case: Case) -> None:
    """Every scheme agrees with the oracle that all is well, or reports one of its traps."""
    (function,) = case.module
    g = case.geometry
    names = [parameter.name for parameter in function.kernel.params]

    def arguments() -> list[Any]:
        arrays = case.arguments()
        for name, array in zip(names, arrays, strict=True):
            assert isinstance(array, np.ndarray)
            array.flags.writeable = name != "input"
        return list(arrays)

    def frozen(arrays: list[Any]) -> list[bytes]:
        return [a.tobytes() for a in arrays if not a.flags.writeable]

    def launch(engine: str, scheme: str) -> Launch:
        return function.launch(
            items=g.items, group_size=g.group_size, warp=g.width, engine=engine, scheme=scheme,
            budget=1 << 20,
        )  # fmt: skip

    expected = arguments()
    try:
        launch("oracle", "stack")(*expected)
    except Trap:
        for engine, scheme in WAYS:
            given = arguments()
            trap_of(launch(engine, scheme), *given)
            assert frozen(given) == frozen(expected)
        return
    # A wild store of all work-items that happens to be legal is a race: its outcome is anyone's.
    is_race = any(line.startswith(("st_", "atomic_")) for line in case.source.splitlines())
    for engine, scheme in WAYS:
        given = arguments()
        launch(engine, scheme)(*given)
        assert is_race or all(
            a.tobytes() == b.tobytes() for a, b in zip(given, expected, strict=True)
        )


@settings(max_examples=60)
@given(hostile_kernels())
def test_a_random_hostile_kernel_traps_only_as_the_oracle_does(case: Case) -> None:
    check_hostile(case)


@pytest.mark.slow
@settings(max_examples=1000)
@given(hostile_kernels())
def test_a_thousand_hostile_kernels_trap_only_as_the_oracle_does(case: Case) -> None:
    check_hostile(case)
