"""Random programs that the verifier accepts; their joins are none."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from simtlab.isa import BY_NAME, TABLE, Instruction, Kernel, Location, Program, Segment
from simtlab.isa.encoding import encode
from simtlab.isa.program import layout_params, layout_symbols, segment_size
from simtlab.isa.types import TYPES
from simtlab.isa.verify import RESERVED

from .forms import instructions

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.]{0,6}", fullmatch=True).filter(
    lambda name: name not in RESERVED
)
types = st.sampled_from([t for t in TYPES.values() if t.name != "b1"])
_FILES = ("a.sasm", "lib/b.sinc", "with space.sinc", "ünïcode.sinc")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program of one or two kernels with all that an object file can hold."""
    arrays = draw(st.lists(names, max_size=6, unique=True))
    readonly = layout_symbols(Segment.READONLY, _arrays(draw, arrays[:2]))
    data = bytearray(segment_size(readonly))
    for symbol in readonly:
        content = draw(st.binary(max_size=symbol.size))
        data[symbol.offset : symbol.offset + len(content)] = content
    kernel_names = draw(st.lists(names, min_size=1, max_size=2, unique=True))
    files: list[str] = []
    kernels = tuple(
        draw(_kernels(name, arrays[2:], segment_size(readonly), files)) for name in kernel_names
    )
    return Program(kernels, readonly, bytes(data), tuple(files))


def _arrays(draw: st.DrawFn, found: list[str]):
    return [(name, draw(types), draw(st.integers(1, 5))) for name in found]


@st.composite
def _kernels(
    draw: st.DrawFn, name: str, arrays: list[str], readonly_size: int, files: list[str]
) -> Kernel:
    group = layout_symbols(Segment.GROUP, _arrays(draw, arrays[:2]))
    private = layout_symbols(Segment.PRIVATE, _arrays(draw, arrays[2:]))
    declared = [
        (param, draw(types), draw(st.booleans()))
        for param in draw(st.lists(names, max_size=4, unique=True))
    ]
    kernel = Kernel(name, layout_params(declared), (), group, private)
    sizes = {
        Segment.GLOBAL: 64,
        Segment.GROUP: kernel.group_size,
        Segment.PRIVATE: kernel.private_size,
        Segment.KERNARG: kernel.kernarg_size,
        Segment.READONLY: readonly_size,
    }
    rows = [row for row in TABLE if not row.segment or sizes[row.segment]]
    n = draw(st.integers(0, 8))
    code: list[Instruction] = []
    for row in draw(st.lists(st.sampled_from(rows), min_size=n, max_size=n)):
        ins = draw(instructions(row, n + 1, sizes[row.segment] if row.segment else 0))
        code.append(replace(ins, join=None))
    code.append(Instruction(BY_NAME["ret"]))
    places = sorted(draw(st.lists(st.integers(0, n + 1), max_size=4)))
    labels = draw(st.lists(names, min_size=len(places), max_size=len(places), unique=True))
    return replace(
        kernel,
        words=tuple(encode(ins, pc) for pc, ins in enumerate(code)),
        labels=tuple(zip(labels, places, strict=True)),
        locations=tuple(draw(_locations(files)) for _ in code),
    )


@st.composite
def _locations(draw: st.DrawFn, files: list[str]) -> Location:
    """A place in a file of those named so far, or in the next one."""
    index = draw(st.integers(0, min(len(files), len(_FILES) - 1)))
    if index == len(files):
        files.append(_FILES[index])
    return Location(index, draw(st.integers(1, 2**32 - 1)), draw(st.integers(1, 2**16 - 1)))
