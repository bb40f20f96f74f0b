"""What may be passed to a kernel, how it comes back, and what is said about what may not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, Device, Trap, TrapKind
from simtlab.emu.engine import engine_names

each_engine = pytest.mark.parametrize("engine", engine_names())

ADD_ONE = """\
kernel add_one(global u32* %x, global u32* %y) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    ld_global_u32 $s1, [$d2]
    add_u32 $s1, $s1, 1
    st_global_u32 $s1, [$d1]
    ret
}
"""
"""x[i] = y[i] + 1, in bytes that lie one after the other."""

(add_one,) = simtlab.assemble(ADD_ONE)


def u32(*values: int) -> np.ndarray:
    return np.array(values, np.uint32)


def run(x: Any, y: Any, *, items: int = 4, engine: str = "interp") -> None:
    add_one.launch(items=items, engine=engine)(x, y)


# --- arrays


@each_engine
def test_arrays_are_changed_in_place(engine: str) -> None:
    x, y = u32(0, 0, 0, 0), u32(4, 5, 6, 7)
    alias = x
    run(x, y, engine=engine)
    assert alias.tolist() == [5, 6, 7, 8]
    assert y.tolist() == [4, 5, 6, 7]


@each_engine
@pytest.mark.parametrize("shape", [(2, 2), (4, 1), (1, 4), (1, 2, 2)])
def test_arrays_of_any_shape_are_taken_as_their_bytes(shape: tuple[int, ...], engine: str) -> None:
    x = np.zeros(shape, np.uint32)
    run(x, np.arange(4, dtype=np.uint32).reshape(shape), engine=engine)
    assert x.ravel().tolist() == [1, 2, 3, 4]


@each_engine
def test_an_array_without_dimensions_is_one_element(engine: str) -> None:
    x = np.zeros((), np.uint32)
    run(x, np.array(41, np.uint32), items=1, engine=engine)
    assert x == 42


@each_engine
def test_results_come_back_into_arrays_that_are_not_contiguous(engine: str) -> None:
    whole = np.zeros((4, 3), np.uint32)
    run(whole[:, 1], u32(4, 5, 6, 7), engine=engine)
    assert whole[:, 1].tolist() == [5, 6, 7, 8]
    assert not whole[:, [0, 2]].any()
    across = np.zeros((2, 2), np.uint32)
    run(across.T, u32(4, 5, 6, 7), engine=engine)
    assert across.T.ravel().tolist() == [5, 6, 7, 8]
    backwards = u32(0, 0, 0, 0)
    run(backwards[::-1], u32(4, 5, 6, 7), engine=engine)
    assert backwards.tolist() == [8, 7, 6, 5]


@each_engine
def test_the_same_array_twice_is_one_buffer(engine: str) -> None:
    x = u32(4, 5, 6, 7)
    run(x, x, engine=engine)
    assert x.tolist() == [5, 6, 7, 8]
    wide = np.arange(8, dtype=np.uint32)
    run(wide[::2], wide[::2], engine=engine)
    assert wide.tolist() == [1, 1, 3, 3, 5, 5, 7, 7]


@each_engine
def test_a_store_through_one_slice_is_seen_through_an_overlapping_one(engine: str) -> None:
    base = u32(100, 0, 0, 0, 0)
    # x[i] is y[i + 1]: each work-item hands its value to the next, in order.
    add_one.launch(items=4, warp=1, group_size=1, engine=engine)(base[1:], base[:-1])
    assert base[1] == 101
    text = ADD_ONE.replace("ld_global_u32 $s1, [$d2]", "st_global_u32 $s0, [$d1]\n ld_global_u32 $s1, [$d2+4]")  # noqa: E501  # fmt: skip
    (through,) = simtlab.assemble(text)
    base = np.full(6, 9, np.uint32)
    through.launch(items=1, engine=engine)(base[2:], base[1:3])
    assert base.tolist() == [9, 9, 1, 9, 9, 9]


@each_engine
def test_overlaps_may_form_a_chain(engine: str) -> None:
    base = np.arange(20, dtype=np.uint32)
    text = """
        kernel k(global u32* %a, global u32* %b, global u32* %c, global u64* %far) {
            ld_kernarg_u64 $d0, [%a]
            ld_kernarg_u64 $d1, [%b]
            ld_kernarg_u64 $d2, [%c]
            ld_kernarg_u64 $d3, [%far]
            sub_u64 $d1, $d1, $d0
            st_global_u64 $d1, [$d3]
            sub_u64 $d2, $d2, $d0
            st_global_u64 $d2, [$d3+8]
            ret
        }
    """
    (k,) = simtlab.assemble(text)
    far = np.zeros(2, np.int64)
    k.launch(items=1, engine=engine)(base[8:15], base[14:20], base[5:9], far.view(np.uint64))
    assert far.tolist() == [6 * 4, -3 * 4]


def test_a_strided_array_that_overlaps_another_is_refused() -> None:
    x = np.arange(8, dtype=np.uint32)
    with pytest.raises(ArgumentError) as caught:
        run(x, x[::2])
    assert str(caught.value) == (
        "error[SIM307]: kernel add_one, argument 2 (global u32* %y) is not contiguous and overlaps "
        "argument 1\n = help: pass a copy of one of them, for example: x.copy()"
    )
    with pytest.raises(ArgumentError, match=r"argument 1 .* overlaps argument 2"):
        run(x[::2], x[::3])
    assert x.tolist() == list(range(8))


@each_engine
def test_strided_arrays_that_interleave_do_not_overlap(engine: str) -> None:
    x = np.arange(8, dtype=np.uint32)
    run(x[::2], x[1::2], engine=engine)
    assert x.tolist() == [2, 1, 4, 3, 6, 5, 8, 7]


@each_engine
def test_read_only_arrays_may_overlap_in_any_way(engine: str) -> None:
    text = """
        kernel k(global u32* %x, global u32* %y, global u32* %out) {
            ld_kernarg_u64 $d0, [%x]
            ld_kernarg_u64 $d1, [%y]
            ld_kernarg_u64 $d2, [%out]
            ld_global_u32 $s0, [$d0+4]
            ld_global_u32 $s1, [$d1+4]
            mad_u32 $s0, $s0, 100, $s1
            st_global_u32 $s0, [$d2]
            ret
        }
    """
    (k,) = simtlab.assemble(text)
    x, out = np.arange(8, dtype=np.uint32), u32(0)
    x.flags.writeable = False
    k.launch(items=1, engine=engine)(x, x[::3], out)
    assert out.tolist() == [103]


@each_engine
@pytest.mark.parametrize("step", [1, 2])
def test_a_read_only_array_can_be_read_and_not_written(step: int, engine: str) -> None:
    frozen = np.arange(4 * step, dtype=np.uint32)[::step]
    frozen.flags.writeable = False
    x = u32(0, 0, 0, 0)
    run(x, frozen, engine=engine)
    assert x.tolist() == (frozen + 1).tolist()
    with pytest.raises(Trap, match=r"store to .*: inside buffer x, which is read-only") as caught:
        run(frozen, x, engine=engine)
    assert caught.value.record.kind is TrapKind.READ_ONLY
    assert frozen.tolist() == list(range(0, 4 * step, step))


@each_engine
def test_an_empty_array_may_be_passed_and_owns_no_byte(engine: str) -> None:
    (k,) = simtlab.assemble("kernel k(global u32* %x, global u32* %y) {\n ret\n}")
    empty = np.zeros((0, 3), np.uint32)
    k.launch(items=1, engine=engine)(empty, empty)
    x = u32(1, 2, 3, 4)
    # A slice without elements has nothing of the array that it was cut from.
    with pytest.raises(Trap, match="0 bytes after the end of buffer y"):
        run(x, x[2:2], engine=engine)


class Stubborn(np.ndarray):
    """An array that never loses a dimension, as numpy.matrix."""

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return self


@each_engine
def test_subclasses_of_arrays_are_taken_as_their_elements(engine: str) -> None:
    x = np.zeros((2, 2), np.uint32).view(Stubborn)
    run(x, u32(4, 5, 6, 7), engine=engine)
    assert x.tolist() == [[5, 6], [7, 8]]


@each_engine
def test_memory_that_is_not_aligned_on_the_host_is_no_problem(engine: str) -> None:
    raw = np.zeros(17, np.uint8)
    x = raw[1:].view(np.uint32)
    run(x, u32(4, 5, 6, 7), engine=engine)
    assert x.tolist() == [5, 6, 7, 8]
    assert raw[0] == 0


@each_engine
def test_arrays_and_device_arrays_may_be_mixed(engine: str) -> None:
    device = Device()
    y = device.to_device(u32(4, 5, 6, 7))
    x = u32(0, 0, 0, 0)
    run(x, y, engine=engine)
    assert x.tolist() == [5, 6, 7, 8]
    run(y, x, engine=engine)
    assert y.to_host().tolist() == [6, 7, 8, 9]
    # What was mapped for one launch does not stay, and is not kept alive.
    assert [b.alive for b in device.memory.buffers] == [True, False, False]
    assert all(b.host.size == 0 for b in device.memory.buffers[1:])


def test_mistakes_leave_nothing_mapped() -> None:
    device = Device()
    x = device.zeros(4, np.uint32)
    with pytest.raises(ArgumentError):
        run(x, np.zeros(4, np.float32))
    assert len(device.memory.buffers) == 1


# --- scalars

SCALARS = """
kernel scalars(u8 %a, s8 %b, u16 %c, s16 %d, u32 %e, s32 %f, u64 %g, s64 %h, f32 %i, f64 %j,
               global u64* %out) {
    ld_kernarg_u64 $d1, [%out]
    ld_kernarg_u8 $s0, [%a]
    ld_kernarg_s8 $s1, [%b]
    ld_kernarg_u16 $s2, [%c]
    ld_kernarg_s16 $s3, [%d]
    ld_kernarg_u32 $s4, [%e]
    ld_kernarg_s32 $s5, [%f]
    ld_kernarg_u64 $d2, [%g]
    ld_kernarg_s64 $d3, [%h]
    ld_kernarg_f32 $s6, [%i]
    ld_kernarg_f64 $d4, [%j]
    st_global_u32 $s0, [$d1]
    st_global_u32 $s1, [$d1+8]
    st_global_u32 $s2, [$d1+16]
    st_global_u32 $s3, [$d1+24]
    st_global_u32 $s4, [$d1+32]
    st_global_u32 $s5, [$d1+40]
    st_global_u64 $d2, [$d1+48]
    st_global_u64 $d3, [$d1+56]
    st_global_u32 $s6, [$d1+64]
    st_global_u64 $d4, [$d1+72]
    ret
}
"""
(scalars,) = simtlab.assemble(SCALARS)


def passed(*values: Any, engine: str = "interp") -> list[int]:
    out = np.zeros(10, np.uint64)
    scalars.launch(items=1, engine=engine)(*values, out)
    return out.tolist()


@each_engine
def test_arguments_lie_in_declared_order_whatever_their_sizes(engine: str) -> None:
    assert passed(255, -128, 65535, -32768, 2**32 - 1, -(2**31), 2**64 - 1, -(2**63), 1.5, -0.0,
                  engine=engine) == [
        255, 0xFFFFFF80, 65535, 0xFFFF8000, 2**32 - 1, 2**31, 2**64 - 1, 2**63, 0x3FC00000, 2**63,
    ]  # fmt: skip


def test_numpy_scalars_are_numbers_too() -> None:
    assert passed(
        np.uint8(1), np.int64(-1), np.array(3), np.int8(-4), np.uint64(5), np.int16(-6), np.int8(7),
        np.uint8(8), np.float64(0.1), np.float32(0.5),
    ) == [
        1, 2**32 - 1, 3, 2**32 - 4, 5, 2**32 - 6, 7, 8, 0x3DCCCCCD, 0x3FE0000000000000,
    ]  # fmt: skip
    assert passed(0, 0, 0, 0, 0, 0, 0, 0, np.int32(2), 3)[8:] == [0x40000000, 0x4008000000000000]


def test_infinities_and_nan_pass() -> None:
    inf = float("inf")
    assert passed(0, 0, 0, 0, 0, 0, 0, 0, inf, -inf)[8:] == [0x7F800000, 0xFFF << 52]
    assert passed(0, 0, 0, 0, 0, 0, 0, 0, float("nan"), 0)[8] == 0x7FC00000


SIGNATURE = (
    "kernel scalars(u8 %a, s8 %b, u16 %c, s16 %d, u32 %e, s32 %f, u64 %g, s64 %h, f32 %i, f64 %j, "
    "global u64* %out)"
)

BAD_SCALARS: list[tuple[int, Any, str]] = [
    (0, 256, "1 (u8 %a) needs a whole number from 0 to 255; it got 256 (int)"),
    (0, -1, "1 (u8 %a) needs a whole number from 0 to 255; it got -1 (int)"),
    (1, 128, "2 (s8 %b) needs a whole number from -128 to 127; it got 128 (int)"),
    (
        8,
        1e300,
        "9 (f32 %i) needs a number from -3.4028234663852886e+38 to 3.4028234663852886e+38, or inf; "
        "it got 1e+300 (float)",
    ),
    (4, 2**32, "5 (u32 %e) needs a whole number from 0 to 4294967295; it got 4294967296 (int)"),
    (5, np.uint32(2**31), "6 (s32 %f) needs a whole number from -2147483648 to 2147483647; "
     "it got np.uint32(2147483648) (uint32)"),
    (4, 1.0, "5 (u32 %e) needs a whole number for u32; it got 1.0 (float)"),
    (4, True, "5 (u32 %e) needs a whole number for u32; it got True (bool)"),
    (4, np.bool_(True), "5 (u32 %e) needs a whole number for u32; it got np.True_ (bool)"),
    (4, "7", "5 (u32 %e) needs a whole number for u32; it got '7' (str)"),
    (4, None, "5 (u32 %e) needs a whole number for u32; it got None (NoneType)"),
    (4, u32(7),
     "5 (u32 %e) needs a whole number for u32; it got an array of uint32 with shape (1,)"),
    (8, False, "9 (f32 %i) needs a number for f32; it got False (bool)"),
    (8, "1", "9 (f32 %i) needs a number for f32; it got '1' (str)"),
    (8, 1j, "9 (f32 %i) needs a number for f32; it got 1j (complex)"),
]  # fmt: skip


@pytest.mark.parametrize(("position", "value", "message"), BAD_SCALARS)
def test_a_scalar_that_does_not_fit_is_refused(position: int, value: Any, message: str) -> None:
    values: list[Any] = [0] * 10
    values[position] = value
    with pytest.raises(ArgumentError) as caught:
        passed(*values)
    assert str(caught.value) == (
        f"error[SIM307]: kernel scalars, argument {message}\n = help: the signature: {SIGNATURE}"
    )


def test_a_whole_number_beyond_every_float_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"argument 10 \(f64 %j\) needs a number from -1\.797"):
        passed(*[0] * 9, 10**400)


# --- arrays that do not fit


@pytest.mark.parametrize(
    ("value", "got", "hint"),
    [
        (np.zeros(4), "an array of float64 with shape (4,)", "pass it as x.astype(np.uint32)"),
        (np.zeros((2, 2), np.int32), "an array of int32 with shape (2, 2)",
         "pass it as x.view(np.uint32)"),
        (np.zeros(4, np.float32), "an array of float32 with shape (4,)",
         "pass it as x.astype(np.uint32)"),
        (np.zeros(4, ">u4"), "an array of >u4 with shape (4,)", "pass it as x.astype(np.uint32)"),
        (np.zeros(4, ">i4"), "an array of >i4 with shape (4,)", "pass it as x.astype(np.uint32)"),
        (np.zeros(4, bool), "an array of bool with shape (4,)", "pass it as x.astype(np.uint32)"),
        (np.zeros(4, object), "an array of object with shape (4,)",
         "pass it as x.astype(np.uint32)"),
    ],
)  # fmt: skip
def test_an_array_of_another_type_is_refused_with_the_way_out(
    value: np.ndarray, got: str, hint: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        run(value, u32(0))
    assert str(caught.value) == (
        "error[SIM307]: kernel add_one, argument 1 (global u32* %x) needs an array of uint32; "
        f"it got {got}\n = help: {hint}"
    )


def test_a_device_array_of_another_type_is_refused_too() -> None:
    with pytest.raises(ArgumentError, match=r"it got a DeviceArray of float32 with shape \(3,\)"):
        run(Device().zeros(3, np.float32), u32(0))


@pytest.mark.parametrize("value", [[1, 2, 3], 7, None, "x"])
def test_what_is_no_array_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        run(u32(0), value)
    assert str(caught.value) == (
        "error[SIM307]: kernel add_one, argument 2 (global u32* %y) needs a NumPy array of uint32 "
        f"or a DeviceArray; it got {value!r} ({type(value).__name__})\n"
        " = help: the signature: kernel add_one(global u32* %x, global u32* %y)"
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_number_of_arguments_must_be_right(count: int) -> None:
    with pytest.raises(ArgumentError) as caught:
        add_one.launch(items=1)(*[u32(0)] * count)
    assert str(caught.value) == (
        f"error[SIM305]: kernel add_one needs 2 arguments; it got {count}\n"
        " = help: its signature: kernel add_one(global u32* %x, global u32* %y)"
    )


def test_arguments_of_two_devices_are_refused() -> None:
    with pytest.raises(ArgumentError) as caught:
        run(Device().zeros(4, np.uint32), Device().zeros(4, np.uint32))
    assert str(caught.value) == (
        "error[SIM306]: kernel add_one: the arguments live on 2 devices\n"
        " = help: allocate them on one Device"
    )


@each_engine
def test_a_kernel_without_parameters_takes_none(engine: str) -> None:
    (k,) = simtlab.assemble("kernel k() {\n ret\n}")
    assert k.launch(items=5, engine=engine)().kernel == "k"
    with pytest.raises(ArgumentError, match="kernel k needs 0 arguments; it got 1"):
        k.launch(items=5, engine=engine)(1)
