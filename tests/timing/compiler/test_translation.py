"""Random functions of engine code: native code gives what Python gives with numbers of 64 bits."""

from __future__ import annotations

import ast
import ctypes
import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.emu.jit.llvm.toolchain import Level, compile_text
from simtlab.timing.compiler.native.translation import native_ir
from simtlab.timing.compiler.sources import code_of
from simtlab.timing.engine.intrinsics import device

FIELDS = {"a": 0, "b": 1, "c": 2}
NAMES = ("x", "y", "z")
EDGES = (0, 1, 2, 3, 7, 8, 63, 64, 65, 1 << 31, 1 << 62, (1 << 63) - 1)
NUMBERS = st.sampled_from([*EDGES, *(-n for n in EDGES), -(1 << 63)]) | st.integers(-9, 9)


class Word(int):
    """A number of 64 bits whose sums wrap around, as native code has them."""

    def __new__(cls, value: int) -> Word:
        return super().__new__(cls, ((int(value) + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63))


def _wrapped(how: Callable[..., int]) -> Callable[..., Word]:
    return lambda *args: Word(how(*map(int, args)))


def _shift(how: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda a, n: how(a, n if 0 <= n < 64 else 64)


_OPERATORS: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "floordiv": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else 0,
    "lshift": _shift(operator.lshift),
    "rshift": _shift(operator.rshift),
}
for _name, _how in _OPERATORS.items():
    setattr(Word, f"__{_name}__", _wrapped(_how))
    setattr(Word, f"__r{_name}__", _wrapped(lambda a, b, how=_how: how(b, a)))
for _name in ("neg", "invert", "abs"):
    setattr(Word, f"__{_name}__", _wrapped(getattr(operator, _name)))


class _Words(ast.NodeTransformer):
    """Makes each number and each truth value of a function a word."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._word(node) if isinstance(node.value, int) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return self._word(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return self._word(node) if isinstance(node.op, ast.Not) else node

    def _word(self, node: ast.expr) -> ast.expr:
        return ast.Call(ast.Name("Word", ast.Load()), [node], [])


def by_python(text: str, fields: list[int], n: int) -> tuple[int, list[int]]:
    """Return what f(S, n) gives, and the fields of S after it, by Python."""
    tree = ast.fix_missing_locations(_Words().visit(ast.parse(text)))
    space: dict[str, Any] = {
        "Word": Word,
        "device": device,
        "int": Word,
        "bool": lambda value: Word(value != 0),
        "range": lambda *bounds: map(Word, range(*map(int, bounds))),
    }
    exec(compile(tree, "oracle", "exec"), space)
    state = SimpleNamespace(**{name: Word(v) for name, v in zip(FIELDS, fields, strict=True)})
    return int(space["f"](state, Word(n))), [int(getattr(state, name)) for name in FIELDS]


def natively(text: str, fields: list[int], n: int, level: Level) -> tuple[int, list[int]]:
    """Return the same by native code."""
    path = "<random>"
    space: dict[str, Any] = {"device": device}
    exec(code_of(path, text, space), space)
    code = compile_text(native_ir(space, "f", "entry", FIELDS), ["entry"], level=level)
    words = np.array(fields, np.int64)
    entry = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code["entry"])
    return entry(words.ctypes.data, n), words.tolist()


# --- random functions


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """A number as text."""
    leaf = depth == 0 or draw(st.integers(0, 3)) == 0
    if leaf:
        return draw(
            st.sampled_from([*NAMES, "n", "S.a", "S.b", "S.c"])
            | NUMBERS.map(lambda number: str(number) if number >= 0 else f"({number})")
        )
    a, b, c = (draw(expressions(depth - 1)) for _ in range(3))
    kind = draw(
        st.sampled_from(
            ("operator", "operator", "division", "shift", "unary", "compare", "chain", "bool",
             "choice", "call", "builtin", "not", "walrus")
        )
    )  # fmt: skip
    match kind:
        case "operator":
            return f"({a} {draw(st.sampled_from('+ - * & | ^'.split()))} {b})"
        case "division":
            return f"({a} {draw(st.sampled_from(('//', '%')))} {b})"
        case "shift":
            return f"({a} {draw(st.sampled_from(('<<', '>>')))} ({b} & {draw(_MASKS)}))"
        case "unary":
            return f"({draw(st.sampled_from('-~+'))}{a})"
        case "compare":
            return f"({a} {draw(_COMPARISONS)} {b})"
        case "chain":
            return f"({a} {draw(_COMPARISONS)} {b} {draw(_COMPARISONS)} {c})"
        case "bool":
            return f"({a} {draw(st.sampled_from(('and', 'or')))} {b} and {c})"
        case "choice":
            return f"({a} if {b} else {c})"
        case "call":
            return f"g(S, {a}, {b})"
        case "builtin":
            name = draw(st.sampled_from(("min", "max", "abs", "int", "bool")))
            return f"{name}({a}, {b}, {c})" if name in ("min", "max") else f"{name}({a})"
        case "walrus":
            return f"({draw(st.sampled_from(NAMES))} := {a})"
        case _:
            return f"(not {a})"


_COMPARISONS = st.sampled_from(("==", "!=", "<", "<=", ">", ">="))
_MASKS = st.sampled_from((7, 63, 127, -1))


def _places(draw: st.DrawFn) -> str:
    return draw(st.sampled_from([*NAMES, "S.a", "S.b", "S.c"]))


@st.composite
def statements(draw: st.DrawFn, depth: int = 2, in_loop: bool = False) -> list[str]:
    """Lines of code, whose loops have few iterations."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        value = draw(expressions())
        kind = draw(
            st.sampled_from(
                ("set", "set", "pair", "pairs", "augment", "return")
                + (("if", "if", "while", "for") if depth else ())
                + (("break", "continue") if in_loop else ())
            )
        )
        match kind:
            case "set":
                lines.append(f"{_places(draw)} = {value}")
            case "pair":
                other = draw(expressions(1))
                lines.append(f"{_places(draw)}, {_places(draw)} = {value}, {other}")
            case "pairs":
                lines.append(f"{_places(draw)}, {_places(draw)} = (x, y) if {value} else (S.a, n)")
            case "augment":
                how = draw(st.sampled_from(("+", "-", "*", "//", "%", "&", "|", "^", ">>", "<<")))
                by = f"{value} & {draw(_MASKS)}" if how in (">>", "<<") else value
                lines.append(f"{_places(draw)} {how}= {by}")
            case "return":
                lines += [f"if {value}:", f"    return {draw(expressions(1))}"]
            case "break" | "continue":
                lines += [f"if {value}:", f"    {kind}"]
            case "if":
                lines += [f"if {value}:", *_block(draw, depth - 1, in_loop)]
                if draw(st.booleans()):
                    lines += ["else:", *_block(draw, depth - 1, in_loop)]
            case "while":
                name = f"i{depth}{draw(st.integers(0, 9**9))}"
                lines += [
                    f"{name} = {draw(st.integers(0, 4))}",
                    f"while {name} > 0 and {value} != 3:",
                    f"    {name} -= 1",
                    *_block(draw, depth - 1, True),
                    *_otherwise(draw, depth - 1, in_loop),
                ]
            case _:
                bounds = draw(
                    st.sampled_from(("3", "n & 3", "x & 3, 5", "5, y & 3, -1", "-2, 7, 3"))
                )
                name = f"k{depth}{draw(st.integers(0, 9**9))}"
                lines += [
                    f"for {name} in range({bounds}):",
                    *_block(draw, depth - 1, True),
                    f"    {draw(st.sampled_from(NAMES))} += {name}",
                    *_otherwise(draw, depth - 1, in_loop),
                ]
    return lines


def _block(draw: st.DrawFn, depth: int, in_loop: bool) -> list[str]:
    return [f"    {line}" for line in draw(statements(depth, in_loop))]


def _otherwise(draw: st.DrawFn, depth: int, in_loop: bool) -> list[str]:
    return ["else:", *_block(draw, depth, in_loop)] if draw(st.integers(0, 3)) == 0 else []


@st.composite
def functions(draw: st.DrawFn) -> str:
    body = "\n".join(f"    {line}" for line in draw(statements()))
    return f"""
@device
def g(S: State, x: int, y: int) -> int:
    S.c += x
    return x - y if x > y else S.a ^ y

@device
def f(S: State, n: int) -> int:
    x = n
    y = S.b
    z = 5
{body}
    return x ^ y ^ z
"""


PREFIX = "from __future__ import annotations\n"


@given(functions(), st.lists(NUMBERS, min_size=3, max_size=3), NUMBERS, st.booleans())
@settings(max_examples=100)
def test_random_functions(text: str, fields: list[int], n: int, whole: bool) -> None:
    text = PREFIX + text
    level = Level.WHOLE if whole else Level.PLAIN
    assert natively(text, fields, n, level) == by_python(text, fields, n), text


LINES = {
    "n // -1": {-(1 << 63): -(1 << 63), 5: -5, 0: 0},
    "n // S.a": {-(1 << 63): -(1 << 63), 7: -7},
    "n % S.a": {-(1 << 63): 0, 7: 0},
    "n // S.b": {-(1 << 63): 0, 7: 0},
    "n % S.b": {7: 0},
    "1 << n": {0: 1, 63: -(1 << 63), 64: 0, 127: 0, -1: 0},
    "S.a >> n": {0: -1, 63: -1, 64: -1, 200: -1, -1: -1},
    "8 >> n": {0: 8, 3: 1, 64: 0, 1 << 40: 0},
    "abs(n)": {-(1 << 63): -(1 << 63), -3: 3},
    "-n": {-(1 << 63): -(1 << 63)},
}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("level", [Level.PLAIN, Level.WHOLE])
def test_every_number_has_a_result(line: str, level: Level) -> None:
    text = f"{PREFIX}@device\ndef f(S: State, n: int) -> int:\n    return {line}\n"
    for n, wanted in LINES[line].items():
        assert natively(text, [-1, 0, 0], n, level)[0] == wanted, n
