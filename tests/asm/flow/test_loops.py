import networkx as nx
import pytest
from hypothesis import given, settings

from simtlab.asm.flow.cfg import Cfg, build, reverse
from simtlab.asm.flow.dominators import dominators
from simtlab.asm.flow.loops import Loops, find

from ..support.kernels import draft, jumping_code


def loops_of(text: str):
    return find(build(draft(text).code))


def ranks(cfg: Cfg) -> dict[int, int]:
    """The place of each reachable block in the reverse postorder of a depth-first walk."""
    graph = nx.DiGraph()
    graph.add_node(0)
    graph.add_edges_from((s, t) for s in cfg.reachable for t in cfg.flow[s])
    return {b: i for i, b in enumerate(reversed(list(nx.dfs_postorder_nodes(graph, 0))))}


def body(loops: Loops, loop: int) -> set[int]:
    return {b.number for b in loops.cfg.blocks if loops.contains(loop, b.number)}


def flags(text: str) -> list[int]:
    """The PCs of the branches with a loop flag."""
    kernel = draft(text)
    loops = find(build(kernel.code))
    return [pc for pc in range(len(kernel.code)) if loops.delimits(pc)]


def test_a_branch_back_to_its_own_block_closes_a_loop_of_one_block():
    loops = loops_of("alu\nhead: alu\ncbr @head\nret")
    assert [(x.header, x.latches, x.parent) for x in loops.all] == [(1, (1,), None)]
    assert body(loops, 0) == {1}
    assert loops.innermost == (None, 0, None)


def test_nested_loops_know_the_loop_around_them():
    loops = loops_of("outer: alu\ninner: alu\ncbr @inner\ncbr @outer\nret")
    assert [(x.header, x.parent) for x in loops.all] == [(0, None), (1, 0)]
    assert [body(loops, i) for i in (0, 1)] == [{0, 1, 2}, {1}]
    assert [x.header for x in loops.around(1)] == [1, 0]


def test_two_back_edges_to_one_header_make_one_loop():
    loops = loops_of("head: cbr @end\ncbr @head\nalu\nbr @head\nend: ret")
    assert [(x.header, x.latches) for x in loops.all] == [(0, (1, 2))]


def test_the_branch_that_ends_a_loop_at_its_bottom_has_the_flag():
    assert flags("head: alu\ncbr @head\nret") == [1]


def test_the_branch_that_leaves_a_loop_at_its_top_has_the_flag_and_so_has_the_jump_back():
    assert flags("head: alu\ncbr @end\nalu\nbr @head\nend: ret") == [1, 3]


def test_a_break_out_of_the_middle_of_a_loop_has_the_flag():
    assert flags("head: alu\ncbr @end\nalu\ncbr @head\nend: ret") == [1, 3]


def test_a_continue_has_the_flag():
    assert flags("head: alu\ncbr @head\nalu\ncbr @head\nret") == [1, 3]


def test_an_if_inside_a_loop_has_no_flag():
    assert flags("head: cbr @skip\nalu\nskip: alu\ncbr @head\nret") == [3]


def test_an_if_outside_of_loops_has_no_flag():
    assert flags("cbr @skip\nalu\nskip: ret") == []


def test_a_branch_from_an_inner_loop_to_the_outer_header_has_the_flag():
    assert flags("outer: alu\ninner: cbr @outer\ncbr @inner\nret") == [1, 2]


def test_an_early_return_from_a_loop_leaves_it():
    assert flags("head: cbr @go\nret\ngo: alu\ncbr @head\nret") == [0, 3]


def test_the_jump_back_of_an_endless_loop_closes_it():
    assert flags("head: alu\nbr @head") == [1]


def test_a_loop_in_unreachable_code_has_no_flag():
    assert flags("ret\nhead: alu\ncbr @head\nret") == []


def test_a_loop_with_two_ways_in_is_irreducible_and_closed_by_its_retreating_edge():
    loops = loops_of("cbr @b\na: alu\nb: alu\ncbr @a\nret")
    (loop,) = loops.all
    assert (loop.header, loop.latches, body(loops, 0)) == (1, (2,), {1, 2})
    assert flags("cbr @b\na: alu\nb: alu\ncbr @a\nret") == [3]


def test_a_natural_loop_inside_an_irreducible_one_is_found():
    loops = loops_of("cbr @b\na: alu\nb: alu\nown: alu\ncbr @own\ncbr @a\nret")
    assert [(x.header, x.parent) for x in loops.all] == [(1, None), (3, 0)]


@settings(max_examples=200, deadline=None)
@given(jumping_code)
def test_natural_loops_are_those_of_the_definition_by_dominators(lines):
    cfg = build(draft("\n".join([*lines, "ret"])).code)
    loops, tree = find(cfg), dominators(cfg)
    if any(not tree.dominates(x.header, latch) for x in loops.all for latch in x.latches):
        return  # a second way in: no natural loop
    natural: dict[int, set[int]] = {}
    for block in cfg.reachable:
        for header in cfg.flow[block]:
            if tree.dominates(header, block):
                inside = natural.setdefault(header, {header})
                waiting = [block]
                while waiting:
                    node = waiting.pop()
                    if node not in inside:
                        inside.add(node)
                        waiting += [p for p in reverse(cfg.successors)[node] if p in cfg.reachable]
    assert {loop.header: body(loops, i) for i, loop in enumerate(loops.all)} == natural


@settings(max_examples=200, deadline=None)
@given(jumping_code)
def test_the_back_edges_of_all_loops_are_the_retreating_edges(lines):
    cfg = build(draft("\n".join([*lines, "ret"])).code)
    rank = ranks(cfg)
    retreating = {(s, t) for s in rank for t in cfg.flow[s] if rank[t] <= rank[s]}
    closing = {(latch, x.header) for x in find(cfg).all for latch in x.latches}
    assert closing == retreating


@settings(max_examples=300, deadline=None)
@given(jumping_code)
def test_without_its_edges_to_the_header_a_loop_falls_apart_into_those_inside(lines):
    """The definition, for irreducible loops too."""
    cfg = build(draft("\n".join([*lines, "ret"])).code)
    loops = find(cfg)
    rank = ranks(cfg)
    expected: dict[int, set[int]] = {}
    graph = nx.DiGraph((s, t) for s in cfg.reachable for t in cfg.flow[s])
    waiting = [graph]
    while waiting:
        inner = waiting.pop()
        for nodes in nx.strongly_connected_components(inner):
            part = nx.DiGraph(inner.subgraph(nodes))
            if part.number_of_edges():
                header = min(nodes, key=rank.__getitem__)
                expected[header] = set(nodes)
                part.remove_edges_from(list(part.in_edges(header)))
                waiting.append(part)
    assert {loop.header: body(loops, i) for i, loop in enumerate(loops.all)} == expected


@settings(max_examples=300, deadline=None)
@given(jumping_code)
def test_every_cycle_lies_in_a_loop(lines):
    cfg = build(draft("\n".join([*lines, "ret"])).code)
    loops = find(cfg)
    graph = nx.DiGraph((s, t) for s in cfg.reachable for t in cfg.flow[s])
    for component in nx.strongly_connected_components(graph):
        is_cycle = len(component) > 1 or graph.has_edge(*(list(component) * 2)[:2])
        for block in component:
            assert (loops.innermost[block] is not None) == is_cycle


@pytest.mark.parametrize("depth", [1, 5, 40, 3000])
def test_loops_nest_to_any_depth(depth):
    text = "\n".join(f"l{i}: alu" for i in range(depth))
    text += "\n" + "\n".join(f"cbr @l{i}" for i in reversed(range(depth))) + "\nret"
    loops = loops_of(text)
    assert len(loops.all) == depth
    assert len(loops.around(depth - 1)) == depth
