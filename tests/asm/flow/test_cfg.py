from simtlab.asm.flow.cfg import build, reverse

from ..support.kernels import draft


def graph(text: str):
    return build(draft(text).code)


def test_a_straight_kernel_is_one_block_that_leads_to_the_exit():
    cfg = graph("alu\nalu\nret")
    assert [(b.start, b.end) for b in cfg.blocks] == [(0, 3)]
    assert cfg.exit == 1
    assert cfg.successors == ((1,), ())
    assert reverse(cfg.successors) == ((), (0,))


def test_the_fall_through_comes_before_the_taken_side():
    cfg = graph("cbr @else\nalu\nbr @join\nelse: alu\njoin: ret")
    assert cfg.successors == ((1, 2), (3,), (3,), (4,), ())
    assert reverse(cfg.successors) == ((), (0,), (0,), (1, 2), (3,))
    assert cfg.block_of == (0, 1, 1, 2, 3)


def test_every_ret_and_every_trap_leads_to_the_one_exit():
    cfg = graph("cbr @a\nret\na: cbr @b\ntrap\nb: ret")
    assert cfg.successors == ((1, 2), (5,), (3, 4), (5,), (5,), ())
    assert reverse(cfg.successors)[cfg.exit] == (1, 3, 4)


def test_a_branch_with_two_equal_sides_has_one_successor():
    assert graph("cbr @next\nnext: ret").successors == ((1,), (2,), ())


def test_a_jump_to_the_next_instruction_still_ends_its_block():
    assert graph("alu\nbr @next\nnext: alu\nret").successors == ((1,), (2,), ())


def test_code_after_a_jump_that_is_no_target_is_unreachable():
    cfg = graph("br @end\nalu\nalu\nend: ret")
    assert cfg.reachable == {0, 2}
    assert [(b.start, b.end) for b in cfg.unreachable] == [(1, 3)]
    assert reverse(cfg.successors)[2] == (0, 1)


def test_an_endless_loop_has_one_edge_from_its_last_block_to_the_exit():
    cfg = graph("head: alu\ncbr @skip\nalu\nskip: br @head")
    assert cfg.endless == {2}
    assert cfg.successors == ((1, 2), (2,), (0, 3), ())
    assert cfg.flow == ((1, 2), (2,), (0,), ())


def test_an_endless_jump_to_itself_has_one_edge_to_the_exit():
    assert graph("self: br @self").successors == ((0, 1), ())


def test_of_nested_endless_loops_one_block_leads_to_the_exit():
    cfg = graph("outer: alu\ninner: cbr @inner\nbr @outer")
    assert cfg.endless == {2}


def test_a_loop_with_a_way_out_is_not_endless():
    assert graph("head: alu\ncbr @head\nret").endless == frozenset()


def test_an_endless_loop_in_unreachable_code_leads_to_the_exit_too():
    cfg = graph("ret\nself: br @self")
    assert cfg.endless == {1}
    assert cfg.unreachable == (cfg.blocks[1],)


def test_a_way_out_of_the_code_leads_to_the_exit_until_the_verifier_refuses_it():
    assert graph("cbr @100\nalu").successors == ((1, 2), (2,), ())


def test_no_code_is_an_exit_alone():
    cfg = graph("")
    assert cfg.blocks == ()
    assert cfg.successors == ((),)
    assert cfg.reachable == frozenset()


def test_the_printed_graph_shows_byte_addresses_endings_and_edges():
    assert str(graph("cbr @20\nalu\nbr @20\nalu\nself: br @self")) == (
        "B0    0x00..0x00  cbr        -> B1 B3\n"
        "B1    0x08..0x10  br         -> B3\n"
        "B2    0x18..0x18  add_u32    -> B3  (unreachable)\n"
        "B3    0x20..0x20  br         -> B3 exit  (endless)"
    )


def test_a_kernel_with_many_blocks_needs_no_deep_recursion():
    cfg = graph("\n".join(["cbr @0"] * 3000) + "\nret")
    assert len(cfg.blocks) == 3001
    assert cfg.endless == frozenset()
