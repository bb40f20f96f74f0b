from copy import deepcopy
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.asm.draft import DraftKernel, Join
from simtlab.asm.flow.cfg import build, reach
from simtlab.asm.flow.dominators import post_dominators
from simtlab.asm.flow.joins import annotate
from simtlab.asm.flow.markers import insert, strip
from simtlab.asm.texts.collector import Collector

from ..support.kernels import draft, jumping_code, shown


def marked(text: str) -> list[str]:
    return shown(insert(draft(text)))


def test_s_ppc_x4_an_if_with_an_else_has_one_marker_at_its_join():
    code = "alu\ncbr @28\nalu\nalu\nbr @38\nalu\nalu\nalu\nret"
    assert marked(code) == [
        "alu",
        "cbr @28 @38",
        "alu",
        "alu",
        "br @38",
        "alu",
        "alu",
        "rcv",
        "alu",
        "ret",
    ]


def test_s_ppc_x5_a_loop_has_one_marker_after_it():
    assert marked("alu\nalu\ncbr @08\nalu\nret") == [
        "alu",
        "alu",
        "cbr @08 @18",
        "rcv",
        "alu",
        "ret",
    ]


def test_s_ppc_x6_a_side_from_outside_the_inner_branch_skips_the_inner_marker():
    code = "cbr @30\nalu\ncbr @28\nalu\nbr @40\nbr @40\nalu\nbr @40\nalu\nret"
    assert marked(code) == [
        "cbr @30 @48",
        "alu",
        "cbr @28 @40",
        "alu",
        "br @40",
        "br @40",
        "alu",
        "br @48",
        "rcv",
        "rcv",
        "alu",
        "ret",
    ]


def test_a_branch_straight_to_the_shared_join_skips_the_inner_marker():
    assert marked("cbr @end\nalu\ncbr @end\nalu\nend: ret") == [
        "cbr @28 @28",
        "alu",
        "cbr @20 @20",
        "alu",
        "rcv",
        "rcv",
        "ret",
    ]


def test_s_ppc_x1_a_side_that_both_branches_reach_executes_both_markers():
    code = "cbr @x\nalu\ncbr @x\nalu\nbr @join\nx: alu\njoin: ret"
    assert marked(code) == [
        "cbr @28 @38",
        "alu",
        "cbr @28 @30",
        "alu",
        "br @30",
        "alu",
        "rcv",
        "rcv",
        "ret",
    ]


def test_the_exits_of_one_loop_share_the_last_of_their_markers():
    assert marked("head: cbr @x\nalu\ncbr @x\nalu\nbr @head\nx: ret") == [
        "cbr @28 @30",
        "alu",
        "cbr @28 @30",
        "alu",
        "br @00",
        "rcv",
        "rcv",
        "ret",
    ]


def test_the_back_edge_of_a_loop_that_begins_at_a_join_skips_its_marker():
    assert marked("cbr @head\nalu\nhead: alu\nbr @head") == [
        "cbr @10 @10",
        "alu",
        "rcv",
        "alu",
        "br @18",
    ]


def test_a_branch_whose_two_sides_are_equal_has_no_marker():
    assert marked("cbr @08\nalu\nret") == ["cbr @08", "alu", "ret"]


def test_a_branch_whose_two_sides_are_equal_keeps_them_equal_at_the_join_of_another():
    assert marked("cbr @x\nalu\ncbr @x\nx: ret") == [
        "cbr @18 @18",
        "alu",
        "cbr @18",
        "rcv",
        "ret",
    ]


def test_a_branch_without_a_join_has_no_marker():
    assert marked("cbr @10 none\nalu\nret") == ["cbr @10 none", "alu", "ret"]
    assert marked("cbr @10\nret\nret") == ["cbr @10", "ret", "ret"]


def test_a_branch_in_unreachable_code_has_no_marker():
    assert marked("ret\ncbr @18\nalu\nret") == ["ret", "cbr @18", "alu", "ret"]


def test_a_join_that_the_source_names_gets_the_marker():
    assert marked("cbr @10 @18\nalu\nalu\nret") == ["cbr @10 @18", "alu", "alu", "rcv", "ret"]


def test_labels_at_a_join_point_to_its_first_marker():
    kernel = insert(draft("cbr @end\nalu\ncbr @end\nalu\nend: alu\nlast: ret\nbehind:"))
    assert kernel.labels == {"end": 4, "last": 7, "behind": 8}


def test_a_marker_has_the_place_of_its_branch():
    kernel = insert(draft("cbr @end\nalu\ncbr @end\nalu\nend: ret"))
    assert [ins.span.line for ins in kernel.code[4:6]] == [3, 1]
    assert [ins.location.line for ins in kernel.code[4:6]] == [3, 1]


def test_stripping_removes_the_markers_of_the_source_and_moves_labels_to_the_next_instruction():
    kernel = draft("cbr @a @b\nalu\na: alu\nb: rcv\nc: ret")
    assert shown(strip(kernel)) == ["cbr @10 @18", "alu", "alu", "ret"]
    assert strip(kernel).labels == {"a": 2, "b": 3, "c": 3}


def test_markers_of_the_source_are_replaced():
    text = "cbr @end\nalu\nend: rcv\nrcv\nret"
    assert marked(text) == ["cbr @10 @10", "alu", "rcv", "ret"]


def test_the_kernel_given_is_left_alone():
    kernel = draft("cbr @end\nalu\nend: rcv\nret")
    before = deepcopy(kernel)
    insert(kernel)
    strip(kernel)
    assert kernel == before


def kernel_of(lines: list[str]) -> DraftKernel:
    return draft("\n".join([*lines, "ret"]))


@settings(max_examples=200, deadline=None)
@given(jumping_code)
def test_stripping_undoes_inserting(lines):
    kernel = kernel_of(lines)
    assert strip(insert(kernel)) == kernel


@settings(max_examples=300, deadline=None)
@given(jumping_code)
def test_inserting_twice_is_inserting_once(lines):
    once = insert(kernel_of(lines))
    assert insert(once) == once


@settings(max_examples=200, deadline=None)
@given(jumping_code)
def test_the_joins_after_inserting_are_post_dominators_and_the_flags_are_as_without(lines):
    with_markers, without = insert(kernel_of(lines)), kernel_of(lines)
    for kernel in (with_markers, without):
        collector = Collector()
        annotate(kernel, build(kernel.code), collector, 2)
        assert collector.diagnostics == ()
    expected = [replace(ins, join=Join.AUTO) for ins in without.code]
    assert [replace(i, join=Join.AUTO) for i in strip(with_markers).code] == expected


@settings(max_examples=300, deadline=None)
@given(jumping_code, st.sets(st.integers(0, 12)))
def test_order_joins_and_entries_are_those_of_the_definition(lines, later):
    """By who reaches whom without passing the join; some branches have a later join than needed."""
    kernel = kernel_of(lines)
    cfg = build(kernel.code)
    parents = post_dominators(cfg).parents
    by_join: dict[int, list[int]] = {}
    for pc, ins in enumerate(kernel.code):
        if not ins.row.is_conditional or ins.target == pc + 1:
            continue
        join = parents[cfg.block_of[pc]]
        assert join is not None
        beyond = parents[join]
        if pc in later and beyond not in (None, cfg.exit):
            join = beyond
            ins.join, ins.join_span = cfg.blocks[join].start, ins.span
        if join != cfg.exit and cfg.block_of[pc] in cfg.reachable:
            by_join.setdefault(cfg.blocks[join].start, []).append(pc)

    marked = insert(kernel)
    place = [at for at, ins in enumerate(marked.code) if ins.row.stem != "reconverge"]
    assert len(marked.code) - len(place) == sum(map(len, by_join.values()))
    for join, branches in by_join.items():
        barred = frozenset({cfg.block_of[join]})
        region = {
            b: reach(cfg.flow, cfg.flow[cfg.block_of[b]], barred) | {cfg.block_of[b]}
            for b in branches
        }
        depth = {b: sum(cfg.block_of[b] in region[x] for x in branches) for b in branches}
        order = sorted(branches, key=lambda b: (-depth[b], b))
        first = place[join] - len(branches)
        assert [m.location.line - 1 for m in marked.code[first : place[join]]] == order
        for b in branches:
            others = [x for x in branches if cfg.block_of[b] in region[x]]
            mutual = [x for x in others if cfg.block_of[x] in region[b]]
            assert marked.code[place[b]].join == first + max(map(order.index, mutual))
        for pc, ins in enumerate(kernel.code):
            if ins.target == join and not (ins.row.is_conditional and join == pc + 1):
                needed = [order.index(b) for b in branches if cfg.block_of[pc] in region[b]]
                assert marked.code[place[pc]].target == first + min(needed, default=len(order))


def test_a_thousand_nested_loops_and_a_thousand_branches_to_one_join_have_a_marker_each():
    nest = "\n".join(f"l{i}: alu" for i in range(1000))
    nest += "\n" + "\n".join(f"cbr @l{i}" for i in reversed(range(1000)))
    assert marked(nest + "\nret").count("rcv") == 1000
    assert marked("\n".join(["cbr @end\nalu"] * 1000) + "\nend: ret").count("rcv") == 1000


def run_on_a_stack(kernel: DraftKernel, lanes: int, outcome, steps: int) -> list[list[int]]:
    """What each lane executes under a stack that pops at markers only (PPC-02).

    Fails where a group passes a join at which it should have waited.
    """
    code = kernel.code
    traces: list[list[int]] = [[] for _ in range(lanes)]
    stack: list[list] = [[0, None, set(range(lanes))]]
    for _ in range(steps):
        while stack and not stack[-1][2]:
            stack.pop()
        if not stack:
            break
        top = stack[-1]
        pc, join, mask = top
        ins = code[pc]
        if ins.row.stem == "reconverge":
            if pc == join:
                stack.pop()
            else:
                top[0] = pc + 1
            continue
        if join is not None:
            assert not (join < pc and all(c.row.stem == "reconverge" for c in code[join:pc]))
        taken = set()
        for lane in mask:
            if ins.row.is_conditional and outcome(lane, traces[lane]):
                taken.add(lane)
            traces[lane].append(pc)
        if ins.row.stem == "ret":
            for entry in stack:
                entry[2] = entry[2] - mask
        elif not ins.row.is_conditional:
            top[0] = pc + 1 if ins.target is None else ins.target
        elif taken == mask or not taken:
            top[0] = ins.target if taken else pc + 1
        elif isinstance(ins.join, int):
            top[0] = ins.join
            stack += [[ins.target, ins.join, taken], [pc + 1, ins.join, mask - taken]]
        else:
            stack.pop()
            stack += [[ins.target, join, taken], [pc + 1, join, mask - taken]]
    return traces


@settings(max_examples=200, deadline=None)
@given(jumping_code, st.integers(0, 2**32))
def test_no_lane_passes_its_marker_on_an_explicit_stack(lines, seed):
    kernel = insert(kernel_of(lines))
    annotate(kernel, build(kernel.code), Collector())

    def outcome(lane: int, trace: list[int]) -> bool:
        return bool(hash((seed, lane, len(trace))) % 2)

    run_on_a_stack(kernel, 4, outcome, 200)
