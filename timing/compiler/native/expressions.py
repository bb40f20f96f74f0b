"""Expressions of engine code as LLVM IR.

All numbers are 64-bit integers, as masks are: sums wrap around. A division by zero gives zero. No
operation is undefined: a shift by 64 or more, or by less than 0, leaves copies of the sign or 0.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from types import FunctionType
from typing import Any

import numpy as np

from ....isa.errors import did_you_mean
from ...engine.intrinsics import TABLES
from ..inspection import is_device, is_table
from .emission import Emission
from .intrinsics import INTRINSICS
from .values import INT, NOTHING, TRUTH, Kind, Rows, Value, constant, fits, is_constant, place_of

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_BITS = range(64)
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}
_UNKNOWN: dict[type[ast.AST], str] = {
    ast.Div: "`/` computes a fraction; write `//`",
    ast.Pow: "engine code cannot use `**`; write `1 << n` for a power of two",
    ast.MatMult: "engine code cannot use `@`",
    ast.Is: "engine code cannot use `is`; write `==`",
    ast.IsNot: "engine code cannot use `is not`; write `!=`",
    ast.In: "engine code cannot use `in`; write comparisons with `or`",
    ast.NotIn: "engine code cannot use `not in`; write comparisons with `and`",
    ast.Subscript: "engine code cannot use an index; record i of a table is `name(S, i)`",
    ast.Tuple: "a tuple is allowed in assignments only",
    ast.Starred: "engine code cannot use `*` before a value; write the values one by one",
}


class Expressions(Emission, ABC):
    """The translation of a function's expressions."""

    # --- kinds

    def number(self, node: ast.expr) -> Value:
        """Return the value of an expression as a 64-bit number."""
        return self.as_number(self.value(node), node)

    def as_number(self, value: Value, node: ast.AST) -> Value:
        """Return a value as a 64-bit number."""
        if value.kind is TRUTH:
            return self.compute(f"zext i1 {value.text} to i64")
        if value.kind is not INT:
            self.refuse(node, f"{self._said(node)} is {value.kind.text}: expected a number")
        return value

    def _said(self, node: ast.AST) -> str:
        text = " ".join(ast.unparse(node).split())
        return text if len(text) <= 40 else f"{text[:36]} ..."

    def truth(self, node: ast.expr) -> Value:
        """Return whether the value of an expression is not 0."""
        value = self.value(node)
        if value.kind is TRUTH:
            return value
        number = self.as_number(value, node)
        return self.compute(f"icmp ne i64 {number.text}, 0", TRUTH)

    # --- expressions

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        for part in node.ops if isinstance(node, ast.Compare) else ():
            if type(part) in _UNKNOWN:
                self.refuse(node, _UNKNOWN[type(part)])
        match node:
            case ast.Constant():
                return self._constant(node, node.value)
            case ast.Name():
                return self._named(node)
            case ast.Attribute():
                return self.field(self.record_of(node), node)
            case ast.BinOp():
                return self.operation(node, node.op, self.value(node.left), node.left, node.right)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare() if len(node.ops) == 1:
                left = self.number(node.left)
                return self._compared(node, 0, left, self.number(node.comparators[0]))
            case ast.Compare() | ast.BoolOp():
                return self._phi_of_truth(node)
            case ast.IfExp():
                return self.several(node)[0]
            case ast.Call():
                return self._call(node)
            case ast.NamedExpr():
                value = self.value(node.value)
                self.assign(node.target, value)
                return value
            case _:
                what = _UNKNOWN.get(type(node), f"engine code cannot use `{self._said(node)}`")
                self.refuse(node, what)

    def several(self, node: ast.expr) -> list[Value]:
        """Return the values of a tuple, of a choice between tuples, or of one expression."""
        if isinstance(node, ast.Tuple):
            return [self.value(item) for item in node.elts]
        if not isinstance(node, ast.IfExp):
            return [self.value(node)]
        yes, no, end = self.fresh("yes"), self.fresh("no"), self.fresh("end")
        self.branch(node.test, yes, no)
        arms: list[tuple[list[Value], str]] = []
        for label, arm in (yes, node.body), (no, node.orelse):
            self.begin(label)
            values = [self.as_number(v, arm) if v.kind is TRUTH else v for v in self.several(arm)]
            arms.append((values, self.block))
            self.go(end)
        self.begin(end)
        (first, first_end), (second, second_end) = arms
        if [v.kind for v in first] != [v.kind for v in second]:
            self.refuse(node, "the two sides of `if else` differ in what they are")
        return [
            self._phi(a.kind, (a.text, first_end), (b.text, second_end))
            for a, b in zip(first, second, strict=True)
        ]

    def _phi(self, kind: Kind, *incoming: tuple[str, str]) -> Value:
        pairs = ", ".join(f"[ {value}, %{block} ]" for value, block in incoming)
        return self.compute(f"phi {kind.llvm} {pairs}", kind)

    def _constant(self, node: ast.AST, value: object) -> Value:
        if isinstance(value, (bool, int, np.integer, np.bool_)) and fits(int(value)):
            return constant(int(value))
        if value is None:
            return Value("0", NOTHING)
        kinds = {str: "a string", float: "a fraction"}
        self.refuse(node, f"{kinds.get(type(value), str(value))} is not a 64-bit integer")

    def _named(self, node: ast.Name) -> Value:
        kind = self.locals.get(node.id)
        if kind is not None:
            return self.compute(f"load {kind.llvm}, ptr {place_of(node.id)}", kind)
        if node.id in self.code.co_varnames:  # it gets its value further below, in a loop
            self.locals[node.id] = INT
            return self.compute(f"load i64, ptr {place_of(node.id)}")
        value = self.space.get(node.id)
        if value is None or callable(value):
            self.refuse(
                node,
                f"{node.id!r} is not a value: expected a parameter, a variable or a whole number",
            )
        return self._constant(node, value)

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.compute(f"xor i1 {self.truth(node.operand).text}, true", TRUTH)
        literal = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(node.op, ast.USub) and isinstance(literal, int):
            return self._constant(node, -literal)
        value = self.number(node.operand)
        if isinstance(node.op, ast.USub):
            return self.compute(f"sub i64 0, {value.text}")
        return (
            self.compute(f"xor i64 {value.text}, -1") if isinstance(node.op, ast.Invert) else value
        )

    def operation(
        self, node: ast.AST, op: ast.operator, left: Value, left_node: ast.AST, right: ast.expr
    ) -> Value:
        """Return the result of an arithmetic operator."""
        a = self.as_number(left, left_node)
        b = self.number(right)
        if (
            isinstance(op, (ast.LShift, ast.RShift))
            and is_constant(b)
            and not 0 <= int(b.text) < 64
        ):
            self.refuse(node, f"a number of 64 bits is not shifted by {b.text}")
        if isinstance(op, (ast.LShift, ast.RShift)) and not is_constant(b):
            return self._shift(a.text, b.text, left=isinstance(op, ast.LShift))
        if type(op) in _ARITHMETIC:
            return self.compute(f"{_ARITHMETIC[type(op)]} i64 {a.text}, {b.text}")
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            return self._division(a.text, b.text, rest=isinstance(op, ast.Mod))
        self.refuse(node, _UNKNOWN[type(op)])

    def _shift(self, a: str, by: str, *, left: bool) -> Value:
        most = self.compute(f"call i64 @llvm.umin.i64(i64 {by}, i64 63)").text
        if not left:
            return self.compute(f"ashr i64 {a}, {most}")
        is_all = self.compute(f"icmp ugt i64 {by}, 63").text
        shifted = self.compute(f"shl i64 {a}, {most}").text
        return self.compute(f"select i1 {is_all}, i64 0, i64 {shifted}")

    def _division(self, a: str, b: str, *, rest: bool) -> Value:
        """Divide towards minus infinity, as Python does."""
        if b.isdecimal() and int(b) & (int(b) - 1) == 0 and int(b) > 0:
            power = int(b)
            if rest:
                return self.compute(f"and i64 {a}, {power - 1}")
            return self.compute(f"ashr i64 {a}, {power.bit_length() - 1}")
        # By -1 is an exception of its own: the CPU traps where the quotient is 2^63.
        is_zero = self.compute(f"icmp eq i64 {b}, 0").text
        is_negation = self.compute(f"icmp eq i64 {b}, -1").text
        is_plain = self.compute(f"or i1 {is_zero}, {is_negation}").text
        by = self.compute(f"select i1 {is_plain}, i64 1, i64 {b}").text
        quotient = self.compute(f"sdiv i64 {a}, {by}").text
        left = self.compute(f"srem i64 {a}, {by}").text
        some = self.compute(f"icmp ne i64 {left}, 0").text
        signs = self.compute(f"xor i64 {left}, {by}").text
        differ = self.compute(f"icmp slt i64 {signs}, 0").text
        adjust = self.compute(f"and i1 {some}, {differ}").text
        if rest:
            more = self.compute(f"select i1 {adjust}, i64 {by}, i64 0").text
            result = self.compute(f"add i64 {left}, {more}").text
        else:
            less = self.compute(f"sext i1 {adjust} to i64").text
            result = self.compute(f"add i64 {quotient}, {less}").text
            minus = self.compute(f"sub i64 0, {a}").text
            result = self.compute(f"select i1 {is_negation}, i64 {minus}, i64 {result}").text
        return self.compute(f"select i1 {is_zero}, i64 0, i64 {result}")

    # --- conditions

    def branch(self, node: ast.expr, yes: str, no: str) -> None:
        """End the block with a jump to `yes` if a condition holds, else to `no`."""
        match node:
            case ast.BoolOp():
                *firsts, last = node.values
                for part in firsts:
                    following = self.fresh("and" if isinstance(node.op, ast.And) else "or")
                    if isinstance(node.op, ast.And):
                        self.branch(part, following, no)
                    else:
                        self.branch(part, yes, following)
                    self.begin(following)
                self.branch(last, yes, no)
            case ast.UnaryOp(op=ast.Not()):
                self.branch(node.operand, no, yes)
            case ast.Compare() if len(node.ops) > 1:
                left = self.number(node.left)
                for i, right_node in enumerate(node.comparators):
                    right = self.number(right_node)
                    is_last = i == len(node.ops) - 1
                    following = yes if is_last else self.fresh("and")
                    self.go_if(self._compared(node, i, left, right), following, no)
                    if not is_last:
                        self.begin(following)
                    left = right
            case _:
                self.go_if(self.truth(node), yes, no)

    def _compared(self, node: ast.Compare, i: int, left: Value, right: Value) -> Value:
        how = _COMPARISONS[type(node.ops[i])]
        return self.compute(f"icmp {how} i64 {left.text}, {right.text}", TRUTH)

    def _phi_of_truth(self, node: ast.Compare | ast.BoolOp) -> Value:
        """Return the value of `and` or `or`, that of the last operand that was looked at."""
        end = self.fresh("end")
        incoming: list[tuple[str, str]] = []
        if isinstance(node, ast.Compare):
            yes, no = self.fresh("yes"), self.fresh("no")
            self.branch(node, yes, no)
            for label, text in (yes, "1"), (no, "0"):
                self.begin(label)
                incoming.append((text, label))
                self.go(end)
        else:
            for i, part in enumerate(node.values):
                value = self.number(part)
                incoming.append((value.text, self.block))
                if i == len(node.values) - 1:
                    self.go(end)
                    break
                test = self.compute(f"icmp ne i64 {value.text}, 0", TRUTH)
                following = self.fresh("next")
                if isinstance(node.op, ast.And):
                    self.go_if(test, following, end)
                else:
                    self.go_if(test, end, following)
                self.begin(following)
        self.begin(end)
        return self._phi(INT, *incoming)

    # --- records

    def record_of(self, node: ast.Attribute) -> Value:
        """Return the record whose field an expression names, which has that field."""
        record = self.value(node.value)
        if not isinstance(record.kind, Rows):
            self.refuse(node, f"{self._said(node.value)} is {record.kind.text}, not a record")
        if node.attr not in record.kind.fields:
            names = [name for name in record.kind.fields if not name.startswith("p_")]
            hint = did_you_mean(node.attr, names)
            if not hint and record.kind is self.module.state:
                hint = f'`setup` gives S its fields: return {{"{node.attr}": 0}}'
            self.refuse(node, f"{record.kind.name} has no field {node.attr!r}", hint)
        return record

    def field(self, record: Value, node: ast.Attribute) -> Value:
        """Return the value of a field, sign-extended."""
        known = self.module.known
        if record.kind is self.module.state and node.attr in known.constants:
            # LLVM folds the sum; the translation itself must not depend on the number.
            return self.compute(f"add i64 0, {known.constants[node.attr]}")
        if record.kind is self.module.state and node.attr.removeprefix("p_") in known.places:
            base = self._base(record, node.attr.removeprefix("p_"))
            return self.compute(f"ptrtoint ptr {base} to i64")
        at, bits, mark = self._place(record, node.attr)
        found = self.compute(f"load i{bits}, ptr {at}, {mark}")
        return found if bits == 64 else self.compute(f"sext i{bits} {found.text} to i64")

    def put_field(self, record: Value, node: ast.Attribute, value: Value) -> None:
        """Store a number in a field."""
        if record.kind is self.module.state:
            assert node.attr not in self.module.known.constants
        text = self.as_number(value, node).text
        at, bits, mark = self._place(record, node.attr)
        if bits != 64:
            text = self.compute(f"trunc i64 {text} to i{bits}").text
        self.emit(f"store i{bits} {text}, ptr {at}, {mark}")

    def _place(self, record: Value, name: str) -> tuple[str, int, str]:
        """Return the address of a field, its bits, and its mark for alias analysis."""
        assert isinstance(record.kind, Rows)
        offset, bits = record.kind.fields[name]
        at = record.text
        if offset:
            at = self.compute(f"getelementptr i8, ptr {at}, i64 {offset}").text
        return at, bits, self.module.mark(record.kind, name)

    # --- calls

    def _call(self, node: ast.Call) -> Value:
        if not isinstance(node.func, ast.Name):
            self.refuse(node, "engine code calls functions by their names only")
        name = node.func.id
        function = None if name in self.code.co_varnames else self.space.get(name)
        if function is None and name in _BUILTINS and not node.keywords:
            return self._builtin(node, name)
        if function is None:
            self.refuse(
                node,
                f"engine code cannot call {name!r}: expected a function of the engine, or one with "
                "@device",
            )
        if is_device(function):
            return self._call_device(node, function)
        if is_table(function):
            return self._row(node, function)
        if isinstance(function, FunctionType) and function in INTRINSICS:
            arguments = self._bound(node, function)
            texts = ", ".join(f"i64 {self.number(a).text}" for a in arguments)
            result = f'call i64 @"{INTRINSICS[function]}"({texts})'
            return self.compute(result)
        self.refuse(node, f"{name!r} is not a function of the engine")

    def _bound(self, node: ast.Call, function: Any) -> list[ast.expr]:
        """Return the arguments of a call in the order of the parameters."""
        name = ast.unparse(node.func)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        given = dict(zip(names, node.args, strict=False))
        if len(node.args) > len(names):
            self.refuse(node, f"{name} takes {len(names)} arguments, not {len(node.args)}")
        for keyword in node.keywords:
            if keyword.arg not in names or keyword.arg in given:
                self.refuse(node, f"{name} has no other parameter {keyword.arg!r}")
            given[keyword.arg] = keyword.value
        defaults = function.__defaults__ or ()
        for parameter, value in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            if parameter not in given:
                given[parameter] = ast.copy_location(ast.Constant(value), node)
        missing = [parameter for parameter in names if parameter not in given]
        if missing:
            self.refuse(node, f"missing a required argument: {missing[0]!r}")
        return [given[parameter] for parameter in names]

    def _call_device(self, node: ast.Call, function: FunctionType) -> Value:
        bound = self._bound(node, function)
        arguments = [self.value(a) for a in bound]
        arguments = [
            self.as_number(v, a) if v.kind is TRUTH else v
            for v, a in zip(arguments, bound, strict=True)
        ]
        name = ast.unparse(node.func)
        callee = self.module.function(name, function, [v.kind for v in arguments])
        names = function.__code__.co_varnames
        for parameter, wanted, value in zip(names, callee.kinds, arguments, strict=False):
            if value.kind is not wanted:
                what = f"{wanted.text} as {parameter!r}, not {value.kind.text}"
                self.refuse(node, f"{name} takes {what}")
        texts = ", ".join(f"{v.kind.llvm} {v.text}" for v in arguments)
        return self.compute(f'call {callee.result.llvm} @"{name}"({texts})', callee.result)

    def _row(self, node: ast.Call, accessor: FunctionType) -> Value:
        """Return a table's record: the header has the table's address."""
        arguments = self._bound(node, accessor)
        state = self.value(arguments[0])
        name, dtype = TABLES[accessor]
        if state.kind is not self.module.state:
            self.refuse(node, f"{name} takes the state as 'S', not {state.kind.text}")
        index = self.number(arguments[1]).text
        # With a pointer LLVM sees the stride of a loop's addresses, and vectorises them.
        base = self._base(state, name)
        offset = self.compute(f"mul i64 {index}, {dtype.itemsize}").text
        kind = self.module.rows_of(accessor)
        return self.compute(f"getelementptr i8, ptr {base}, i64 {offset}", kind)

    def _base(self, state: Value, name: str) -> str:
        """Return the address of a table as a pointer."""
        place = self.module.known.places.get(name)
        if place is not None:
            return self.compute(f"getelementptr i8, ptr {state.text}, i64 {place}").text
        at, _, mark = self._place(state, f"p_{name}")
        return self.compute(f"load ptr, ptr {at}, {mark}").text

    def _builtin(self, node: ast.Call, name: str) -> Value:
        values = [self.number(a).text for a in node.args]
        least, most = _BUILTINS[name]
        if not least <= len(values) <= most:
            self.refuse(node, f"{name} takes other arguments")
        if name == "bool":
            return self.compute(f"icmp ne i64 {values[0]}, 0", TRUTH)
        if name == "int":
            return Value(values[0], INT)
        if name == "abs":
            return self.compute(f"call i64 @llvm.abs.i64(i64 {values[0]}, i1 false)")
        result = values[0]
        for other in values[1:]:
            result = self.compute(f"call i64 @llvm.s{name}.i64(i64 {result}, i64 {other})").text
        return Value(result, INT)

    @abstractmethod
    def assign(self, target: ast.expr, value: Value) -> None:
        """Give a name or a field a value."""


_BUILTINS = {"min": (2, 99), "max": (2, 99), "abs": (1, 1), "int": (1, 1), "bool": (1, 1)}
"""Python's functions that engine code has: how many arguments they take."""
