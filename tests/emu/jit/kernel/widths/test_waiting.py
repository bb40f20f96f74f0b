"""More lanes for code that waits for its results, on hosts that compute many vectors at a time."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.width import FEW, USUAL, WIDE, WIDEST, best_facts
from simtlab.emu.jit.kernel import launch_facts

from ...support.agreement import same

LINE = Facts(USUAL, (256, 1, 1), True)


@pytest.fixture(autouse=True)
def a_host_that_computes_many_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_facts, "takes_many", lambda: True)
    monkeypatch.setattr(launch_facts, "takes_integers", lambda: True)


def kernel(body: str, *, read: str = "f32") -> str:
    """A kernel that loads $s2 to $s9 of a work-item's own, runs `body` and stores $s2."""
    loads = "\n".join(f"ld_global_{read} $s{2 + i}, [$d1+{1024 * i}]" for i in range(8))
    return f"""
        kernel k(u32 %n, global {read}* %x, global {read}* %out) {{
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s1, [%n]
            cmp_ge_u32 $c0, $s0, $s1
            cbr $c0, @done
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            mad_u64 $d1, $d0, 4, $d1
            {loads}
            {body}
            ld_kernarg_u64 $d1, [%out]
            mad_u64 $d1, $d0, 4, $d1
            st_global_{read} $s2, [$d1]
        @done:
            ret
        }}"""


def width_of(text: str, *, floats: bool = True, integers: bool = True) -> int:
    return best_facts(assemble(text).kernels[0], LINE, True, lambda: floats, lambda: integers).width


def roots(divisions: int) -> str:
    """Straight code, with branches that diverge between divisions that wait for each other."""
    steps = (
        f"""
        div_f32 $s3, $s4, $s2
        mul_f32 $s3, $s3, $s3
        add_f32 $s3, $s3, 1.0
        sqrt_f32 $s3, $s3
        cmp_lt_f32 $c1, $s3, $s5
        cbr $c1, @less{i}
        add_f32 $s3, $s3, $s6
    @less{i}:
        mov_b32 $s2, $s3"""
        for i in range(divisions)
    )
    return kernel("\n".join(steps).replace("mov_b32", "mov_u32"))


IN_TURN = """
    mov_u32 $s10, 0
@next:
    mul_f32 $s11, $s2, $s2
    sub_f32 $s11, $s11, $s3
    div_f32 $s11, $s11, $s2
    fma_f32 $s2, $s11, -0.5, $s2
    abs_f32 $s11, $s11
    cmp_lt_f32 $c1, $s11, 0.001
    cbr $c1, @found
    add_u32 $s10, $s10, 1
    cmp_lt_u32 $c1, $s10, 40
    cbr $c1, @next
@found:"""

TOGETHER = """
    mov_u32 $s10, 0
@next:
    fma_f32 $s11, $s2, $s3, $s4
    fma_f32 $s11, $s11, $s2, $s5
    fma_f32 $s11, $s11, $s2, $s6
    fma_f32 $s11, $s11, $s2, $s7
    fma_f32 $s11, $s11, $s2, $s8
    fma_f32 $s11, $s11, $s2, $s9
    fma_f32 $s12, $s2, $s4, $s5
    fma_f32 $s12, $s12, $s2, $s6
    fma_f32 $s12, $s12, $s2, $s7
    div_f32 $s11, $s11, $s12
    sub_f32 $s2, $s2, $s11
    add_u32 $s10, $s10, 1
    cmp_lt_u32 $c1, $s10, 7
    cbr $c1, @next"""


def tree(source: str) -> str:
    """Sums of 32 leaves, which do not wait for each other."""
    lines = [f"xor_u32 $s{30 + i}, {source}, {i}" for i in range(32)]
    for step in (1, 2, 4, 8, 16):
        for i in range(30, 62, 2 * step):
            lines.append(f"add_u32 $s{i}, $s{i}, $s{i + step}")
    return "\n".join([*lines, "xor_u32 $s12, $s12, $s30"])


def moves(*sources: str) -> str:
    """Rounds of a hash: eight words of which each gets the one before it; trees beside them."""
    mixed = "\n".join(tree(source) for source in sources)
    return f"""
        mov_u32 $s10, 0
    @round:
        shr_u32 $s11, $s6, 6
        shl_u32 $s12, $s6, 26
        or_u32 $s11, $s11, $s12
        xor_u32 $s12, $s2, $s3
        {mixed}
        and_u32 $s12, $s12, $s4
        add_u32 $s11, $s11, $s9
        add_u32 $s11, $s11, $s12
        mov_u32 $s9, $s8
        mov_u32 $s8, $s7
        mov_u32 $s7, $s6
        add_u32 $s6, $s5, $s11
        mov_u32 $s5, $s4
        mov_u32 $s4, $s3
        mov_u32 $s3, $s2
        add_u32 $s2, $s11, $s10
        add_u32 $s10, $s10, 1
        cmp_lt_u32 $c1, $s10, 19
        cbr $c1, @round"""


def sixteen(operations: str) -> str:
    """Rounds that change sixteen words in place."""
    words = "\n".join(f"add_u32 $s{20 + i}, $s{2 + i % 8}, {i}" for i in range(16))
    change = "\n".join(operations.format(a=20 + i, b=20 + (i + 5) % 16) for i in range(16))
    total = "\n".join(f"xor_u32 $s2, $s2, $s{20 + i}" for i in range(16))
    return f"""
        {words}
        mov_u32 $s10, 0
    @round:
        {change}
        add_u32 $s10, $s10, 1
        cmp_lt_u32 $c1, $s10, 9
        cbr $c1, @round
        {total}"""


CHANGED = "add_u32 $s{a}, $s{a}, $s{b}\n xor_u32 $s{b}, $s{b}, $s{a}"

KERNELS = {
    "straight": (roots(5), USUAL, WIDE),
    "in turn": (kernel(IN_TURN), WIDE, WIDEST),
    "together": (kernel(TOGETHER), WIDE, WIDEST),
    "moves": (kernel(moves(), read="u32"), USUAL, WIDE),
    "sixteen words": (kernel(sixteen(CHANGED), read="u32"), FEW, WIDE),
}


@pytest.mark.parametrize("name", KERNELS)
def test_code_that_waits_gets_more_lanes(name: str) -> None:
    text, usual, more = KERNELS[name]
    by_integers = "u32* %x" in text
    assert width_of(text) == more
    assert width_of(text, floats=False, integers=False) == usual
    assert width_of(text, floats=by_integers, integers=not by_integers) == usual


def work(times: int) -> str:
    """Multiply-adds of eight chains, which all end in $s3."""
    steps = [f"fma_f32 $s{20 + i % 8}, $s{4 + i % 6}, $s3, $s{20 + i % 8}" for i in range(times)]
    return "\n".join(steps + [f"add_f32 $s3, $s3, $s{20 + i}" for i in range(8)])


def test_not_where_vectors_take_longer_than_the_chain() -> None:
    sums = "\n".join(f"mov_u32 $s{20 + i}, {i}.0" for i in range(8))
    end = "ld_kernarg_u64 $d1, [%out]"
    long = f"{sums}\n{work(400)}\nadd_f32 $s2, $s2, $s3\n{end}"
    assert width_of(roots(5).replace(end, long)) == USUAL
    assert width_of(kernel(moves("$s3", "$s4", "$s7", "$s8"), read="u32")) == USUAL
    busy = IN_TURN.replace("@next:", f"{sums}\n@next:\n{work(40)}")
    assert width_of(kernel(busy)) != WIDEST


def test_numbers_of_64_bits_are_enough_vectors() -> None:
    step = "div_f64 $d4, $d5, $d4\n add_f64 $d4, $d4, 1.0\n sqrt_f64 $d4, $d4"
    begin = "cvt_f64_f32 $d4, $s2\n cvt_f64_f32 $d5, $s3"
    chain = "\n".join([begin, *[step] * 9, "cvt_f32_f64 $s2, $d4"])
    skips = (
        f"cmp_lt_f32 $c1, $s2, $s{4 + i}\ncbr $c1, @l{i}\nmul_f32 $s2, $s2, $s3\n@l{i}:"
        for i in range(2)
    )
    assert width_of(kernel("\n".join([chain, *skips]))) == USUAL
    assert width_of(roots(9)) == WIDE


def test_divisions_of_integers_are_work() -> None:
    body = IN_TURN.replace("div_f32 $s11, $s11, $s2", "rem_u32 $s11, $s11, $s3")
    assert width_of(kernel(body)) == WIDE


@pytest.mark.parametrize("n", [512, 511, 385, 384, 129, 64, 63, 3])
@pytest.mark.parametrize("name", KERNELS)
def test_results_are_the_oracles(name: str, n: int) -> None:
    text = KERNELS[name][0]
    rng = np.random.default_rng(n)
    x = rng.random(512 + 8 * 256, np.float32) * 4 + np.float32(0.1)
    x[::17] = np.float32("nan")
    if "u32* %x" in text:
        x = rng.integers(0, 1 << 32, x.size, np.uint32)
    args = [n, x, np.zeros(n, x.dtype)]
    same(text, args, items=512, group_size=256)
