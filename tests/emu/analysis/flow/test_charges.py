"""What loops are charged, path by path."""

from __future__ import annotations

import simtlab
from simtlab.emu.analysis.flow.charges import Charges, charges_of
from simtlab.emu.analysis.flow.order import build


def charges(body: str) -> Charges:
    """The charges of a kernel."""
    (kernel,) = simtlab.assemble(f"kernel k() {{\n workitemflatabsid_u32 $s0\n {body}\n ret\n}}")
    return charges_of(build(kernel.kernel.instructions))


def work(count: int) -> str:
    return "add_u32 $s1, $s1, 1\n" * count


END = "cmp_ne_u32 $c0, $s1, 9\n cbr $c0, @loop"


def test_a_straight_body_is_charged_at_the_latch() -> None:
    found = charges(f"@loop:\n {work(1000)} {END}")
    assert found.iteration == {0: 1002}
    assert found.node == {}
    assert found.most == {0: 1002}


def test_sides_of_about_the_same_length_are_charged_as_the_shorter_one() -> None:
    sides = f"cbr $c0, @else\n {work(30)} br @end\n @else:\n {work(28)} @end:\n"
    found = charges(f"@loop:\n {sides} {work(60)} {END}")
    assert found.iteration == {0: 1 + 28 + 60 + 2}
    assert found.node == {}


def test_a_long_side_is_charged_where_it_runs() -> None:
    side = f"cbr $c0, @end\n {work(200)} @end:\n"
    found = charges(f"@loop:\n {side} {work(60)} {END}")
    assert found.iteration == {0: 1 + 60 + 2}
    assert list(found.node.values()) == [200]
    assert found.most == {0: 263}


def test_the_body_around_an_inner_loop_has_one_iteration_of_it() -> None:
    inner = f"@inner:\n {work(10)} cmp_ne_u32 $c1, $s1, 5\n cbr $c1, @inner\n"
    found = charges(f"@loop:\n {work(20)} {inner} {work(30)} {END}")
    assert sorted(found.iteration.values()) == [12, 20 + 12 + 30 + 2]


def test_a_loop_that_is_entered_in_the_middle_is_charged_as_from_there() -> None:
    found = charges(f"cbr $c0, @middle\n @loop:\n {work(50)} @middle:\n {work(20)} {END}")
    (charged,) = found.iteration.values()
    assert charged <= 22


def test_many_branches_are_charged_in_time() -> None:
    sides = "".join(f"cbr $c0, @e{i}\n {work(8)} @e{i}:\n" for i in range(400))
    found = charges(f"@loop:\n {sides} {END}")
    assert len(found.node) == 400
    assert found.iteration == {0: 402}
