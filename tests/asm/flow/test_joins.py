import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.asm.draft import Join
from simtlab.asm.flow.cfg import build, reach
from simtlab.asm.flow.dominators import post_dominators
from simtlab.asm.flow.joins import (
    annotate,
    check_program,
    is_post_dominator,
    why_not_post_dominator,
)
from simtlab.asm.texts.collector import Collector
from simtlab.isa import BY_NAME, Instruction, Kernel, ObjectFileError, Program, Reg, RegClass
from simtlab.isa.encoding import encode

from ..support.kernels import draft, jumping_code


def annotated(text: str, limit: int = 50):
    kernel, collector = draft(text), Collector()
    annotate(kernel, build(kernel.code), collector, limit)
    assert collector.diagnostics == ()
    return kernel


def joins(text: str) -> list[int | Join]:
    return [ins.join for ins in annotated(text).code if ins.row.is_conditional]


def subdivides(text: str, limit: int) -> list[bool | None]:
    return [ins.subdivide for ins in annotated(text, limit).code if ins.row.is_conditional]


def test_an_if_re_converges_where_its_sides_meet():
    assert joins("cbr @join\nalu\njoin: ret") == [2]


def test_an_if_with_an_else_re_converges_after_both():
    assert joins("cbr @else\nalu\nbr @join\nelse: alu\njoin: ret") == [4]


def test_a_loop_re_converges_after_it():
    assert joins("alu\nhead: alu\ncbr @head\nalu\nret") == [3]


def test_sides_that_end_apart_have_no_join():
    assert joins("cbr @a\nret\na: ret") == [Join.NONE]


def test_a_side_that_traps_is_not_waited_for():
    assert joins("cbr @a\ntrap\na: ret") == [2]
    assert joins("cbr @a\nalu\nbr @join\na: trap\njoin: ret") == [1]


def test_a_trap_at_the_end_of_a_longer_way_makes_all_of_it_a_side_that_is_not_waited_for():
    code = "cbr @skip\ncbr @b\nalu\nb: alu\ntrap\nskip: alu\nret"
    assert joins(code) == [5, 3]


def test_a_loop_with_an_assertion_joins_after_the_assertion_and_after_the_loop():
    assert joins("head: alu\ncbr @ok\ntrap\nok: alu\ncbr @head\nret") == [3, 5]


def test_sides_that_both_trap_have_no_join():
    assert joins("cbr @a\ntrap\na: trap") == [Join.NONE]


def test_a_loop_that_only_a_trap_leaves_joins_at_the_trap():
    assert joins("head: alu\ncbr @end\nbr @head\nend: trap") == [3]


def test_the_join_of_a_side_that_traps_is_the_one_that_a_loaded_program_may_name():
    kernel = annotated("cbr @a\ntrap\na: ret")
    cfg = build(kernel.code)
    assert is_post_dominator(cfg, post_dominators(cfg), 0, 2)
    assert not is_post_dominator(cfg, post_dominators(cfg), 0, 1)


def test_a_short_circuit_re_converges_after_the_whole_condition():
    code = "cbr @x\ncbr @x\nalu\nbr @join\nx: alu\njoin: ret"
    assert joins(code) == [5, 5]


def test_a_branch_in_unreachable_code_has_a_join_too():
    assert joins("ret\ncbr @a\nalu\na: ret") == [3]


def test_a_branch_in_an_endless_loop_joins_inside_the_loop():
    assert joins("head: cbr @skip\nalu\nskip: alu\nbr @head") == [2]


def test_a_branch_whose_two_sides_are_equal_joins_there():
    assert joins("cbr @a\na: ret") == [1]


def test_a_join_that_the_source_names_may_be_a_later_post_dominator():
    assert joins("cbr @a @b\nalu\na: alu\nb: ret") == [3]


def test_a_branch_may_give_up_its_join():
    assert joins("cbr @a none\nalu\na: ret") == [Join.NONE]


def test_a_join_that_a_path_avoids_is_an_error_that_shows_the_path():
    kernel, collector = draft("cbr @c @b\nalu\nb: cbr @c\nalu\nc: ret"), Collector()
    annotate(kernel, build(kernel.code), collector)
    (problem,) = collector.diagnostics
    assert problem.code == "SIM150"
    assert problem.message == (
        "cbr does not always re-converge at line 3: a path avoids it: "
        "cbr at line 1 is taken, then ret at line 5 ends the work-item"
    )
    assert problem.label == "not a post-dominator of the branch"
    assert problem.hint == ("leave the re-convergence point out, or name the instruction at line 5")
    assert problem.span == kernel.code[0].join_span
    assert [(note.message, note.span) for note in problem.notes] == [
        ("cbr is taken", kernel.code[0].span),
        ("ret ends the work-item", kernel.code[4].span),
    ]


def test_the_hint_proposes_none_where_no_join_exists():
    kernel, collector = draft("cbr @a @a\nret\na: ret"), Collector()
    annotate(kernel, build(kernel.code), collector)
    (problem,) = collector.diagnostics
    assert problem.hint == "leave the re-convergence point out, or write none"


def test_a_path_that_loops_for_ever_avoids_a_join_after_the_loop():
    cfg = build(draft("cbr @b\nself: br @self\nb: ret").code)
    assert why_not_post_dominator(cfg, post_dominators(cfg), 0, 2) == (
        "a path avoids it: cbr at 0x00 falls through, then br at 0x08 goes round for ever"
    )


def test_a_join_before_the_branch_in_its_own_block_is_not_a_post_dominator():
    cfg = build(draft("head: alu\ncbr @head\nret").code)
    assert why_not_post_dominator(cfg, post_dominators(cfg), 1, 0) == (
        "a path avoids it: cbr at 0x08 falls through, then ret at 0x10 ends the work-item"
    )


@settings(max_examples=200, deadline=None)
@given(jumping_code, st.data())
def test_a_join_is_legal_exactly_when_no_path_avoids_it(lines, data):
    code = draft("\n".join([*lines, "ret"])).code
    cfg = build(code)
    branch = data.draw(st.sampled_from(range(len(code))))
    join = data.draw(st.sampled_from(range(len(code))))
    branch = cfg.blocks[cfg.block_of[branch]].last
    start, barred = cfg.block_of[branch], cfg.block_of[join]
    free = reach(cfg.successors, cfg.successors[start], frozenset({barred}))
    assert is_post_dominator(cfg, post_dominators(cfg), branch, join) == (cfg.exit not in free)


@settings(max_examples=300, deadline=None)
@given(jumping_code)
def test_every_computed_join_is_a_post_dominator(lines):
    kernel = annotated("\n".join([*lines, "ret"]))
    cfg = build(kernel.code)
    tree = post_dominators(cfg)
    for pc, ins in enumerate(kernel.code):
        if isinstance(ins.join, int):
            assert is_post_dominator(cfg, tree, pc, ins.join)


def test_dws_06_a_branch_may_subdivide_where_the_block_at_its_join_is_short():
    code = "cbr @join\nalu\njoin: alu\nalu\nret"
    assert subdivides(code, 3) == [True]
    assert subdivides(code, 2) == [False]


def test_dws_06_the_block_at_the_join_ends_at_the_next_branch_or_label():
    code = "cbr @join\nalu\njoin: alu\ncbr @end\nalu\nalu\nalu\nend: ret"
    assert subdivides(code, 2) == [True, True]
    assert subdivides(code, 1) == [False, True]


def test_dws_06_fifty_instructions_are_the_limit_unless_told():
    def first(n: int) -> bool | None:
        text = "cbr @join\nalu\njoin: " + "\n".join(["alu"] * (n - 1)) + "\nret"
        return annotated(text).code[0].subdivide

    assert first(50) is True
    assert first(51) is False


def test_dws_06_markers_do_not_count():
    code = "cbr @join\nalu\njoin: rcv\nrcv\nalu\nret"
    assert subdivides(code, 2) == [True]
    assert subdivides(code, 1) == [False]


def test_dws_06_a_marker_alone_in_its_block_belongs_to_the_block_after_it():
    code = "cbr @outer\ncbr @inner\nalu\ninner: rcv\nouter: rcv\nalu\nret"
    assert joins(code) == [4, 3]
    assert subdivides(code, 2) == [True, True]
    assert subdivides(code, 1) == [False, False]


def test_dws_06_a_branch_without_a_join_may_always_subdivide():
    assert subdivides("cbr @a\nalu\nret\na: ret", 0) == [True]


def test_flags_that_the_source_gives_are_kept():
    kernel = draft("head: alu\ncbr @head\nbr @end\nend: ret")
    kernel.code[1].subdivide = False
    kernel.code[1].loop = False
    kernel.code[2].loop = True
    annotate(kernel, build(kernel.code), Collector())
    assert [(i.subdivide, i.loop) for i in kernel.code] == [
        (None, None),
        (False, False),
        (None, True),
        (None, None),
    ]


def test_q_dws_41_branches_that_close_or_leave_a_loop_get_the_loop_flag():
    kernel = annotated("head: cbr @end\ncbr @skip\nalu\nskip: br @head\nend: ret")
    assert [ins.loop for ins in kernel.code] == [True, False, None, True, None]


def program(join: int | None) -> Program:
    c0 = (Reg(RegClass.C, 0),)
    code = [
        Instruction(BY_NAME["cbr"], srcs=c0, target=2, join=join),
        Instruction(BY_NAME["nop"]),
        Instruction(BY_NAME["nop"]),
        Instruction(BY_NAME["ret"]),
    ]
    words = tuple(encode(ins, pc) for pc, ins in enumerate(code))
    return Program((Kernel("k", (), words),))


@pytest.mark.parametrize("join", [None, 2, 3])
def test_a_loaded_program_may_name_any_post_dominator_or_none(join):
    check_program(program(join))


def test_a_loaded_program_with_a_join_that_a_path_avoids_is_refused():
    with pytest.raises(ObjectFileError) as error:
        check_program(program(1))
    assert error.value.first.message == (
        "kernel k, word 0 (cbr): its re-convergence point 0x08 is not a post-dominator: "
        "a path avoids it: cbr at 0x00 is taken, then ret at 0x18 ends the work-item"
    )
