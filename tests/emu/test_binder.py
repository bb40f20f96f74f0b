"""The quick way to an argument block against the thorough one, which says what is wrong."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simtlab
from simtlab import ArgumentError, Device
from simtlab.emu.arguments import Binder, bind
from simtlab.isa.program import Param

(FUNCTION,) = simtlab.assemble("""
kernel k(u8 %a, global u32* %x, s8 %b, u16 %c, s16 %d, u32 %e, s32 %f, f32 %i, u64 %g, s64 %h,
         f64 %j, global f64* %y, u8 %z) {
    ret
}
""")
KERNEL = FUNCTION.kernel
BINDER = Binder(KERNEL)
DEVICE, OTHER = Device(), Device()
X, Y = DEVICE.zeros(5, np.uint32), DEVICE.zeros((2, 3), np.float64)

INTEGERS = st.one_of(
    st.sampled_from([0, 1, -1, *(s * (2**b + d) for b in (7, 8, 15, 16, 31, 32, 63, 64)
                                 for d in (-1, 0) for s in (1, -1))]),
    st.integers(-300, 300),
)  # fmt: skip
FLOATS = st.one_of(st.floats(), st.floats(width=32), st.sampled_from([1e300, 3.4028236e38, 1e-46]))
ODD = st.sampled_from(
    [
        True,
        None,
        "7",
        2,
        2.5,
        np.int64(3),
        np.int8(-3),
        np.float32(0.1),
        np.float64(1e300),
        np.float32("nan"),
        np.array(4),
        X,
    ]
)


def outcome(function: Any, args: list[Any]) -> Any:
    try:
        bound = function(args)
    except ArgumentError as error:
        return str(error)
    return bound.kernargs, bound.memory, bound.copies, bound.temporary


def both(args: list[Any]) -> Any:
    """What either way makes of the arguments; a failure where they differ."""
    quick, thorough = outcome(BINDER, args), outcome(lambda a: bind(KERNEL, a), args)
    assert quick == thorough
    return quick


def fitting(param: Param) -> st.SearchStrategy[Any]:
    """What the signature asks for in this place."""
    if param.is_pointer:
        return st.just({"x": X, "y": Y}[param.name])
    if param.type.is_float:
        return FLOATS
    low = -(1 << (param.type.bits - 1)) if param.type.is_signed else 0
    return INTEGERS.map(lambda value: (value - low) % (1 << param.type.bits) + low)


def arguments() -> st.SearchStrategy[list[Any]]:
    """All as the signature asks, or one of them anything."""
    right = st.tuples(*map(fitting, KERNEL.params)).map(list)
    place = st.integers(0, len(KERNEL.params) - 1)
    anything = st.one_of(INTEGERS, FLOATS, ODD)
    wrong = st.builds(lambda args, i, v: [*args[:i], v, *args[i + 1 :]], right, place, anything)
    return right | wrong


@given(arguments())
def test_the_quick_way_makes_the_same_block_or_the_same_complaint(args: list[Any]) -> None:
    both(args)


FITTING: list[Any] = [255, X, -128, 65535, -32768, 2**32 - 1, -(2**31), 1.5, 2**64 - 1, -(2**63),
                      0.1, Y, 7]  # fmt: skip


def test_device_arrays_and_plain_numbers_take_the_quick_way() -> None:
    assert BINDER._pack(FITTING) is not None
    block, memory, copies, temporary = both(FITTING)
    assert len(block) == KERNEL.kernarg_size
    assert (memory, copies, temporary) == (DEVICE.memory, [], [])


def test_numbers_of_numpy_take_the_quick_way() -> None:
    args = [
        value if param.is_pointer else np.dtype(param.type.numpy).type(value)
        for param, value in zip(KERNEL.params, FITTING, strict=True)
    ]
    assert BINDER._pack(args) is not None
    both(args)


def test_a_nan_of_numpy_keeps_its_bits() -> None:
    nan = np.array(0x7F80_1234, np.uint32).view(np.float32)[()]
    args = [*FITTING[:7], nan, *FITTING[8:]]
    assert BINDER._pack(args) is None
    assert BINDER(args).kernargs[KERNEL.params[7].offset :][:4] == nan.tobytes()


@pytest.mark.parametrize("value", [np.zeros(5, np.uint32), DEVICE.zeros(5, np.int32),
                                   OTHER.zeros(5, np.uint32), 0x1000_0000])  # fmt: skip
def test_anything_else_in_an_arrays_place_does_not(value: Any) -> None:
    args = [FITTING[0], value, *FITTING[2:]]
    assert BINDER._pack(args) is None


@pytest.mark.parametrize("count", [0, 12, 14])
def test_a_wrong_number_of_arguments_is_reported(count: int) -> None:
    assert "SIM305" in both((FITTING * 2)[:count])


def test_a_launch_that_has_run_can_still_be_pickled() -> None:
    launch = FUNCTION.launch(items=1, engine="interp")
    launch(*FITTING)
    again = pickle.loads(pickle.dumps(launch))
    assert again(*FITTING).kernel == "k"
