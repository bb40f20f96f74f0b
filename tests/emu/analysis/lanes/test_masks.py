"""Masks that need no computing, against lanes that decide at will."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simtlab.emu.analysis.analysis import Analysis
from simtlab.emu.analysis.flow.order import START, Flow, nodes_of, rearranged
from simtlab.emu.analysis.lanes.masks import Masks, Rest

from ...support.flows import TEST, at, flow_of, graphs, kernel_of, waiting

STEPS = 150


def masks_of(flow: Flow, uniform: frozenset[int] = frozenset(), tested: tuple[int, ...] = ()):
    return Masks(flow, waiting(flow, uniform), uniform, tested)


def test_both_sides_of_a_branch_come_together_with_its_mask():
    flow = flow_of(f"{TEST} cbr $c0, @b\n nop\n br @c\n@b:\n nop\n@c:\n nop")
    masks = masks_of(flow)
    assert masks.same[at(flow, 5)] == START
    assert not masks.shared(at(flow, 2))
    assert not masks.shared(at(flow, 4))


def test_lanes_that_leave_a_loop_in_different_trips_are_not_collected():
    flow = flow_of(f"{TEST} cbr $c0, @out\n@top:\n nop\n{TEST} cbr $c0, @top\n@out:\n nop")
    assert masks_of(flow).same[at(flow, 5)] == START


def test_where_some_return_the_others_are_fewer():
    flow = flow_of(f"{TEST} cbr $c0, @b\n{TEST} cbr $c0, @b\n ret\n@b:\n nop")
    assert not masks_of(flow).shared(at(flow, 5))


def test_where_some_go_round_the_others_are_fewer():
    flow = flow_of(f"@top:\n nop\n{TEST} cbr $c0, @top\n nop\n{TEST} cbr $c0, @top")
    assert not masks_of(flow).shared(at(flow, 3))


def merged(body: str) -> Flow:
    """A flow in which ways back to one header are one loop, as native code has it."""
    code = kernel_of(body).instructions
    return rearranged(code, nodes_of(code))


def test_lanes_that_go_back_by_several_ways_have_the_mask_of_the_iteration():
    first = f"@top:\n nop\n{TEST} cbr $c0, @out\n"
    flow = merged(f"{first}{TEST} cbr $c0, @top\n nop\n br @top\n@out:\n nop")
    (loop,) = flow.loops
    masks = masks_of(flow, frozenset({at(flow, 0)}))
    assert masks.same[loop.latch] == masks.same[at(flow, 3)]
    assert loop.latch not in masks.tested
    # Where some leave from the middle, those that go back are fewer.
    flow = merged(f"{first}{TEST} cbr $c0, @top\n{TEST} cbr $c0, @out\n br @top\n@out:\n nop")
    (loop,) = flow.loops
    assert not masks_of(flow, frozenset({at(flow, 0)})).shared(loop.latch)


def test_lanes_of_the_other_side_are_those_that_are_not_on_the_shorter_one():
    both = f"{TEST} cbr $c0, @b\n nop\n{TEST} cbr $c0, @b\n nop\n br @c\n@b:\n nop\n@c:\n nop"
    flow = flow_of(both)
    first, second, side, other = at(flow, 0), at(flow, 2), at(flow, 5), at(flow, 7)
    assert masks_of(flow).rests == {other: Rest(first, frozenset({(second, side)}))}
    # As many ways lead to the one side as to the other: nothing is gained.
    flow = flow_of(
        f"{TEST} cbr $c0, @b\n{TEST} cbr $c0, @a\n{TEST} cbr $c0, @b\n"
        "@a:\n nop\n br @c\n@b:\n nop\n@c:\n nop"
    )
    assert at(flow, 8) not in masks_of(flow).rests


def test_lanes_that_go_on_are_those_that_have_not_left():
    flow = merged(f"@top:\n nop\n{TEST} cbr $c0, @top\n nop\n{TEST} cbr $c0, @out\n br @top\n@out:")
    (loop,) = flow.loops
    assert masks_of(flow).rests[loop.latch].branch == loop.header


def test_a_loop_that_begins_in_the_middle_counts_no_lanes_from_there():
    """The second half of the first iteration dominates all, but does not run in the others."""
    work = "nop\n" * 14
    kernel = kernel_of(
        f"workitemabsid_u32 $s0, 0\n mov_u32 $s1, 0\n@outer:\n add_u32 $s2, $s1, 3\n@inner:\n{work}"
        "mul_u32 $s0, $s0, 5\n cmp_ge_s32 $c0, $s0, 0\n cbr $c0, @inner\n"
        "add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, 9\n cbr $c0, @outer"
    )
    flow = Analysis(kernel.instructions).flow
    (loop,) = flow.loops
    assert not flow.has_one_entry(loop)
    assert not masks_of(flow).rests


def test_a_loop_that_all_leave_together_tests_nothing():
    flow = flow_of(f"@top:\n nop\n{TEST} cbr $c0, @top\n nop")
    latch = flow.loops[0].latch
    assert latch in masks_of(flow).tested
    assert not masks_of(flow, frozenset({at(flow, 0)})).tested


def test_code_after_a_test_needs_no_test():
    flow = flow_of(f"{TEST} cbr $c0, @out\n nop\n{TEST} cbr $c0, @b\n nop\n@b:\n nop\n@out:")
    inner, join = at(flow, 2), at(flow, 6)
    assert masks_of(flow, tested=(inner, join)).tested == {inner}


@given(
    graphs(),
    st.lists(st.integers(0, 1 << 30), min_size=1, max_size=4),
    st.integers(0, 1 << 30),
    st.integers(0, 1 << 30),
)
def test_claims_hold_whatever_lanes_decide(text: str, lanes: list[int], same_way: int, tests: int):
    """Run the linear code with lanes that decide by bits, and look at each node's mask."""
    flow = flow_of(text)
    uniform = frozenset(n.number for n in flow.nodes if same_way >> n.number & 1)
    asked = [n.number for n in flow.nodes if n.number != START and tests >> n.number & 1]
    masks = masks_of(flow, uniform, tuple(asked))
    asked += [loop.latch for loop in flow.loops]
    wait: dict[int, set[int]] = {START: set(range(len(lanes)))}
    ran: dict[int, set[int]] = {}
    gone: dict[int, set[int]] = {}
    live = set(range(len(lanes)))
    here: int | None = START
    for step in range(STEPS):
        if here is None:
            break
        node = flow.nodes[here]
        mask = wait.pop(here, set())
        if masks.shared(here):
            assert mask == ran[masks.same[here]]
        if here in masks.rests:
            assert mask == ran[masks.same[masks.rests[here].branch]] - gone[here]
        if here in asked and here not in masks.tested:
            assert mask
        if here in masks.tested and not mask:
            here = masks.next_of(masks.waits[here])
            continue
        ran[here] = mask
        gone |= {n: set() for n, rest in masks.rests.items() if rest.branch == here}
        stem = node.last.row.stem if node.last is not None else ""
        if stem == "ret":
            live -= mask
        if stem == "barrier" and mask and mask == live:
            here = flow.route(here, node.successors[0])
            wait = {here: set(mask)}
            continue
        if stem == "barrier":
            live -= mask
        ways: set[int] = set()
        for lane in (*mask, None) if stem != "barrier" and node.successors else ():
            by = same_way if here in uniform else 0 if lane is None else lanes[lane]
            there = node.successors[(by >> step % 29 & 1) % len(node.successors)]
            if lane is not None:
                wait.setdefault(flow.route(here, there), set()).add(lane)
                for number, rest in masks.rests.items():
                    if (here, flow.route(here, there)) in rest.elsewhere:
                        gone[number].add(lane)
            if here in uniform:
                ways.add(flow.route(here, there))
        if here not in uniform and stem != "barrier":
            ways = {flow.route(here, there) for there in node.successors}
        here = masks.next_of(masks.waits[here] | ways)
