"""Arrays that stay on the device: what goes in, what comes out, what happens after free."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref
from itertools import pairwise

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, Device
from simtlab.emu.engine import engine_names
from simtlab.emu.memory import ALIGNMENT, FIRST_BUFFER, FREED_KEPT, GAP, Memory
from simtlab.emu.result import memory_digest
from simtlab.emu.schemes import SCHEMES

INCREMENT = """\
kernel increment(global f32* %x) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_f32 $s1, [$d1]
    add_f32 $s1, $s1, 1.0
    st_global_f32 $s1, [$d1]
    ret
}
"""
(increment,) = simtlab.assemble(INCREMENT)


def test_an_array_goes_to_the_device_as_a_copy_and_comes_back_as_one() -> None:
    device = Device()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    d = device.to_device(x)
    increment.launch(items=6)(d)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    back = d.to_host()
    assert back.tolist() == [[1, 2, 3], [4, 5, 6]]
    back[:] = 0
    assert np.asarray(d).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert np.asarray(d, dtype=np.int8).dtype == np.int8
    assert float(np.sum(d)) == 21


def test_any_layout_goes_to_the_device_in_rows() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    d = Device().to_device(x.T)
    assert d.shape == (3, 2)
    assert d.buffer.host.view(np.float32).tolist() == [0, 3, 1, 4, 2, 5]
    assert Device().to_device(np.array(3, np.float32)).shape == ()


def test_a_mapped_array_is_changed_in_place() -> None:
    x = np.zeros(4, np.float32)
    d = Device().map(x, "x")
    increment.launch(items=4)(d)
    increment.launch(items=2)(d)
    assert x.tolist() == [2, 2, 1, 1]
    x[0] = 9
    assert d.to_host().tolist() == [9, 2, 1, 1]


def test_only_contiguous_arrays_can_be_mapped() -> None:
    for thing in (np.zeros((3, 3))[:, 0], [1, 2]):
        with pytest.raises(ArgumentError) as caught:
            Device().map(thing)  # pyright: ignore[reportArgumentType]
        assert str(caught.value) == (
            "error[SIM312]: only a C-contiguous NumPy array can be mapped\n"
            " = help: use to_device, which copies"
        )


@pytest.mark.parametrize("shape", [4, (4,), [2, 2], np.int64(4), (np.int32(2), 2), (), 0])
def test_zeros_takes_shapes_as_numpy_does(shape: object) -> None:
    expected = np.zeros(shape, np.int16)  # pyright: ignore[reportArgumentType, reportCallIssue]
    for make in (Device().zeros, Device().empty):
        d = make(shape, np.int16)  # pyright: ignore[reportArgumentType]
        assert (d.shape, d.dtype, d.size) == (expected.shape, np.int16, expected.size)
        assert d.to_host().tolist() == expected.tolist()


@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.array([None]), np.zeros(3, ">f4"), np.zeros(2, "c8")]
)
def test_device_memory_holds_plain_numbers(array: np.ndarray) -> None:
    with pytest.raises(ArgumentError) as caught:
        Device().to_device(array)
    assert str(caught.value) == (
        "error[SIM307]: device memory holds integers and floats of this machine's byte order, "
        f"not {array.dtype}\n = help: convert it, for example: x.astype(np.float32)"
    )


def test_copy_from_replaces_the_content_and_nothing_else() -> None:
    d = Device().zeros((2, 2), np.float32, "grid")
    d.copy_from(np.ones((2, 2), np.float32))
    assert d.to_host().sum() == 4
    for wrong in (np.ones(4, np.float32), np.ones((2, 2))):
        with pytest.raises(ArgumentError, match=r"grid holds float32 \(2, 2\), not float"):
            d.copy_from(wrong)


def test_a_freed_array_says_so() -> None:
    d = Device().zeros(3, np.float32, "old")
    assert repr(d) == "DeviceArray(old, float32, (3,), 0x10000000)"
    d.free()
    d.free()
    assert repr(d) == "DeviceArray(old, float32, (3,), 0x10000000, freed)"
    for use in (d.to_host, lambda: d.copy_from(np.zeros(3, np.float32)), lambda: np.asarray(d)):
        with pytest.raises(ArgumentError) as caught:
            use()
        assert str(caught.value) == (
            "error[SIM310]: old was freed\n = help: allocate it again"
        )  # fmt: skip


def test_free_gives_the_memory_of_the_host_back() -> None:
    device = Device()
    x = np.zeros(4, np.float32)
    gone = weakref.ref(x)
    d = device.map(x)
    increment.launch(items=4)(d)
    increment.launch(items=4)(x)
    del x
    gc.collect()
    assert gone() is not None
    d.free()
    gc.collect()
    assert gone() is None


def test_addresses_depend_on_nothing_but_the_order_of_creation() -> None:
    def addresses() -> list[int]:
        device = Device()
        a = device.zeros(1000, np.uint8)
        b = device.zeros(0, np.uint8)
        b.free()
        c = device.zeros(1, np.float64)
        return [a.address, b.address, c.address]

    first = addresses()
    assert first == addresses()
    assert first[0] == FIRST_BUFFER
    assert all(x % ALIGNMENT == 0 for x in first)
    assert first[1] - (first[0] + 1000) >= GAP
    assert first[2] - first[1] >= GAP


def test_memory_finds_buffers_and_neighbours() -> None:
    memory = Memory()
    assert memory.find(0) is None
    assert memory.nearest(0) is None
    a = memory.add(np.zeros(10, np.uint8), "a")
    b = memory.add(np.zeros(10, np.uint8), "b")
    assert memory.find(a.base) is a
    assert memory.find(a.base + 8, 2) is a
    assert memory.find(a.base + 8, 3) is None
    assert memory.find(a.base - 1) is None
    assert memory.find(b.end) is None
    assert memory.nearest(0) is a
    assert memory.nearest(1 << 63) is b
    assert memory.nearest(a.end + 1) is a
    memory.free(a)
    assert memory.nearest(a.end + 1) is b
    assert memory.find(a.base + 8, 2) is a
    assert (a.size, a.end) == (10, a.base + 10)
    twin = memory.copy()
    assert [(x.base, x.end, x.alive) for x in twin.buffers] == [
        (x.base, x.end, x.alive) for x in memory.buffers
    ]
    twin.buffers[1].host[0] = 7
    assert not b.host.any()


def test_freed_buffers_do_not_pile_up() -> None:
    device = Device()
    kept = device.to_device(np.arange(4, dtype=np.float32))
    addresses = []
    for _ in range(3 * FREED_KEPT):
        buffer = device.zeros(4, np.float32)
        addresses.append(buffer.address)
        buffer.free()
        buffer.free()
    memory = device.memory
    assert len(memory.buffers) <= 1 + 2 * FREED_KEPT
    assert [b.base for b in memory.buffers] == sorted({b.base for b in memory.buffers})
    # The last ones are known to be freed, the first ones are just not there; what lives, lives.
    recent = [memory.find(a) for a in addresses[-FREED_KEPT:]]
    assert all(b is not None and not b.alive for b in recent)
    assert memory.find(addresses[0]) is None
    assert memory.find(kept.address) is kept.buffer
    assert len({device.zeros(1, np.uint8).buffer.name for _ in range(3)}) == 3
    # Names and addresses go on where they were.
    assert memory.buffers[-1].base > addresses[-1]
    assert memory.buffers[-1].name == f"buffer{3 * FREED_KEPT + 3}"


def test_the_digest_of_memory_is_that_of_its_content() -> None:
    def digest(engine: str, scheme: str) -> str:
        device = Device()
        d = device.to_device(np.arange(50, dtype=np.float32))
        device.zeros(7, np.uint8).free()
        increment.launch(items=50, group_size=16, engine=engine, scheme=scheme)(d)
        return memory_digest(device.memory)

    expected = Device()
    expected.map(np.arange(1, 51, dtype=np.float32))
    for engine in engine_names():
        for scheme in SCHEMES if engine == "interp" else ["stack"]:
            assert digest(engine, scheme) == memory_digest(expected.memory)
    expected.zeros(1, np.uint8)
    assert digest("interp", "stack") != memory_digest(expected.memory)
    assert memory_digest(Memory()) == "00000000"


def test_arrays_begin_at_lines_of_the_cache_and_large_ones_apart_in_their_pages() -> None:
    device = Device()
    large = np.zeros(1 << 12, np.float64)
    arrays = [
        *(device.empty(n, np.float64) for n in (0, 1, 7, 1 << 12)),
        *(device.zeros((n, 3), np.uint8) for n in (1, 5, 1 << 14)),
        *(device.to_device(a) for a in (large, large[::2], large[1:].reshape(-1, 5), large[:1])),
    ]
    starts = [array.buffer.host.ctypes.data for array in arrays if array.size]
    assert [start % 64 for start in starts] == [0] * len(starts)
    pages = [device.zeros(1 << 12, np.uint8).buffer.host.ctypes.data % 4096 for _ in range(8)]
    assert len(set(pages)) > 4


def test_large_arrays_begin_in_different_ones_of_the_first_pages_of_a_large_one() -> None:
    device = Device()
    sizes = (1 << 21, (1 << 22) + 5, 5 << 21)
    arrays = [device.zeros(n, np.uint8) for n in sizes]
    arrays += [device.to_device(np.ones(n, np.uint8)) for n in sizes]
    starts = [array.buffer.host.ctypes.data for array in arrays]
    assert all(start % (1 << 21) < 8 * 4096 and start % 64 == 0 for start in starts)
    assert len({start % 4096 for start in starts}) > 3
    assert len({start % (1 << 21) >> 12 for start in starts}) == len(starts)
    assert [array.to_host().sum() for array in arrays] == [0, 0, 0, *sizes]


def test_smaller_arrays_share_large_pages_and_no_bytes() -> None:
    device = Device()
    sizes = (1 << 18, (1 << 18) + 7, 3 << 19, (1 << 21) - 1) * 5
    arrays = [device.zeros(n, np.uint8) for n in sizes]
    for number, array in enumerate(arrays):
        assert not array.to_host().any()
        array.copy_from(np.full(array.size, number, np.uint8))
    assert [set(array.to_host().tolist()) for array in arrays] == [{n} for n in range(len(sizes))]
    pieces = sorted((a.buffer.host.ctypes.data, a.size) for a in arrays)
    assert all(start % 64 == 0 for start, _ in pieces)
    assert all(start + size <= after for (start, size), (after, _) in pairwise(pieces))
    assert len({start >> 21 for start, _ in pieces}) < len(pieces)


def test_memory_that_was_freed_is_not_given_out_again() -> None:
    device = Device()
    for _ in range(200):
        array = device.zeros(1 << 18, np.uint8)
        assert not array.to_host().any()
        array.copy_from(np.ones(1 << 18, np.uint8))
        array.free()


def test_a_copy_of_an_array_has_memory_of_its_own() -> None:
    array = Device().to_device(np.arange(4))
    assert array.to_host()[3] == 3
    for twin in (copy.deepcopy(array), pickle.loads(pickle.dumps(array))):
        array.copy_from(np.zeros(4, np.int64))
        np.testing.assert_array_equal(twin.to_host(), np.arange(4))
        twin.copy_from(np.arange(4) + 1)
        twin.buffer.host.view(np.int64)[0] = 7
        np.testing.assert_array_equal(twin.to_host(), [7, 2, 3, 4])
        array.copy_from(np.arange(4))


def test_a_freed_array_has_no_content_and_keeps_no_memory() -> None:
    device = Device()
    for by_device in (True, False):
        host = np.arange(4)
        array = device.map(host)
        array.to_host()
        references = sys.getrefcount(host)
        if by_device:
            device.memory.free(array.buffer)
        else:
            array.free()
            assert sys.getrefcount(host) < references
        for use in (array.to_host, lambda: array.copy_from(host)):  # noqa: B023
            with pytest.raises(ArgumentError, match="freed"):
                use()


def test_arrays_with_a_mask_are_refused() -> None:
    device = Device()
    plain = np.arange(8, dtype=np.float32)
    masked = np.ma.masked_array(plain, mask=plain > 3)
    there = device.zeros(8, np.float32)
    for take in (device.to_device, device.map, there.copy_from, increment[1, 8]):
        with pytest.raises(ArgumentError, match="masked array") as caught:
            take(masked)
        assert "x.filled(value)" in str(caught.value)
    increment[1, 8](masked.data)
    assert plain.tolist() == list(range(1, 9))
