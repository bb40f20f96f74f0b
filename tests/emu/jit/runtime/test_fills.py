"""Fills of memory, beside NumPy's."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.jit.runtime.fills import fills

pytestmark = pytest.mark.skipif(not host_has("avx512bw"), reason="the C library's is used")

SIZES = (*range(130), 255, 256, 257, 319, 320, 511, 512, 1000, 4103, 16_392)


@pytest.mark.parametrize("start", [0, 1, 8, 63])
def test_bytes_are_set_and_no_others(start: int) -> None:
    call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
    fill = call(fills()["memset"])
    for size in SIZES:
        for byte in (0, 0x1A5):
            memory = np.full(start + size + 130, 7, np.uint8)
            place = memory.ctypes.data + 64 + start
            assert fill(place, byte, size) == place
            expected = np.full_like(memory, 7)
            expected[64 + start : 64 + start + size] = byte & 0xFF
            assert np.array_equal(memory, expected), (size, byte)
