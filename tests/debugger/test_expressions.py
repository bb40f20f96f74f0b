"""Expressions: precedence, formats, lanes, and mistakes with their column."""

from __future__ import annotations

import pytest

from simtlab.debugger.expressions import evaluate, parse
from simtlab.isa.errors import UsageError

from .support.kernels import affine, on_chip


class Names:
    """Registers are their number plus 100 times the lane; y[i] is 10 i."""

    def register(self, name, lane, fmt):
        return int(name[2:]) + 100 * int(lane or 0) + (0.5 if fmt == "f" else 0)

    def element(self, array, index, fmt):
        return 10 * index

    def name(self, name):
        return {"lane": 3, "t": 120}[name]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$s3 == 3", True),
        ("$s3 & 1 == 1", True),  # as in Python, not as in C
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("1 << 4 | 1", 17),
        ("-3 + 1", -2),
        ("~0 & 0xff", 255),
        ("7 // 2 + 7 % 2", 4),
        ("7 / 2", 3.5),
        ("10 - 3 - 2", 5),
        ("not 1 == 2", True),
        ("!(lane == 3) || t > 100", True),
        ("lane == 3 && t < 100", False),
        ("1 == 2 and $s3 / 0", False),  # the right side is not evaluated
        ("$s3[5]", 503),
        ("$s3[lane 5]", 503),
        ("$s3[lane]", 303),
        ("$s3[lane + 1]", 403),
        ("$s3[lane (2)]", 203),
        ("$s3.f", 3.5),
        ("$s3.f[2]", 203.5),
        ("$s3[2].f", 203.5),
        ("y[lane + 1]", 40),
        ("%y[2]", 20),
        ("0b101", 5),
        ("1e2", 100.0),
        ("true and not false", True),
    ],
)
def test_values(text, value):
    found = evaluate(parse(text), Names())
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected an expression"),
        ("$s3 ==", "ends too early at column 7"),
        ("$s3 = 7", "unexpected '=' at column 5"),
        ("(1", "expected ')' at column 3"),
        ("y[1", "expected ']' at column 4"),
        ("1 2", "unexpected '2' at column 3"),
        ("$x3", "unexpected '$' at column 1"),
        ("1 << 65", "65 bits are no shift"),
        ("1 << -1", "-1 bits are no shift"),
        ("1 / 0", "division by zero"),
        ("1 // 0", "division by zero"),
        ("1.5 & 1", "& is for whole numbers"),
        ("~1.5", "~ is for whole numbers"),
        ("$s3.", "ends too early"),
        ("$s3.1", "unexpected"),
        ("(" * 60 + "1" + ")" * 60, "too many parentheses"),
        ("-" * 60 + "1", "too many signs"),
        ("not " * 60 + "1", "too many signs"),
    ],
)
def test_mistakes_say_where(text, problem):
    with pytest.raises(UsageError) as raised:
        evaluate(parse(text), Names())
    assert problem in str(raised.value)


def test_depth_is_that_of_nesting_not_of_length():
    assert evaluate(parse(" + ".join(["(1)"] * 200)), Names()) == 200


# --- over a run


def test_types_are_those_that_the_kernel_writes():
    session = affine()
    session.goto(session.timeline.n)
    assert session.value("$s3[3]") == 7
    assert session.value("x[3]") == -7
    assert session.value("x[3].u") == 2**32 - 7
    assert session.value("x[0].u8") == 5
    assert session.value("mem[x_is].u32 == 5".replace("x_is", hex(address(session, "x")))) is True
    assert session.value("%x[3]") == -7
    assert session.value("a + b") == 102
    assert session.value("%x") == address(session, "x")


def address(session, name):
    (found,) = [b["address"] for b in session.recording.facts["buffers"] if b["name"] == name]
    return found


def test_group_and_private_memory_are_those_of_the_focus():
    session = on_chip(warp=4)
    session.goto(session.timeline.n)
    session.focus_warp(2)
    session.focus_lane(1)
    assert session.value("item") == 9
    assert session.value("workgroup") == 2
    assert session.value("local") == 1
    assert session.value("part[3]") == 111
    assert session.value("own[1]") == 9


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("$s40", "has no register $s40: it is up to $s6"),
        ("$s3[8]", "there is no lane 8: a warp has lanes 0 to 7"),
        ("$s3[0.5]", "there is no lane 0.5"),
        ("z[1]", "there is no array z; there are x, y, %x, %y, mem"),
        ("y[8]", "y[8] does not exist: y has 8 elements of s32"),
        ("y[-1]", "y[-1] does not exist"),
        ("y[0.5]", "0.5 is not an index"),
        ("mem[16]", "no buffer holds 4 bytes at 0x10"),
        ("$s3.q", "unknown format 'q'"),
        ("$s3.f64", "$s3 has 32 bits, and f64 has 64"),
        ("$c0.f", "there is no float of 8 bits"),
        ("y", "y[0]"),
        ("lan", "did you mean `lane`"),
    ],
)
def test_names_that_do_not_exist(text, problem):
    session = affine()
    with pytest.raises(UsageError) as raised:
        session.value(text)
    assert problem in str(raised.value)
