"""Launches for the oracle's tests: a kernel's body as text, in; what it left in memory, out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.emu.arguments import bind
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.oracle.oracle import run


def make(
    text: str,
    args: Sequence[Any] = (),
    *,
    items: int | tuple[int, ...] = 1,
    group_size: int | tuple[int, ...] = 64,
    width: int = 32,
    **options: Any,
) -> Work:
    """The launch of the only kernel of a program; `options` are fields of `Work`."""
    program = _assembled(text)
    (kernel,) = program.kernels
    bound = bind(kernel, args)
    geometry = Geometry.of(None, group_size, items=items, width=width)
    return Work(program, kernel, geometry, bound.kernargs, bound.memory, **options)


_assembled = lru_cache(16)(assemble)
"""Most texts are launched at least twice, by the oracle and by native code."""


def per_item(
    body: str,
    register: str = "$s0",
    *,
    before: str = "",
    items: int | tuple[int, ...] = 1,
    **options: Any,
) -> list[int]:
    """What every work-item has in a 32-bit register after `body`, by workitemflatabsid.

    The registers from $s60 and $d60 on are the frame's; `before` is text before the kernel.
    """
    out = np.zeros(int(np.prod(items)), np.uint32)
    text = f"""
        {before}
        kernel k(global u32* %out) {{
            {body}
            workitemflatabsid_u32 $s60
            cvt_u64_u32 $d60, $s60
            ld_kernarg_u64 $d61, [%out]
            mad_u64 $d60, $d60, 4, $d61
            st_global_u32 {register}, [$d60]
            ret
        }}
    """
    run(make(text, [out], items=items, **options))
    return out.tolist()
