"""sin, cos, exp2 and log2 as LLVM IR: the steps of isa/functions.py, each through `emit`.

Where the CPU has AVX-512, exp2 and log2 begin and end with its instructions for exponents, which
give the same bits as the steps that they replace (docs/functions.md).

Steps that only few arguments need are in a function of their own, once per module and width. It is
called if one of the n lanes needs it; LLVM inlines the test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import pack, unpack

from ....isa.functions import ARGUMENT, FUNCTIONS, Function, Step
from ....isa.table import Row
from ....isa.types import RegClass
from ...analysis.ranges.float_ranges import FloatRange
from ..llvm.function_text import ENTRY, FunctionText, definition
from ..llvm.text import constant, integer, register_type
from . import avx512
from .operation import Operation

EmitRow = Callable[[FunctionText, Row, tuple[int, ...], Sequence[str], int], str]
"""The type of `alu.emit`, which is handed over because it calls this file."""


def evaluate(ops: Sequence[Operation], emit: EmitRow) -> list[str]:
    """Return the values of one of the functions, of several vectors, which share tests."""
    function = FUNCTIONS[ops[0].row.stem]
    if (by_exponent := _BY_EXPONENT.get(function.name)) is not None:
        results = [result for op in ops if (result := by_exponent(op, function, emit)) is not None]
        if results:
            return results
    values = [{ARGUMENT: op.sources[0]} for op in ops]
    for guard, steps in _runs(function):
        if guard is None:
            for op, known in zip(ops, values, strict=True):
                _straight(op.code, steps, known, op.n, emit)
        else:
            _guarded(ops, function, guard, steps, values, emit)
    return [known[function.result] for known in values]


def _exp2(op: Operation, function: Function, emit: EmitRow) -> str | None:
    """Return exp2 as the polynomial of what is left of the nearest integer, times two to it."""
    parts = avx512.parted(op)
    if parts is None:
        return None
    nearest, left = parts
    power = _step_from(op, function, "p", {"r": op.from_float(left)}, emit)
    return op.from_float(avx512.scaled(op, op.code.to_float(op.bits, power, op.n), nearest))


def _log2(op: Operation, function: Function, emit: EmitRow) -> str | None:
    """Return log2 as the exponent and the polynomial of a number from sqrt(1/2) to sqrt(2)."""
    parts = avx512.exponent_and_fraction(op)
    if parts is None:
        return None
    exponent, fraction = parts
    t, one = op.floating, op.float_constant(1.0)
    half = op.let(f"fmul {t} {fraction}, {op.float_constant(0.5)}")
    more = op.let(f"fadd {t} {exponent}, {one}")
    large = op.let(f"fcmp oge {t} {fraction}, {op.float_constant(_LARGE)}")
    fraction = op.select(large, t, half, fraction)
    exponent = op.select(large, t, more, exponent)
    above_one = op.from_float(op.let(f"fsub {t} {fraction}, {one}"))
    logarithm = _step_from(op, function, "lm", {"f": above_one}, emit)
    number = op.code.to_float(op.bits, logarithm, op.n)
    return op.from_float(op.let(f"fadd {t} {exponent}, {number}"))


_BY_EXPONENT = {"exp2": _exp2, "log2": _log2}

_LARGE = float.fromhex("0x1.6a09e6p+0")
"""The least fraction that `log2` halves: twice the float of its list that is near sqrt(1/2)."""


def _step_from(
    op: Operation, function: Function, name: str, values: dict[str, str], emit: EmitRow
) -> str:
    """Append the steps that lead from known values to a step, and return its value."""
    wanted, needed = {name}, list[Step]()
    for step in reversed(function.steps):
        if step.dst in wanted and step.dst not in values:
            needed.append(step)
            wanted.update(a for a in step.args if isinstance(a, str))
    _straight(op.code, needed[::-1], values, op.n, emit)
    return values[name]


def _runs(function: Function) -> list[tuple[str | None, list[Step]]]:
    """Return the steps in runs of equal guard."""
    runs: list[tuple[str | None, list[Step]]] = []
    for step in function.steps:
        if not runs or runs[-1][0] != step.guard:
            runs.append((step.guard, []))
        runs[-1][1].append(step)
    return runs


def _straight(
    code: FunctionText, steps: list[Step], values: dict[str, str], n: int, emit: EmitRow
) -> None:
    """Append steps; names in `values` become operands, constants take the operand's type."""
    for step in steps:
        sources = []
        for argument, operand in zip(step.args, step.row.srcs, strict=True):
            assert operand.type is not None
            known = isinstance(argument, int)
            sources.append(constant(operand.type.reg, argument, n) if known else values[argument])
        values[step.dst] = emit(code, step.row, (), sources, n)


def _guarded(
    ops: Sequence[Operation],
    function: Function,
    guard: str,
    steps: list[Step],
    values: Sequence[dict[str, str]],
    emit: EmitRow,
) -> None:
    """Append a call that computes the steps if any lane of any vector needs them."""
    code, n, k = ops[0].code, ops[0].n, len(ops)
    inside = {step.dst for step in steps}
    read = dict.fromkeys(a for s in steps for a in s.args if isinstance(a, str))
    inputs = [name for name in read if name not in inside]
    used = {a for s in function.steps if s.guard != guard for a in s.args}
    [output] = sorted(inside & {a for a in used if isinstance(a, str)})
    if _is_never(function, guard, ops[0].floats):
        for known in values:
            known[guard] = constant(RegClass.C, 0, n)
            known[output] = constant(_class_of(function, output), 0, n)
        return
    types = {name: register_type(_class_of(function, name), n) for name in [*inputs, output]}
    rare, name = (f"{function.name}.{guard}.{n}.{what}" for what in ("rare", k))
    module = code.module
    if not module.has(rare):
        body = FunctionText(module)
        inner = {x: f"%{x}" for x in inputs}
        _straight(body, steps, inner, n, emit)
        body.ret(types[output], inner[output])
        parameters = ", ".join(f"{types[x]} %{x}" for x in inputs)
        text = "\n".join(body.lines)
        head = f"define internal {types[output]} @{rare}({parameters})"
        module.define(rare, f"{head} noinline cold memory(none) #0 {{\n{text}\n}}\n")
    if not module.has(name):
        each = [", ".join(f"{types[x]} %{x}.{j}" for x in inputs) for j in range(k)]
        module.define(name, _wrapper(code, name, rare, each, types[output], n))
    mask, need = integer(1, n), values[0][guard]
    for known in values[1:]:
        need = code.let(f"or {mask} {need}, {known[guard]}")
    arguments = [f"{types[x]} {known[x]}" for known in values for x in inputs]
    results = f"[{k} x {types[output]}]"
    found = code.call(results, name, f"{mask} {need}", *arguments)
    for j, known in enumerate(values):
        known[output] = code.let(f"extractvalue {results} {found}, {j}")


def _is_never(function: Function, guard: str, floats: Sequence[FloatRange]) -> bool:
    """Return whether no running lane has an argument whose magnitude reaches that of a guard."""
    [(_, limit)] = [step.args for step in function.steps if step.dst == guard]
    (least,) = unpack("<f", pack("<I", limit))
    return bool(floats) and max(-floats[0].low, floats[0].high) < least


def _wrapper(
    code: FunctionText, name: str, rare: str, parameters: Sequence[str], t: str, n: int
) -> str:
    """Return the function that tests for lanes that need the rare steps, and calls them if so.

    It is for vectors whose `parameters` are given. Without such lanes it returns poison, which
    takes no register: a choice by the guard is all that reads it.
    """
    mask, results = integer(1, n), f"[{len(parameters)} x {t}]"
    body = FunctionText(code.module)
    any_lane = body.call("i1", f"llvm.vector.reduce.or.v{n}i1", f"{mask} %need") if n else "%need"
    body.branch(any_lane, "rare", "done")
    body.block("rare")
    found = "poison"
    for j, arguments in enumerate(parameters):
        one = body.let(f"call {t} @{rare}({arguments})")
        found = body.let(f"insertvalue {results} {found}, {t} {one}, {j}")
    body.jump("done")
    body.block("done")
    body.ret(results, body.phi(results, ("poison", ENTRY), (found, "rare")))
    head = f"define internal {results} @{name}({mask} %need, {', '.join(parameters)})"
    return definition(f"{head} alwaysinline memory(none)", body)


def _class_of(function: Function, name: str) -> RegClass:
    """Return the register class of a named value."""
    if name == ARGUMENT:
        return RegClass.S
    [row] = [step.row for step in function.steps if step.dst == name]
    assert row.dst is not None
    assert row.dst.type is not None
    return row.dst.type.reg
