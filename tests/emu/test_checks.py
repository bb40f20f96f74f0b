"""Checks that a launch may ask for: accesses beyond the array they name, elements never written."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab import Trap, TrapKind
from simtlab.emu.checks import Checks, Coverage
from simtlab.emu.engine import SchemeSpec
from simtlab.emu.interp.access_log import AccessLog
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.objectfile import dumps, loads

FRAME = """\
.readonly u32 first[2] = {{ 1, 2 }}
.readonly u32 second[2] = {{ 3, 4 }}
kernel k(global u32* %y) {{
    .group u8 bytes[4]
    .group u32 tile[8]
    .group u32 other[8]
    .private u32 three[3]
    .private u32 pad[1]
    .private u32 near[2]
    .private u32 far[2]
    workitemid_u32 $s0, 0
    mul_u32 $s1, $s0, 4
    cmp_eq_u32 $c0, $s0, 5
    cbr $c0, @five
    nop
@five:
    {}
    ret
}}
"""

INSIDE = (
    "st_group_u32 $s0, [tile+$s1]",
    "st_group_u32 $s0, [tile+28]",
    "sub_u32 $s1, 28, $s1\n st_group_u32 $s0, [tile+$s1]",
    "add_u32 $s1, $s1, 4\n ld_group_u32 $s2, [other+$s1-4]",
    "add_u32 $s1, $s1, 36\n ld_group_u32 $s2, [$s1]",
    "lda_group_u32 $s2, [tile+32]",
    "ld_group_u8 $s2, [bytes+3]",
    "ld_private_u32 $s2, [far+4]",
)

OUTSIDE = (
    ("st_group_u32 $s0, [tile+$s1+4]", 7, "tile[8]", "it reaches other[8]"),
    ("ld_group_u32 $s2, [other+$s1-4]", 0, "other[8]", "it reaches tile[8]"),
    ("atomic_add_group_u32 [tile+$s1+12], $s0", 5, "tile[8]", "it reaches other[8]"),
    (
        "and_u32 $s1, $s1, 4\n add_u32 $s1, $s1, $s1\n ld_private_u64 $d0, [three+$s1]",
        1,
        "three[3]",
        "runs over the end",
    ),
    ("and_u32 $s1, $s1, 12\n st_private_u32 $s0, [near+$s1]", 2, "near[2]", "it reaches far[2]"),
    ("and_u32 $s1, $s1, 4\n ld_readonly_u32 $s2, [first+$s1+4]", 1, "first[2]", "second[2]"),
)


def launched(body: str, checks: Checks, scheme: str = "stack", items: int = 8) -> np.ndarray:
    y = np.zeros(items, np.uint32)
    kernel = simtlab.assemble(FRAME.format(body)).k
    launch = kernel.launch(items=items, group_size=items, engine="interp", scheme=scheme, warp=4)
    launch.run_by(checks.executor, y)
    return y


@pytest.mark.parametrize("body", INSIDE)
def test_an_access_inside_of_its_array_is_no_trap(body):
    launched(body, Checks(arrays=True))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("body", "item", "array", "reached"), OUTSIDE)
def test_an_access_beyond_its_array_names_the_array(body, item, array, reached, scheme):
    with pytest.raises(Trap) as caught:
        launched(body, Checks(arrays=True), scheme)
    assert caught.value.record.kind is TrapKind.OUT_OF_ARRAY
    assert caught.value.workitem[0] == item
    assert f"outside of {array}, the array that the address names" in caught.value.first.message
    assert reached in caught.value.first.message
    launched(body, Checks())  # plain semantics: memory of the segment like any other


def test_names_survive_markers_that_are_put_in_later():
    program = simtlab.assemble(FRAME.format("st_group_u32 $s0, [tile+$s1+4]"))
    marked = program.for_scheme(SchemeSpec("ppc-explicit")).kernel("k")
    assert marked != program.program.kernel("k")
    assert [i.address.array for i in marked.instructions if i.address] == ["tile"]


def test_names_of_arrays_change_no_equality_and_are_not_encoded():
    program = simtlab.assemble(FRAME.format("st_group_u32 $s0, [tile+$s1+4]")).program
    loaded = loads(dumps(program))
    assert loaded.kernels[0].instructions == program.kernels[0].instructions
    assert {i.address.array for i in loaded.kernels[0].instructions if i.address} == {""}


STORES = """\
kernel k(global u32* %y, u32 %n) {{
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d1, $s0
    ld_kernarg_u64 $d0, [%y]
    mad_u64 $d0, $d1, {scale}, $d0
    {store}
@done:
    ret
}}
"""


def unwritten(store: str, n: int, *, scale: int = 4, itemsize: int = 4) -> list[int]:
    """The elements of 40 bytes that n work-items leave alone."""
    device, coverage = simtlab.Device(), Coverage()
    mapped = device.zeros(10, np.uint32)
    kernel = simtlab.assemble(STORES.format(store=store, scale=scale)).k
    launch = kernel.launch(items=16, group_size=8, engine="interp", warp=4)
    launch.run_by(Checks(coverage=coverage).executor, mapped, n)
    return coverage.unwritten(mapped.buffer, itemsize).tolist()


def test_what_no_work_item_has_stored_to_is_unwritten():
    assert unwritten("st_global_u32 $s0, [$d0]", 8) == [8, 9]
    assert unwritten("st_global_u32 $s0, [$d0]", 10) == []
    assert unwritten("st_global_u32 $s0, [$d0]", 0) == list(range(10))


def test_a_store_of_the_value_that_was_there_is_a_store():
    assert unwritten("mov_u32 $s2, 0\n st_global_u32 $s2, [$d0]", 3) == list(range(3, 10))


def test_loads_write_nothing_and_atomics_do():
    assert unwritten("ld_global_u32 $s2, [$d0]", 10) == list(range(10))
    assert unwritten("atomic_add_global_u32 [$d0], $s1", 4) == list(range(4, 10))


def test_an_element_counts_as_written_with_its_first_byte():
    assert unwritten("st_global_u8 $s0, [$d0+3]", 2) == list(range(2, 10))
    assert unwritten("st_global_u32 $s0, [$d0]", 3, scale=8) == [1, 3, 5, 6, 7, 8, 9]
    assert unwritten("st_global_u32 $s0, [$d0]", 3, itemsize=8) == [2, 3, 4]


def test_coverage_adds_up_over_launches():
    coverage, device = Coverage(), simtlab.Device()
    y = device.zeros(10, np.uint32)
    kernel = simtlab.assemble(STORES.format(store="st_global_u32 $s0, [$d0]", scale=8)).k
    launch = kernel.launch(items=5, group_size=8, engine="interp")
    launch.run_by(Checks(coverage=coverage).executor, y, 5)
    assert coverage.unwritten(y.buffer, 4).tolist() == [1, 3, 5, 7, 9]
    odd = STORES.format(store="st_global_u32 $s0, [$d0+4]", scale=8)
    again = simtlab.assemble(odd).k.launch(items=5, group_size=8, engine="interp")
    again.run_by(Checks(coverage=coverage).executor, y, 5)
    assert coverage.unwritten(y.buffer, 4).size == 0


def test_the_log_has_the_lanes_and_addresses_of_every_access():
    log = AccessLog()
    launched("st_group_u32 $s0, [tile+$s1+4]", Checks(observer=log), items=6)
    store = [a for a in log.accesses if a.instruction.row.stem == "st"]
    # Warps of 4, workgroups of 6: the second warp has two lanes.
    assert sorted(local for a in store for local in a.locals.tolist()) == [*range(6)] * (
        len({id(a.instruction) for a in store})
    )
    assert all((a.groups == 0).all() and a.addresses.size == a.locals.size for a in store)


def test_the_log_keeps_no_more_than_it_may():
    log = AccessLog(most=1)
    launched("st_group_u32 $s0, [tile+$s1+4]", Checks(observer=log))
    assert len(log.accesses) == 1
