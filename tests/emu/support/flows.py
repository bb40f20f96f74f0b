"""Kernels for the tests of the jit's analyses, and their parts by register or instruction."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.flow.arrivals import arrivals
from simtlab.emu.analysis.flow.order import Flow, Loop
from simtlab.emu.analysis.values import construction
from simtlab.emu.analysis.values.ssa import Op, Phi, Ssa, Value
from simtlab.emu.analysis.warps.uniformity import Shapes
from simtlab.isa.program import Kernel
from simtlab.isa.types import RegClass

TEST = "cmp_eq_u32 $c0, $s0, 0\n"


def kernel_of(body: str, params: str = "global u32* %x, u32 %n", before: str = "") -> Kernel:
    """The kernel with this body; names of labels are free, `ret` is added at the end."""
    (kernel,) = assemble(f"{before}\nkernel k({params}) {{\n{body}\nret\n}}\n").kernels
    return kernel


def flow_of(body: str) -> Flow:
    return order.build(kernel_of(body).instructions)


def ssa_of(body: str, params: str = "global u32* %x, u32 %n") -> Ssa:
    kernel = kernel_of(body, params)
    return construction.build(kernel.instructions, order.build(kernel.instructions))


def shapes_of(body: str, facts: Facts | None = None) -> Shapes:
    return Shapes(ssa_of(body), facts or Facts(32, (64, 1, 1), True))


def op_of(form: Ssa, name: str, which: int = 0) -> Op:
    """Return the instruction with this mnemonic, by default the first one."""
    return [v for v in form.values() if isinstance(v, Op) and v.ins.row.name == name][which]


def phis_of(form: Ssa, register: str) -> list[Phi]:
    """The phis of a register such as `$s3`, in the order of the flow."""
    wanted = RegClass(register[1]), int(register[2:])
    return [v for v in form.values() if isinstance(v, Phi) and v.register == wanted]


def stored(form: Ssa, which: int = 0) -> Value:
    """What a store writes."""
    stores = [v for v in form.values() if isinstance(v, Op) and v.ins.row.is_store]
    return stores[which].args[0]


def loop_at(flow: Flow, header: int) -> Loop:
    """The only loop with this header."""
    (loop,) = (each for each in flow.loops if each.header == header)
    return loop


def waiting(flow: Flow, uniform: Iterable[int] = ()) -> dict[int, frozenset[int]]:
    """Return for each node the other nodes at which lanes may wait while it runs."""
    arrived = arrivals(flow, uniform)
    return {n: frozenset(place for place, _ in lanes) for n, lanes in arrived.items()}


def at(flow: Flow, pc: int) -> int:
    """The node that begins at a pc."""
    (number,) = (n.number for n in flow.nodes[1:] if n.start == pc and n.latch_of is None)
    return number


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """A kernel of blocks that branch anywhere."""
    n = draw(st.integers(1, 9))
    lines = []
    for here in range(n):
        lines.append(f"@b{here}:\n nop")
        kind = draw(st.sampled_from(("fall", "br", "cbr", "cbr", "cbr", "ret", "barrier")))
        there = draw(st.integers(0, n))
        if kind == "cbr":
            lines.append(f"cbr $c0, @b{there}")
        elif kind == "br":
            lines.append(f"br @b{there}")
        elif kind != "fall":
            lines.append(kind)
    return "\n".join([*lines, f"@b{n}:"])
