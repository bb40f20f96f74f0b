"""Stores under a random condition in loops of one lane: no branch decides about them."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ...support.agreement import same

ITEMS = 64
PLACES = 100

KERNEL = """
kernel k(global u32* %row, global u32* %col, global u32* %x, global TYPE* %y, global u32* %out) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%row]
    ld_kernarg_u64 $d2, [%col]
    ld_kernarg_u64 $d3, [%x]
    ld_kernarg_u64 $d4, [%y]
    mov_u32 $s9, 7
    mov_u32 $s10, 0
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s1, [$d1]
    ld_global_u32 $s2, [$d1+4]
    cmp_ge_u32 $c0, $s1, $s2
    cbr $c0, @end
@edge:
    cvt_u64_u32 $d5, $s1
    mad_u64 $d5, $d5, 4, $d2
    ld_global_u32 $s3, [$d5]
    cvt_u64_u32 $d6, $s3
    mad_u64 $d5, $d6, 4, $d3
    ld_global_u32 $s4, [$d5]
    cvt_u64_u32 $d7, $s4
    BODY
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, $s2
    cbr $c0, @edge
@end:
    ld_kernarg_u64 $d5, [%out]
    mad_u64 $d5, $d0, 4, $d5
    mad_u32 $s10, $s10, 1000, $s9
    st_global_u32 $s10, [$d5]
    ret
    SIDE
}"""

STORE = "mad_u64 $d6, $d6, SIZE, $d4\n st_global_TYPE REGISTER, [$d6]"

BODIES = {
    "a store": f"cmp_ge_u32 $c1, $s4, 50\n cbr $c1, @next\n {STORE}\n@next:",
    "what is counted": f"""cmp_ge_u32 $c1, $s4, 50
        cbr $c1, @next
        {STORE}
        add_u32 $s10, $s10, 1
        xor_u32 $s9, $s9, $s3
    @next:
        add_u32 $s9, $s9, 3""",
    "the way back": """cmp_lt_u32 $c1, $s4, 50
        cbr $c1, @side
    @next:""",
    "one side of two": f"""cmp_ge_u32 $c1, $s4, 50
        cbr $c1, @other
        {STORE}
        br @next
    @other:
        add_u32 $s10, $s10, 1
    @next:""",
    "an update": """cmp_ge_u32 $c1, $s4, 50
        cbr $c1, @next
        add_u32 $s4, $s4, 60
        st_global_u32 $s4, [$d5]
    @next:""",
}
SIDES = {"the way back": f"@side:\n {STORE}\n add_u32 $s10, $s10, $s4\n br @next"}
"""What is after the end of the kernel."""

WITHOUT_BRANCH = {"a store", "what is counted", "the way back", "an update"}
TYPES = {"u32": np.uint32, "u8": np.uint8, "u64": np.uint64}


def text_of(body: str, type_: str) -> str:
    register = "$d7" if type_ == "u64" else "$s4"
    text = KERNEL.replace("BODY", BODIES[body]).replace("SIDE", SIDES.get(body, ""))
    text = text.replace("REGISTER", register)
    return text.replace("TYPE", type_).replace("SIZE", str(TYPES[type_]().itemsize))


def arrays_of(type_: str, places: int = PLACES) -> list[np.ndarray]:
    """Return rows of some lengths, whose work-items have places of their own."""
    rng = np.random.default_rng(4)
    col = np.arange(PLACES, dtype=np.uint32)
    row = np.sort(rng.integers(0, PLACES, ITEMS + 1)).astype(np.uint32)
    row[0], row[-1] = 0, PLACES
    x = rng.integers(0, 100, PLACES, np.uint32)
    return [row, col, x, np.zeros(places, TYPES[type_]), np.zeros(ITEMS, np.uint32)]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("body", BODIES)
def test_stores_are_made_where_the_condition_holds(body: str, type_: str) -> None:
    same(text_of(body, type_), arrays_of(type_), items=ITEMS, group_size=32)


@pytest.mark.parametrize("body", ["a store", "what is counted", "the way back"])
def test_a_place_outside_traps_only_where_the_store_is_made(body: str) -> None:
    arrays = arrays_of("u32", places=PLACES - 2)
    x = arrays[2]
    x[PLACES - 2 :] = 77
    same(text_of(body, "u32"), arrays, items=ITEMS, group_size=32)
    x[PLACES - 1] = 3
    with pytest.raises(Trap) as caught:
        execute(make(text_of(body, "u32"), arrays, items=ITEMS, group_size=32))
    assert caught.value.record.kind is TrapKind.OUT_OF_BOUNDS


def test_a_read_only_buffer_traps_only_where_the_store_is_made() -> None:
    arrays = arrays_of("u32")
    arrays[2][:] = 88
    arrays[3].flags.writeable = False
    same(text_of("a store", "u32"), arrays, items=ITEMS, group_size=32)
    arrays[2][40] = 2
    with pytest.raises(Trap) as caught:
        execute(make(text_of("a store", "u32"), arrays, items=ITEMS, group_size=32))
    assert caught.value.record.kind is TrapKind.READ_ONLY


@pytest.mark.parametrize("body", BODIES)
def test_which_sides_have_no_branch(body: str) -> None:
    work = make(text_of(body, "u32"), arrays_of("u32"), items=ITEMS, group_size=32)
    generated = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert ("!unpredictable" in generated) == (body in WITHOUT_BRANCH)
