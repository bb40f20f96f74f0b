"""The command language: what each command prints, and what it says of mistakes."""

from __future__ import annotations

import pytest

from simtlab.debugger.commands.changes import ExpectationFailed
from simtlab.debugger.commands.registry import COMMANDS
from simtlab.debugger.commands.run import Commands, Quit
from simtlab.isa.errors import UsageError

from .support.kernels import affine, hung, on_chip


@pytest.fixture
def commands():
    return Commands(affine())


def run(commands: Commands, *lines: str) -> str:
    return "\n".join(text for line in lines for text in commands.run(line))


def test_a_walk_through_the_wrong_value(commands):
    out = run(commands, "watch y[3]", "continue")
    assert "watchpoint 1: y[3] is written; 1 hit, 1 of them ahead" in out
    assert "lane 3 (work-item 3)" in out
    assert run(commands, "print y[3]") == "y[3] = 14"
    assert "lane 3) at <text>:12: mov_u32            $s5, 0" in run(commands, "writer $s5")
    out = run(commands, "back to divergence", "where")
    assert "=> 00010000  next" in out
    assert "11101111  waits on the stack" in out


def test_registers_are_shown_in_four_readings_and_changes_marked(commands):
    out = run(commands, "step 5", "registers")
    (line,) = [x for x in out.splitlines() if x.split()[0].lstrip("*") == "$s3"]
    assert line.split() == ["*$s3", "0x00000005", "5", "5", "7e-45"]
    lanes = run(commands, "registers $s3")
    assert lanes.splitlines()[0].startswith("$s3 as s32")
    assert [v.strip("*'") for v in lanes.splitlines()[1].split()[1:]] == [
        "5", "1", "4", "-7", "2", "6", "3", "8",
    ]  # fmt: skip
    assert "0xfffffff9" in run(commands, "registers $s3.x")
    assert run(commands, "print $s3[3]").startswith("$s3[3] = -7  (s32; 0xfffffff9")
    assert run(commands, "lanes $s3 * 2").splitlines()[3] == "lane  3: -14"


def test_lanes_say_why_they_show_nothing(commands):
    assert run(commands, "goto end", "lanes $s3").endswith("no lane of this warp is active here")
    with pytest.raises(UsageError, match=r"lanes needs an expression, as `lanes \$s0`"):
        run(commands, "lanes")


def test_memory_is_listed_and_shown():
    commands = Commands(on_chip(warp=4))
    assert [line.split()[0] for line in commands.run("memory")] == [
        "x", "y", "%x", "%y", "part", "own",
    ]  # fmt: skip
    assert run(commands, "memory x[2..4]").split() == ["2:", "102", "103", "104"]
    assert "more" not in run(commands, "memory x[0..2]")
    assert "9 elements" not in run(commands, "memory x[3..]")
    assert "0x00000066" in run(commands, "memory x[2].x")
    assert run(commands, "memory x[0..3].u8").split()[1:5] == ["100", "0", "0", "0"]
    run(commands, "goto end", "warp 1")
    assert run(commands, "memory part").split() == ["0:", "104", "105", "106", "107"]


def test_the_stack_and_the_code_are_shown(commands):
    out = run(commands, "to divergence", "stack")
    assert "00010000  stack, re-converges at pc 11" in out
    assert "11111111  stack" in out
    listing = run(commands, "list")
    assert any(line.startswith(" =>    12 |") for line in listing.splitlines())
    assert any(line.startswith("  >    15 |") for line in listing.splitlines())
    assert "joins at pc 11" in run(commands, "disasm")
    assert "warp 0 of workgroup 0" in run(commands, "warp")


def test_breakpoints_are_listed_changed_and_removed(commands):
    run(commands, "break 15 if $s3 > 4 hits 1", "break @positive", "watch y[0..3]")
    out = run(commands, "breaks")
    assert "1  on   <text>:15 if $s3 > 4 hits 1" in out
    assert "y[0] (16 bytes) is written" in out
    assert "off" in run(commands, "disable 2")
    assert "off" not in run(commands, "enable all")
    assert "0 hits" in run(commands, "condition 1 $s3 == 99")
    assert "1 hit," in run(commands, "condition 1")
    assert "0 hits" in run(commands, "hits 1 2")
    assert run(commands, "delete 1 3") == "2 removed"
    assert [p.number for p in commands.session.breakpoints] == [2]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("break 15 item 2", "15 item 2; 1 hit"),
        ("break item 3", "work-item 3 runs; 1 hit"),
        ("break item 0+2", "work-item 2 runs; 2 hits"),
        ("break mask", "the mask changes; 2 hits"),
        ("break mask warp 0", "the mask of warp 0 changes; 2 hits"),
        ("break time 5", "step 5; 1 hit"),
        ("break event divergence", "divergence; 1 hit"),
        ("break event exit warp 0", "exit of warp 0; 1 hit"),
        ("break affine", "kernel affine; 1 hit"),
        ("break affine@positive", "affine@positive; 1 hit"),
        ("break @positive if item == 2", "@positive; 1 hit"),
        ("watch $s5[lane 3]", "$s5 of lane 3 of warp 0 changes; 2 hits"),
        ("watch $s5[3] if $s5 == 0", "changes; 1 hit"),
    ],
)
def test_places_of_breakpoints(commands, line, text):
    assert text in run(commands, line)


def test_an_empty_line_repeats_a_move_and_nothing_else(commands):
    run(commands, "step", "", "")
    assert commands.session.next_pc == 3
    run(commands, "back", "")
    assert commands.session.next_pc == 1
    assert run(commands, "print 1", "") == "1 = 1"
    assert run(commands, "# a comment", "   # another") == ""
    assert run(commands, "echo a#b  # c") == "a#b"


def test_edits_are_marked_everywhere(commands):
    out = run(commands, "step 5", "set $s3[lane 2] = -9")
    assert "$s3[lane 2] = -9" in out
    assert "[edited] step" in out
    assert "[edited]" in run(commands, "info")
    assert "[edited]" in run(commands, "step")
    with pytest.raises(UsageError, match="an edited run cannot be written"):
        run(commands, "save f.npz")
    assert "[edited]" not in run(commands, "undo")


def test_a_session_is_saved(commands, tmp_path):
    import simtlab

    run(commands, f"save '{tmp_path / 'a b.npz'}'")
    assert simtlab.Recording.load(tmp_path / "a b.npz").facts["title"]
    session = simtlab.debug(tmp_path / "a b.npz")
    assert session.timeline.n == commands.session.timeline.n
    with pytest.raises(UsageError, match=r"simtlab\.debug takes a recording"):
        simtlab.debug(7)  # pyright: ignore[reportArgumentType]


def test_expectations(commands):
    assert run(commands, "goto end", "expect y[3] == 14") == run(commands, "goto end")
    with pytest.raises(ExpectationFailed) as failed:
        commands.run("expect y[3] == 114")
    assert "`y[3] == 114` is not true (y[3] is 14) at step" in str(failed.value)


def test_the_end_of_a_hang_says_who_waits():
    commands = Commands(hung())
    out = run(commands, "continue", "where")
    assert "SIMT deadlock" in out
    assert "of its lanes have not returned" in out
    assert "1000  waits on the stack" in out


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("stepp", "did you mean `step`"),
        ("frobnicate", "`help` lists the commands"),
        ("step 0", "step takes a whole number from 1 on"),
        ("step many", "step takes a whole number from 1 on"),
        ("back up", "`back` is followed by step"),
        ("to divergance", "did you mean `divergence`"),
        ("to merge", "there is no later merge of warp 0"),
        ("to divergence somewhere", "takes `any`"),
        ("goto", "takes start, end or a time"),
        ("goto 99999", "there is no step 99,999"),
        ("break", "`break` takes a place"),
        ("break here there", "`break` takes a place"),
        ("break 99", "has no instruction at or after line 99"),
        ("break @positiv", "did you mean `@positive`"),
        ("break 15 if", "`if` is followed by nothing"),
        ("break 15 if $s3 ==", "ends too early"),
        ("break 15 hits never", "chooses no hits"),
        ("break 15 item x", "a work-item is a whole number"),
        ("break item 9+9", "has no work-item 9+9"),
        ("watch", "expected an expression"),
        ("watch y[9]", "does not exist"),
        ("watch y[3..1]", "is not a range"),
        ("watch y[0..9]", "does not exist"),
        ("watch a", "not a register"),
        ("delete", "name breakpoints by their numbers"),
        ("delete 4", "there is no breakpoint 4"),
        ("condition x", "a breakpoint is a whole number"),
        ("warp 9", "no warp 9 has issued"),
        ("lane 8", "a warp has lanes 0 to 7"),
        ("item 8", "has no work-item 8"),
        ("registers $s77", "has no register $s77"),
        ("memory z", "there is no array z"),
        ("memory y[99]", "y[99] does not exist"),
        ("memory y[1", "expected `]`"),
        ("memory y.zz", "unknown format"),
        ("set $s3", "`set` takes PLACE = VALUE"),
        ("set $s3 == 4", "`set` takes PLACE = VALUE"),
        ("set 3 = 4", "not a register"),
        ("save", "takes the name of a file"),
        ("save x.txt", "must end in .npz"),
        ("help setp", "unknown command"),
        ("run", "`continue` goes to the next breakpoint"),
    ],
)
def test_mistakes_name_what_is_expected(commands, line, problem):
    before = commands.session.position
    with pytest.raises(UsageError) as raised:
        commands.run(line)
    assert problem in str(raised.value)
    assert commands.session.position == before
    assert len(commands.session.breakpoints) == 0


def test_help_has_every_command(commands):
    text = run(commands, "help")
    for command in COMMANDS.values():
        assert command.usage in text
    assert "also: s, n" in run(commands, "help step")
    for name in COMMANDS:
        assert run(commands, f"help {name}")


def test_quit_ends(commands):
    with pytest.raises(Quit):
        commands.run("quit")
