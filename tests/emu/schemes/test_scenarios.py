"""The worked scenarios of paired-path comparison and of the post-dominator stack, step by step.

Masks are written with lane 0 on the left. Numbers are those of docs/papers.md's scenarios, which
were derived from the papers' figures by hand and by a literal transcription of PPC Figs. 4 and 5.
"""

from __future__ import annotations

import pytest

from simtlab.emu.engine import SchemeSpec
from simtlab.emu.schemes import SCHEMES, resolve
from simtlab.emu.schemes.ppc import PairedPath
from simtlab.emu.schemes.stack import Entry, IpdomStack
from simtlab.isa.errors import UsageError

from ..support.scheme_walker import lanes, show, start, step, taken_by, walk

ALU = ("alu",)
EXIT = ("exit",)
RCV = ("rcv",)


def jmp(target):
    return ("jmp", target)


def br(target, join, outcome):
    return ("br", target, join, taken_by(outcome) if isinstance(outcome, str) else outcome)


IF_ELSE = {
    0x00: ALU, 0x08: br(0x28, 0x38, "01100000"),
    0x10: ALU, 0x18: ALU, 0x20: jmp(0x38),
    0x28: ALU, 0x30: ALU,
    0x38: ALU, 0x40: EXIT,
}  # fmt: skip
NESTED = {
    0x00: br(0x30, 0x40, "00001111"), 0x08: ALU, 0x10: br(0x28, 0x40, "00110000"),
    0x18: ALU, 0x20: jmp(0x40), 0x28: jmp(0x40),
    0x30: ALU, 0x38: ALU,
    0x40: ALU, 0x48: EXIT,
}  # fmt: skip
LOOP = {
    0x00: ALU, 0x08: ALU, 0x10: br(0x08, 0x18, lambda lane, visit: visit < lane),
    0x18: ALU, 0x20: EXIT,
}  # fmt: skip


def short_circuit(b):
    return {
        0x00: ALU, 0x08: br(0x38, 0x50, "11110000"), 0x10: ALU, 0x18: br(0x38, 0x50, b),
        0x20: ALU, 0x28: ALU, 0x30: jmp(0x50),
        0x38: ALU, 0x40: ALU, 0x48: ALU,
        0x50: ALU, 0x58: EXIT,
    }  # fmt: skip


GOTO_ERROR = {
    0x00: br(0x20, 0x50, "00001111"), 0x08: ALU, 0x10: br(0x40, 0x50, "11111111"), 0x18: jmp(0x50),
    0x20: ALU, 0x28: br(0x40, 0x50, "11111111"), 0x30: jmp(0x50),
    0x40: ALU, 0x48: ALU, 0x50: ALU, 0x58: EXIT,
}  # fmt: skip


def test_s_ppc_f1_both_schemes_run_an_if_else_alike():
    for scheme in ("stack", "ppc", "per-thread"):
        result = walk(scheme, IF_ELSE)
        assert (result.count, result.activity) == (9, 0.75)
        assert result.addresses == [0, 8, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40]


def test_s_ppc_f3_the_dual_path_stack_holds_both_sides_of_the_branch():
    scheme = start("ppc", 8)
    assert isinstance(scheme, PairedPath)
    visits: dict[tuple[int, int], int] = {}
    seen = []
    top = None
    while scheme.mask:
        step(scheme, IF_ELSE[scheme.pc * 8], visits, 8)
        if scheme.stack:
            (top,) = scheme.stack
            scheme.stack[-1].current.pc = scheme.pc
            seen.append(
                (top.taken.pc * 8, top.not_taken.pc * 8, "T" if top.taken_is_current else "N")
            )
    assert top is not None
    assert (show(top.taken.mask, 8), show(top.not_taken.mask, 8)) == ("01100000", "10011111")
    assert seen == [
        (0x28, 0x10, "N"), (0x28, 0x18, "N"), (0x28, 0x20, "N"),
        (0x28, 0x38, "T"), (0x30, 0x38, "T"),
    ]  # fmt: skip


def test_s_ppc_f2_per_thread_pcs_cost_a_comparison_per_thread_and_instruction():
    assert walk("per-thread", IF_ELSE).comparisons == 72
    # While the stack is not empty: five instructions, B's three and C's two.
    assert walk("ppc", IF_ELSE).comparisons == 5


def test_s_ppc_f4_a_merge_cascades_to_the_parent():
    result = walk("ppc", NESTED)
    assert (result.count, result.activity) == (10, 0.575)
    assert result.issued[4:8] == [
        (0x20, "11000000"), (0x28, "00110000"), (0x30, "00001111"), (0x38, "00001111"),
    ]  # fmt: skip
    assert walk("stack", NESTED).activity == 0.575
    literal = walk("ppc", NESTED, cascade=False)
    assert (literal.count, literal.activity) == (11, 0.5227)


def test_s_ppc_f5_a_divergent_loop_merges_three_levels_in_one_step():
    result = walk("ppc", LOOP, width=4)
    assert (result.count, result.activity) == (11, 0.7273)
    assert max(result.depths) == 3
    assert result.issued[-2:] == [(0x18, "1111"), (0x20, "1111")]
    assert walk("stack", LOOP, width=4).activity == 0.7273
    literal = walk("ppc", LOOP, width=4, cascade=False)
    assert (literal.count, literal.activity) == (14, 0.5714)


def test_s_ppc_x1_a_short_circuit_re_converges_before_the_post_dominator():
    code = short_circuit("00001111")
    ppc, stack = walk("ppc", code), walk("stack", code)
    assert (ppc.count, ppc.activity) == (9, 0.8889)
    assert (stack.count, stack.activity) == (12, 0.6667)


def test_s_ppc_x2_sides_on_different_levels_do_not_meet():
    code = short_circuit("00001100")
    for scheme in ("ppc", "stack"):
        result = walk(scheme, code)
        assert (result.count, result.activity) == (15, 0.5333)
    per_thread = walk("per-thread", code)
    assert (per_thread.count, per_thread.activity) == (12, 0.6667)


def test_s_ppc_x3_a_goto_from_both_arms_merges_at_the_shared_tail():
    ppc, stack = walk("ppc", GOTO_ERROR), walk("stack", GOTO_ERROR)
    assert (ppc.count, ppc.activity) == (9, 0.7778)
    assert (stack.count, stack.activity) == (11, 0.6364)


IF_ELSE_RCV = {
    0x00: ALU, 0x08: br(0x28, 0x38, "01100000"),
    0x10: ALU, 0x18: ALU, 0x20: jmp(0x38),
    0x28: ALU, 0x30: ALU,
    0x38: RCV, 0x40: ALU, 0x48: EXIT,
}  # fmt: skip


def test_s_ppc_x4_explicit_markers_cost_one_issue_per_arriving_side():
    for scheme in ("ppc-explicit", "ipdom-explicit"):
        result = walk(scheme, IF_ELSE_RCV)
        assert (result.count, result.activity) == (11, 0.7045)
        assert result.addresses.count(0x38) == 2
    uniform = {**IF_ELSE_RCV, 0x08: br(0x28, 0x38, "00000000")}
    assert walk("ppc-explicit", uniform).count == 8


def test_s_ppc_x5_an_explicit_loop_executes_its_marker_once_per_lane_group():
    code = {
        0x00: ALU, 0x08: ALU, 0x10: br(0x08, 0x18, lambda lane, visit: visit < lane),
        0x18: RCV, 0x20: ALU, 0x28: EXIT,
    }  # fmt: skip
    for scheme in ("ppc-explicit", "ipdom-explicit"):
        result = walk(scheme, code, width=4)
        assert (result.count, result.activity) == (15, 0.6)
        assert result.addresses.count(0x18) == 4


def test_s_ppc_x6_explicit_nesting_has_one_marker_per_branch():
    code = {
        0x00: br(0x30, 0x48, "00001111"), 0x08: ALU, 0x10: br(0x28, 0x40, "00110000"),
        0x18: ALU, 0x20: jmp(0x40), 0x28: jmp(0x40),
        0x30: ALU, 0x38: jmp(0x48),
        0x40: RCV, 0x48: RCV,
        0x50: ALU, 0x58: EXIT,
    }  # fmt: skip
    result = walk("ppc-explicit", code)
    assert result.count == 14
    assert (0x48, "11110000") in result.issued
    assert result.issued[-2:] == [(0x50, "11111111"), (0x58, "11111111")]


def test_s_ppc_x7_a_join_at_a_lower_address_is_never_seen():
    code = {
        0x00: jmp(0x18), 0x08: ALU, 0x10: EXIT,
        0x18: br(0x30, 0x08, "00001111"), 0x20: ALU, 0x28: jmp(0x08), 0x30: ALU, 0x38: jmp(0x08),
    }  # fmt: skip
    ppc, stack = walk("ppc", code), walk("stack", code)
    assert (ppc.count, ppc.activity) == (10, 0.6)
    assert (stack.count, stack.activity) == (8, 0.75)


def test_s_dws_f3_the_stack_of_a_divergent_branch():
    scheme = start("stack", 8)
    assert isinstance(scheme, IpdomStack)
    d, c, b = 9, 6, 2
    whole, c_mask, b_mask = 255, lanes("00000110"), lanes("11111001")
    scheme.branch(c_mask, c, b, d)
    assert scheme.stack == [Entry(d, -1, whole), Entry(c, d, c_mask), Entry(b, d, b_mask)]
    assert (scheme.pc, scheme.mask) == (b, b_mask)
    scheme.pc = d
    scheme.arrive()
    assert scheme.stack == [Entry(d, -1, whole), Entry(c, d, c_mask)]
    scheme.pc = d
    scheme.arrive()
    assert scheme.stack == [Entry(d, -1, whole)]
    assert (scheme.pc, scheme.mask) == (d, whole)


@pytest.mark.parametrize(
    ("first_path", "first"),
    [
        ("fallthrough", "10011111"),
        ("taken", "01100000"),
        ("majority", "10011111"),
        ("minpc", "10011111"),
    ],
)
def test_q_dws_11_the_first_path_is_a_knob(first_path, first):
    result = walk("stack", IF_ELSE, **{"first-path": first_path})
    assert result.issued[2][1] == first
    assert result.count == 9


def test_q_dws_12_a_path_that_starts_at_its_join_is_popped_at_once():
    code = {0x00: br(0x10, 0x10, "00001111"), 0x08: ALU, 0x10: ALU, 0x18: EXIT}
    result = walk("stack", code)
    assert result.issued == [
        (0x00, "11111111"), (0x08, "11110000"), (0x10, "11111111"), (0x18, "11111111"),
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lanes_that_exit_inside_a_branch_leave_every_mask(scheme):
    code = {
        0x00: br(0x18, None, "00001111"), 0x08: br(0x18, 0x18, "11000000"), 0x10: EXIT,
        0x18: RCV, 0x20: ALU, 0x28: EXIT,
    }  # fmt: skip
    result = walk(scheme, code)
    ended = [mask for address, mask in result.issued if address in (0x10, 0x28)]
    assert sorted("".join(ended).count(c) for c in "1") == [8]
    gone = [0] * 8
    for address, mask in result.issued:
        for lane in range(8):
            if mask[lane] == "1":
                assert not gone[lane], "a lane runs after its exit"
                gone[lane] = address in (0x10, 0x28)
    assert all(gone)


def test_q_ppc_12_the_survivor_of_an_entry_continues_at_the_level_below():
    code = {0x00: br(0x10, None, "00001111"), 0x08: EXIT, 0x10: ALU, 0x18: EXIT}
    result = walk("ppc", code)
    assert result.issued[2:] == [(0x10, "00001111"), (0x18, "00001111")]
    assert result.depths == [1, 0, 0, 0]


def test_the_depth_of_the_dual_path_stack_stays_below_the_warp_width():
    result = walk("ppc", LOOP, width=16)
    assert max(result.depths) == 15


def test_an_unknown_scheme_or_knob_is_refused_with_a_suggestion():
    for name, meant in (("ipdom", "`stack`"), ("stack-explicit", "`ipdom-explicit`")):
        with pytest.raises(UsageError, match=f"unknown scheme '{name}'.*\n.*is called {meant}"):
            resolve(SchemeSpec(name))
    with pytest.raises(UsageError, match=r"unknown scheme 'stak'.*\n.*did you mean `stack`\?"):
        resolve(SchemeSpec("stak"))
    with pytest.raises(UsageError, match=r"scheme ppc has no knob 'casc'"):
        resolve(SchemeSpec("ppc", {"casc": True}))
    with pytest.raises(UsageError, match=r"cannot be 'left'; it takes fallthrough, taken"):
        resolve(SchemeSpec("stack", {"first-path": "left"}))
