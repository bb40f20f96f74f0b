"""Masked stores write what their mask says and nothing beside it.

LLVM 22 has two faults with AVX-512 in masked stores, which `Moves.store_masked` and
`without_truncation` avoid. The first tests here show them with LLVM alone. They fail once LLVM is
right; then both may go. A third one, whose mask is right and whose test is wrong, is in
`tests/emu/jit/llvm/test_signs.py`.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest

from simtlab.emu.jit.llvm.toolchain import compile_text, host_has

from .....quick import some
from ...support.agreement import same

faulty = pytest.mark.skipif(
    llvm.llvm_version_info[0] != 22 or not (host_has("avx512bw") and host_has("avx512vl")),
    reason="LLVM 22 stores too much with AVX-512 only",
)


def stored(ir: str, word: int, several: int) -> np.ndarray:
    """Run `f(word, places, data)`, with data of ones; return `several` rows of 64 bytes."""
    module = compile_text(ir, ["f"])
    function = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
    memory, data = np.zeros((several, 64), np.uint8), np.full(1024, 1, np.uint8)
    places = memory.ctypes.data + 64 * np.arange(several, dtype=np.uint64)
    function(module["f"])(word, places.ctypes.data, data.ctypes.data)
    return memory


@faulty
@pytest.mark.parametrize(("lanes", "wide", "narrow"), [(16, 32, 8), (8, 64, 32), (32, 16, 8)])
def test_llvm_stores_an_element_before_it_is_truncated(lanes: int, wide: int, narrow: int) -> None:
    """The mask is a constant with one lane, the data the truncation of one vector register."""
    mask = ", ".join(f"i1 {int(lane == 1)}" for lane in range(lanes))
    memory = stored(
        f"""
        define void @f(i64 %word, ptr %places, ptr %data) {{
            %place = load ptr, ptr %places
            %wide = load <{lanes} x i{wide}>, ptr %data, align 1
            %narrow = trunc <{lanes} x i{wide}> %wide to <{lanes} x i{narrow}>
            call void @llvm.masked.store.v{lanes}i{narrow}.p0(<{lanes} x i{narrow}> %narrow,
                ptr %place, i32 1, <{lanes} x i1> <{mask}>)
            ret void
        }}
        declare void @llvm.masked.store.v{lanes}i{narrow}.p0(<{lanes} x i{narrow}>, ptr, i32,
            <{lanes} x i1>)
        """,
        0,
        1,
    )
    assert np.flatnonzero(memory).size == wide // 8 > narrow // 8


@faulty
def test_llvm_takes_the_cut_of_a_mask_to_eight_lanes_for_a_copy() -> None:
    """Many masks are in use, and one is spilled: the store of its lower half has all 16 lanes."""
    lines, stores, tests = [], [], []
    low, high = (", ".join(f"i32 {i}" for i in part) for part in (range(8), range(8, 16)))
    for k in range(4):
        lines.append(f"""
            %w{k} = lshr i64 %word, {16 * k}
            %c{k} = trunc i64 %w{k} to i16
            %mask{k} = bitcast i16 %c{k} to <16 x i1>""")
        tests.append(f"""
            %row{k} = getelementptr i8, ptr %data, i64 {64 * k}
            %y{k} = load <16 x i32>, ptr %row{k}, align 4
            %z{k} = icmp uge <16 x i32> %y{k}, splat (i32 77)
            %u{k} = and <16 x i1> %z{k}, %mask{k}
            %all{k} = or <16 x i1> %u{k}, {f"%all{k - 1}" if k else "zeroinitializer"}""")
        lines.append(f"""
            %at{k} = getelementptr i8, ptr %data, i64 {16 * k}""")
        stores.append(f"%x{k} = load <16 x i8>, ptr %at{k}, align 1")
    for part in range(8):
        k, order = part // 2, high if part % 2 else low
        stores.append(f"""
            %a{part} = getelementptr i64, ptr %places, i64 {part}
            %p{part} = load ptr, ptr %a{part}
            %v{part} = shufflevector <16 x i8> %x{k}, <16 x i8> poison, <8 x i32> <{order}>
            %m{part} = shufflevector <16 x i1> %mask{k}, <16 x i1> poison, <8 x i32> <{order}>""")
    calls = [
        f"call void @llvm.masked.store.v8i8.p0(<8 x i8> %v{i}, ptr %p{i}, i32 1, <8 x i1> %m{i})"
        for i in range(8)
    ]
    newline = "\n            "
    memory = stored(
        f"""
        define void @f(i64 %word, ptr %places, ptr %data) {{
            {newline.join(lines)}
            %first = load volatile i8, ptr %data
            %fast = icmp eq i8 %first, 1
            br i1 %fast, label %yes, label %no
        yes:
            {newline.join(stores)}
            {newline.join(calls)}
            ret void
        no:
            {newline.join(tests)}
            store <16 x i1> %all3, ptr %places
            ret void
        }}
        declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, i32, <8 x i1>)
        """,
        (1 << 64) - 1,
        8,
    )
    assert memory[:, :8].all()
    assert memory[:, 8:].any(), "LLVM is right now: the masks of bytes need not be widened"


STORES = """
kernel k(global u32* %x, global {type}* %y, u32 %row) {{
    laneid_u32 $s9
    workitemflatabsid_u32 $s0
    ld_kernarg_u32 $s8, [%row]
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s1, [$d1]
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, {size}, $d2
    cvt_u64_u32 $d3, $s8
    mul_u64 $d3, $d3, {size}
    {masks}
    {stores}
    ret
}}
"""


def many_masks(type_: str) -> str:
    """A kernel that stores to a row under each of six conditions, all of which it computes first.

    Each row is a run of elements with one between two rows.
    """
    size = int(type_[1:]) // 8
    masks = [f"and_u32 $s2, $s1, {1 << i}\n cmp_eq_u32 $c{i}, $s2, 0" for i in range(6)]
    wide = size == 8
    made = "cvt_u64_u32 $d4, $s1" if wide else "xor_u32 $s3, $s1, {i}"
    register = "$d4" if wide else "$s3"
    stores = [
        f"cbr $c{i}, @over{i}\n {made.format(i=i * 37)}\n st_global_{type_} {register}, [$d2]\n"
        f"@over{i}:\n add_u64 $d2, $d2, $d3"
        for i in range(6)
    ]
    return STORES.format(type=type_, size=size, masks="\n".join(masks), stores="\n".join(stores))


@pytest.mark.parametrize("type_", ["u8", "u16", "u32", "u64"])
@pytest.mark.parametrize("width", [1, 2, 4, 5, 7, 8, 16, 32, 64])
def test_stores_under_many_masks(type_: str, width: int) -> None:
    size, items = int(type_[1:]) // 8, 2 * 64 + 3
    x = np.random.default_rng(width).integers(0, 1 << 32, items, np.uint64).astype(np.uint32)
    y = np.full(6 * (items + 1) + 64, 238, f"u{size}")
    same(many_masks(type_), [x, y, items + 1], items=items, group_size=64, width=width)


PROTECTED = """
import ctypes, mmap, sys
import numpy as np
import simtlab

def fenced(size):
    "Bytes that end at a page which must not be touched; one such page is also before them."
    pages = -(-size // mmap.PAGESIZE) + 2
    room = mmap.mmap(-1, pages * mmap.PAGESIZE)
    memory = np.frombuffer(room, np.uint8)
    for page in (0, pages - 1):
        start = ctypes.c_void_p(memory.ctypes.data + page * mmap.PAGESIZE)
        assert ctypes.CDLL(None).mprotect(start, mmap.PAGESIZE, 0) == 0
    end = (pages - 1) * mmap.PAGESIZE
    return memory[end - size : end]

for text, type_, widths, group, items in eval(sys.stdin.read()):
    size = int(type_[1:]) // 8
    for width in widths:
        n = int(np.prod(items))
        x = np.random.default_rng(width).integers(0, 256, 4 * n, np.uint8)
        outcomes = []
        for engine in ("jit", "interp"):
            source, place = fenced(4 * n), fenced(size * (6 * (n + 1)))
            source[:] = x
            place[:] = 238
            kernel = simtlab.assemble(text)["k"]
            launch = kernel.launch(items=items, group_size=group, warp=width, engine=engine)
            device = simtlab.Device()
            launch(device.map(source.view(np.uint32)), device.map(place.view(f"u{size}")), n + 1)
            outcomes.append(place.copy())
        assert (outcomes[0] == outcomes[1]).all(), (type_, width)
print("all")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="protects pages by mprotect")
def test_nothing_beside_a_buffer_is_touched() -> None:
    """The last row ends where a page begins that faults."""
    widths = tuple(some((4, 7, 8, 16, 64), 2))
    cases = [(many_masks(t), t, widths, 64, 131) for t in ("u8", "u16", "u32")]
    done = subprocess.run(
        [sys.executable, "-c", PROTECTED], input=repr(cases), text=True, capture_output=True
    )
    assert done.stdout == "all\n", done.stderr
