import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.asm.flow.cfg import Walk, build, reach
from simtlab.asm.flow.dominators import dominators, post_dominators, tree
from simtlab.asm.flow.graph import Edges, components, leaders, live_before, reachable

from ..support.kernels import draft


@st.composite
def graphs(draw: st.DrawFn) -> Edges:
    n = draw(st.integers(1, 12))
    nodes = st.integers(0, n - 1)
    return tuple(tuple(draw(st.lists(nodes, max_size=3, unique=True))) for _ in range(n))


def as_networkx(edges: Edges) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(edges)))
    graph.add_edges_from((s, t) for s, targets in enumerate(edges) for t in targets)
    return graph


@settings(max_examples=1000, deadline=None)
@given(graphs())
def test_immediate_dominators_are_those_of_networkx(edges):
    expected = dict(nx.immediate_dominators(as_networkx(edges), 0))
    expected.pop(0, None)
    found = tree(edges, 0).parents
    assert {node: parent for node, parent in enumerate(found) if parent is not None} == expected


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_a_node_dominates_what_cannot_be_reached_without_it(edges):
    found = tree(edges, 0)
    reachable = reach(edges, (0,))
    for above in range(len(edges)):
        without = reach(edges, (0,), frozenset({above}))
        for below in range(len(edges)):
            expected = above in reachable and below in reachable and below not in without
            assert found.dominates(above, below) == expected


@given(graphs())
def test_the_child_above_a_node_is_the_one_of_its_dominators_that_is_a_child(edges):
    found = tree(edges, 0)
    for above, children in enumerate(found.children):
        for below in range(len(edges)):
            for child in children:
                if found.dominates(child, below):
                    assert found.child_above(above, below) == child


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_strongly_connected_components_are_those_of_networkx(edges):
    found = components(edges, range(len(edges)))
    expected = nx.strongly_connected_components(as_networkx(edges))
    assert {frozenset(c) for c in found} == {frozenset(c) for c in expected}
    place = {node: i for i, c in enumerate(found) for node in c}
    assert all(place[s] >= place[t] for s, targets in enumerate(edges) for t in targets)


@given(graphs())
def test_a_walk_comes_to_nodes_as_networkx_does(edges):
    walk = Walk(edges, 0)
    graph = as_networkx(edges)
    assert walk.order == list(nx.dfs_preorder_nodes(graph, 0))
    assert walk.parent == nx.dfs_predecessors(graph, 0)
    found = nx.DiGraph((a, b) for b, a in walk.parent.items())
    found.add_node(0)
    for above in walk.order:
        behind = nx.descendants(found, above) | {above}
        assert {node for node in walk.order if walk.is_behind(node, above)} == behind


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_every_block_of_any_code_has_a_post_dominator(data):
    n = data.draw(st.integers(1, 12))
    lines = data.draw(
        st.lists(
            st.one_of(
                st.sampled_from(["alu", "ret"]),
                st.builds(
                    "{} @{:x}".format,
                    st.sampled_from(["br", "cbr"]),
                    st.integers(0, n - 1).map(lambda i: 8 * i),
                ),
            ),
            min_size=n,
            max_size=n,
        )
    )
    cfg = build(draft("\n".join([*lines, "ret"])).code)
    parents = post_dominators(cfg).parents
    assert all(parents[b.number] is not None for b in cfg.blocks)
    graph = as_networkx(cfg.successors).reverse()
    expected = dict(nx.immediate_dominators(graph, cfg.exit))
    expected.pop(cfg.exit, None)
    assert dict(enumerate(parents[:-1])) == expected


def test_an_if_with_an_else_is_dominated_by_its_branch_and_post_dominated_by_its_join():
    cfg = build(draft("cbr @else\nalu\nbr @join\nelse: alu\njoin: ret").code)
    assert dominators(cfg).parents == (None, 0, 0, 0, 3)
    assert post_dominators(cfg).parents == (3, 3, 3, 4, None)
    assert dominators(cfg).children == ((1, 2, 3), (), (), (4,), ())


def test_unreachable_blocks_have_post_dominators_but_no_dominators():
    cfg = build(draft("br @end\nalu\nend: ret").code)
    assert dominators(cfg).parents == (None, None, 0, 2)
    assert post_dominators(cfg).parents == (2, 2, 3, None)
    assert not dominators(cfg).dominates(0, 1)


def test_runs_begin_at_targets_and_after_ends() -> None:
    assert leaders([None, 3, 9], [False, True, False, False]) == [0, 2, 3]
    assert leaders([], []) == []


def test_a_path_ends_at_a_stop_and_stays_inside() -> None:
    ways = {0: [1], 1: [2, 4], 2: [3], 3: [0], 4: []}
    assert reachable(ways, [0, 5], range(4)) == {0, 1, 2, 3}
    assert reachable(ways, [0], range(5), stop={1}) == {0, 1}


def test_what_is_read_in_a_loop_is_live_around_it() -> None:
    successors = {0: [1], 1: [1, 2], 2: []}
    reads = {0: frozenset[str](), 1: frozenset("a"), 2: frozenset("b")}
    writes = {0: frozenset("a"), 1: frozenset("ab"), 2: frozenset[str]()}
    live = live_before([0, 1, 2], successors, reads, writes)
    assert live == {0: frozenset(), 1: frozenset("a"), 2: frozenset("b")}
