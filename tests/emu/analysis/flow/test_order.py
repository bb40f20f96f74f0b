"""The linear order: loops, latches, and where lanes may wait."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.flow.order import START, Flow

from ...support.flows import TEST, at, flow_of, graphs, kernel_of, loop_at, waiting


def starts(flow: Flow) -> list[str]:
    """The order, as pcs of nodes and names of latches."""
    named = []
    for number in flow.order:
        node = flow.nodes[number]
        header = None if node.latch_of is None else flow.loops[node.latch_of].header
        named.append(str(node.start) if header is None else f"latch {flow.nodes[header].start}")
    return named[1:]  # without START


# --- hand-made kernels


def test_straight_code_is_one_node_after_the_start():
    flow = flow_of("mov_u32 $s0, 1")
    assert flow.order == [START, 1]
    assert flow.nodes[1].predecessors == (START,)
    assert not flow.loops


def test_both_sides_of_a_branch_come_before_their_join():
    flow = flow_of(f"{TEST} cbr $c0, @else\n nop\n br @end\n@else:\n nop\n@end:")
    assert starts(flow) == ["0", "2", "4", "5"]
    fall, join = at(flow, 2), at(flow, 5)
    assert waiting(flow)[fall] == {at(flow, 4)}
    assert waiting(flow)[at(flow, 4)] == {join}
    assert waiting(flow)[join] == frozenset()


def test_code_that_nothing_reaches_has_no_node():
    flow = flow_of("br @end\n add_u32 $s0, $s0, 1\n@end:")
    assert [n.start for n in flow.nodes[1:]] == [0, 2]


def test_a_barrier_ends_its_node():
    flow = flow_of("mov_u32 $s0, 1\n barrier\n mov_u32 $s0, 2")
    assert [(n.start, n.stop) for n in flow.nodes[1:]] == [(0, 1), (2, 4 - 1)]
    last = flow.nodes[1].last
    assert last is not None
    assert last.row.stem == "barrier"


def test_a_branch_whose_sides_are_the_same_has_one_successor():
    flow = flow_of(f"{TEST} cbr $c0, @next\n@next:")
    assert flow.nodes[1].successors == (2,)


def test_a_loop_on_itself_has_a_latch_after_it():
    flow = flow_of(f"nop\n@top:\n {TEST} cbr $c0, @top")
    assert starts(flow) == ["0", "1", "latch 1", "3"]
    (loop,) = flow.loops
    header = at(flow, 1)
    assert loop.nodes == {header, loop.latch}
    assert flow.route(header, header) == loop.latch
    assert flow.route(header, at(flow, 3)) == at(flow, 3)
    # Those that have left wait until the others are done.
    assert waiting(flow)[loop.latch] == {at(flow, 3)}
    assert waiting(flow)[header] == {at(flow, 3)}


def test_no_lane_waits_at_an_endless_loop():
    flow = flow_of("@top:\n br @top")
    (loop,) = flow.loops
    assert waiting(flow) == {
        START: frozenset(), at(flow, 0): frozenset(), loop.latch: frozenset()
    }  # fmt: skip


def test_nested_loops_lie_in_one_another():
    flow = flow_of(
        f"@outer:\n nop\n@inner:\n {TEST} cbr $c0, @inner\n {TEST} cbr $c0, @outer"
    )  # fmt: skip
    assert starts(flow) == ["0", "1", "latch 1", "3", "latch 0", "5"]
    outer, inner = loop_at(flow, at(flow, 0)), loop_at(flow, at(flow, 1))
    assert inner.parent == outer.number
    assert inner.nodes < outer.nodes
    assert [loop.number for loop in flow.loops_around(inner.latch)] == [inner.number, outer.number]
    assert flow.left_by(at(flow, 1), at(flow, 3)) == [inner]
    assert flow.left_by(at(flow, 3), at(flow, 5)) == [outer]


def test_an_edge_may_leave_two_loops_at_once():
    flow = flow_of(
        f"@outer:\n nop\n@inner:\n {TEST} cbr $c0, @out\n {TEST} cbr $c0, @inner\n"
        f" {TEST} cbr $c0, @outer\n@out:"
    )
    inner = loop_at(flow, at(flow, 1))
    assert flow.left_by(at(flow, 1), at(flow, 7)) == [inner, flow.loops[inner.parent or 0]]


def test_every_exit_of_a_loop_is_after_its_latch():
    flow = flow_of(
        f"@top:\n {TEST} cbr $c0, @a\n {TEST} cbr $c0, @b\n br @top\n@a:\n nop\n br @end\n@b:\n"
        " nop\n@end:"
    )
    (loop,) = flow.loops
    assert flow.position[loop.latch] < min(flow.position[at(flow, pc)] for pc in (5, 7, 8))
    assert waiting(flow)[loop.latch] == {at(flow, 5), at(flow, 7)}


def test_a_loop_with_two_entries_gets_the_first_one_as_its_header():
    flow = flow_of(
        f"{TEST} cbr $c0, @b\n@a:\n nop\n nop\n@b:\n {TEST} cbr $c0, @a"
    )  # fmt: skip
    (loop,) = flow.loops
    assert loop.header == at(flow, 2)
    assert flow.back == {(at(flow, 4), at(flow, 2)): loop.latch}
    assert waiting(flow)[loop.header] == {at(flow, 4), at(flow, 6)}


def test_two_loops_with_one_header_are_nested_where_all_lanes_join_after_the_inner_one():
    # top: ... cbr top; meet: ... cbr top
    flow = flow_of(f"@top:\n {TEST} cbr $c0, @top\n nop\n {TEST} cbr $c0, @top")
    assert starts(flow) == ["0", "latch 0", "2", "latch 0", "5"]
    outer, inner = flow.loops
    assert (inner.parent, inner.header) == (outer.number, outer.header)
    meet = at(flow, 2)
    assert flow.route(at(flow, 0), outer.header) == inner.latch
    assert flow.route(meet, outer.header) == outer.latch
    assert waiting(flow)[meet] <= {at(flow, 5)}


def test_a_loop_that_is_entered_at_the_body_of_an_inner_one_begins_with_its_test():
    flow = flow_of(
        f"@body:\n nop\n@test:\n {TEST} cbr $c0, @body\n nop\n {TEST} cbr $c0, @test"
    )  # fmt: skip
    outer, inner = flow.loops
    assert (outer.header, inner.header) == (at(flow, 1), at(flow, 0))
    assert at(flow, 3) not in inner.nodes
    assert flow.position[inner.latch] < flow.position[at(flow, 3)]


def test_ways_back_from_two_sides_of_a_branch_close_one_loop():
    flow = flow_of(
        f"@top:\n {TEST} cbr $c0, @out\n {TEST} cbr $c0, @b\n nop\n br @top\n@b:\n br @top\n@out:"
    )
    (loop,) = flow.loops
    assert {flow.route(at(flow, 4), loop.header), flow.route(at(flow, 6), loop.header)} == {
        loop.latch
    }


def test_no_lane_waits_at_a_uniform_branch():
    text = f"{TEST} cbr $c0, @else\n nop\n br @end\n@else:\n nop\n@end:"
    flow = flow_of(text)
    found = waiting(flow, uniform={at(flow, 0)})
    assert found[at(flow, 2)] == found[at(flow, 4)] == frozenset()


# --- any graph


@given(graphs())
def test_every_edge_leads_forward_in_the_order_or_to_a_latch(text: str):
    flow = flow_of(text)
    assert sorted(flow.order) == [n.number for n in flow.nodes]
    for node in flow.nodes:
        if node.latch_of is None:
            for there in node.successors:
                way = flow.route(node.number, there)
                assert flow.position[way] > flow.position[node.number]
                assert way == there or there in flow.nodes[way].successors


@given(graphs())
def test_a_latch_lies_after_all_nodes_of_its_loop_and_before_all_that_follow(text: str):
    flow = flow_of(text)
    for loop in flow.loops:
        places = sorted(flow.position[n] for n in loop.nodes)
        assert places == list(range(places[0], places[0] + len(places)))
        assert flow.order[places[-1]] == loop.latch
        assert flow.nodes[loop.latch].successors == (loop.header,)
        assert loop.header in loop.nodes


@given(graphs())
def test_loops_are_nested_or_apart_and_know_their_innermost(text: str):
    flow = flow_of(text)
    for a in flow.loops:
        assert a.parent is None or a.nodes < flow.loops[a.parent].nodes
        for b in flow.loops:
            assert not a.nodes & b.nodes or a.nodes <= b.nodes or b.nodes <= a.nodes
    for node in flow.nodes:
        around = [loop for loop in flow.loops if node.number in loop.nodes]
        assert {loop.number for loop in flow.loops_around(node.number)} == {
            loop.number for loop in around
        }


@given(graphs())
def test_the_order_depends_on_the_code_alone(text: str):
    code = kernel_of(text).instructions
    a, b = order.build(code), order.build(code)
    assert (a.order, a.back, a.loops) == (b.order, b.back, b.loops)
    assert waiting(a) == waiting(b)


@given(graphs(), st.lists(st.integers(0, 1 << 30), min_size=1, max_size=5))
def test_lanes_only_wait_where_the_waiting_sets_say(text: str, lanes: list[int]):
    """Run lanes with arbitrary decisions through the order; each lane's own path comes out."""
    flow = flow_of(text)
    sets = waiting(flow)
    place = dict.fromkeys(range(len(lanes)), START)
    passed: dict[int, list[int]] = {lane: [] for lane in place}
    for _ in range(60):
        if not place:
            break
        here = min(place.values(), key=flow.position.__getitem__)
        running = [lane for lane, at_ in place.items() if at_ == here]
        assert {at_ for at_ in place.values() if at_ != here} <= sets[here]
        for lane in running:
            ways = flow.nodes[here].successors
            if flow.nodes[here].latch_of is None:
                passed[lane].append(here)
            if not ways:
                del place[lane]
                continue
            decision = lanes[lane] >> (len(passed[lane]) % 30) & 1
            there = ways[decision % len(ways)]
            place[lane] = flow.route(here, there)
    for path in passed.values():
        for before, after in pairwise(path):
            assert after in flow.nodes[before].successors


class Lanes:
    """Work-items that decide by arbitrary bits, and how often each node ran for all of them."""

    def __init__(self, flow: Flow, decisions: list[int]) -> None:
        self.flow = flow
        self.decisions = decisions
        self.steps = [0] * len(decisions)
        self.all = frozenset(range(len(decisions)))
        self.whole: Counter[int] = Counter()

    def run(self, node: int, lanes: frozenset[int]) -> dict[int, frozenset[int]]:
        """Run a node for some lanes; the lanes by where they go."""
        self.whole[node] += lanes == self.all
        ways = self.flow.nodes[node].successors
        there: dict[int, frozenset[int]] = {}
        for lane in lanes if ways else ():
            bit = self.decisions[lane] >> self.steps[lane] % 30 & 1
            self.steps[lane] += 1
            way = ways[bit % len(ways)]
            there[way] = there.get(way, frozenset()) | {lane}
        return there


def immediate_postdominators(flow: Flow) -> dict[int, int | None]:
    """Return, by trial, the first node without which no path leads to an end."""

    def ends(start: int, without: int) -> bool:
        seen, work = {start}, [start]
        while work:
            ways = flow.nodes[work.pop()].successors
            if not ways:
                return True
            fresh = {t for t in ways if t not in seen and t != without}
            seen |= fresh
            work += fresh
        return False

    real = [n.number for n in flow.nodes if n.latch_of is None]
    strict = {n: {j for j in real if j != n and not ends(n, j)} for n in real}
    return {
        n: next((j for j in strict[n] if strict[n] - {j} <= strict[j]), None) for n in real
    }  # fmt: skip


def run_with_a_stack(lanes: Lanes, limit: int) -> bool:
    """Lanes that part wait for each other at the branch's immediate post-dominator."""
    joins = immediate_postdominators(lanes.flow)
    stack: list[tuple[int, int | None, frozenset[int]]] = [(START, None, lanes.all)]
    for _ in range(limit):
        if not stack:
            return True
        node, until, mask = stack.pop()
        if node == until:
            continue
        there = lanes.run(node, mask)
        if len(there) > 1 and joins[node] is not None:
            stack.append((joins[node] or 0, until, mask))
            until = joins[node]
        stack += [(way, until, part) for way, part in there.items()]
    return False


def run_in_order(lanes: Lanes) -> None:
    """Lanes wait where they come to; the first node in the order runs."""
    flow = lanes.flow
    waits = {START: lanes.all}
    while waits:
        here = min(waits, key=flow.position.__getitem__)
        mask = waits.pop(here)
        latch = flow.nodes[here].latch_of is not None
        there = {flow.nodes[here].successors[0]: mask} if latch else lanes.run(here, mask)
        for target, part in there.items():
            way = flow.route(here, target)
            waits[way] = waits.get(way, frozenset()) | part


@given(graphs(), st.lists(st.integers(0, 1 << 30), min_size=2, max_size=4))
def test_where_a_stack_of_masks_would_have_all_lanes_together_the_order_has(
    text: str, decisions: list[int]
):
    flow = flow_of(text)
    stack, ordered = Lanes(flow, decisions), Lanes(flow, decisions)
    has_end = all(
        any(not flow.nodes[n].successors for n in reach(flow, node.number)) for node in flow.nodes
    )
    assume(is_reducible(flow) and has_end and run_with_a_stack(stack, 300))
    run_in_order(ordered)
    assert all(ordered.whole[node] >= times for node, times in stack.whole.items())


def is_reducible(flow: Flow) -> bool:
    """Whether folding nodes into their only predecessors leaves one node: no loop has two ways in.

    With two, some order may tear lanes apart that a stack of masks would not.
    """
    before = {n.number: set(n.predecessors) for n in flow.nodes if n.latch_of is None}
    folded = True
    while folded:
        folded = False
        for node, ways in before.items():
            ways.discard(node)
            if len(ways) == 1:
                (only,) = ways
                del before[node]
                for others in before.values():
                    if node in others:
                        others.remove(node)
                        others.add(only)
                folded = True
                break
    return len(before) == 1


def reach(flow: Flow, start: int) -> set[int]:
    seen, work = {start}, [start]
    while work:
        fresh = set(flow.nodes[work.pop()].successors) - seen
        seen |= fresh
        work += fresh
    return seen
