"""One function of engine code as LLVM IR: its statements.

Local names are places in memory, which LLVM turns into registers.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING

from ..inspection import is_inlined
from ..sources import parameters_of, tree_of
from .expressions import Expressions
from .values import INT, NOTHING, TRUTH, Kind, Value, constant, place_of

if TYPE_CHECKING:
    from .translation import Module


class Function(Expressions):
    """The translation of one function."""

    def __init__(self, module: Module, function: FunctionType) -> None:
        super().__init__(module, function)
        self.function = function
        self.result: Kind | None = None
        """What it returns, None before the first `return` with a value."""
        self._mark = ""
        """The mark of the function, if lines are kept."""
        self._loops: list[tuple[str, str]] = []
        """The targets of `continue` and `break`, innermost last."""

    def text(self, name: str, kinds: Sequence[Kind]) -> str:
        """Return its definition, with parameters of these kinds."""
        tree = tree_of(self.function)
        if tree.args.vararg or tree.args.kwonlyargs or tree.args.kwarg:
            self.refuse(tree, f"{tree.name} has parameters with `*`")
        parameters = [parameter.arg for parameter in parameters_of(tree)]
        self.locals.update(zip(parameters, kinds, strict=True))
        if self.module.lines:
            self._mark = self.module.lines.function(name, self.code)
        self.statements(tree.body)
        if self.block:
            self._return(tree, Value("0", NOTHING))
        result = (self.result or NOTHING).llvm
        pairs = zip(parameters, kinds, strict=True)
        taken = ", ".join(f'{kind.llvm} %"a.{p}"' for p, kind in pairs)
        places: list[str] = []
        for local, kind in self.locals.items():
            zero = "null" if kind.llvm == "ptr" else "0"
            first = f'%"a.{local}"' if local in parameters else zero
            places.append(f"  {place_of(local)} = alloca {kind.llvm}")
            places.append(f"  store {kind.llvm} {first}, ptr {place_of(local)}")
        how = " alwaysinline" if is_inlined(self.function) else ""
        how += f" !dbg {self._mark}" if self._mark else ""
        head = f'define internal {result} @"{name}"({taken}) nounwind{how} {{\nentry:'
        return "\n".join((head, *places, *self.lines, "}\n"))

    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Translate statements up to one that leaves them."""
        for node in body:
            if not self.block:
                return
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        if self.module.lines:
            self.place = f", !dbg {self.module.lines.place(self._mark, node.lineno)}"
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr():
                self.value(node.value)
            case ast.Assign():
                self._assign_all(node)
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.value(node.value))
            case ast.AugAssign():
                self._augment(node)
            case ast.Return():
                self._return(node, self.value(node.value) if node.value else Value("0", NOTHING))
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Break():
                self.go(self._loops[-1][1])
            case ast.Continue():
                self.go(self._loops[-1][0])
            case _:
                self.refuse(node, f"engine code cannot use `{type(node).__name__.lower()}`")

    # --- assignments

    def assign(self, target: ast.expr, value: Value) -> None:
        """Give a name or a field a value."""
        if isinstance(target, ast.Attribute):
            self.put_field(self.record_of(target), target, value)
            return
        if not isinstance(target, ast.Name):
            self.refuse(target, "only names and fields of records can be assigned")
        if value.kind is TRUTH:
            value = self.as_number(value, target)
        if value.kind is NOTHING:
            self.refuse(target, f"{target.id!r} is assigned None: expected a number or a record")
        known = self.locals.setdefault(target.id, value.kind)
        if known is not value.kind:
            self.refuse(
                target,
                f"{target.id!r} is {known.text} above and {value.kind.text} here: a name keeps its "
                "kind",
            )
        self.emit(f"store {known.llvm} {value.text}, ptr {place_of(target.id)}")

    def _assign_all(self, node: ast.Assign) -> None:
        if not any(isinstance(target, ast.Tuple) for target in node.targets):
            value = self.value(node.value)
            for target in node.targets:
                self.assign(target, value)
            return
        values = self.several(node.value)
        for target in node.targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            if len(names) != len(values):
                self.refuse(node, f"{len(values)} values for {len(names)} names")
            for name, value in zip(names, values, strict=True):
                self.assign(name, value)

    def _augment(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Attribute):
            record = self.record_of(target)
            old = self.field(record, target)
            self.put_field(record, target, self.operation(node, node.op, old, target, node.value))
        else:
            old = self.value(target)
            self.assign(target, self.operation(node, node.op, old, target, node.value))

    def _return(self, node: ast.AST, value: Value) -> None:
        value = self.as_number(value, node) if value.kind is TRUTH else value
        self.result = self.result or value.kind
        if value.kind is not self.result and {value.kind, self.result} != {INT, NOTHING}:
            self.refuse(
                node, f"the function returns {value.kind.text} here and {self.result.text} above"
            )
        self.emit(f"ret {value.kind.llvm} {value.text}")
        self.block = ""

    # --- control flow

    def _if(self, node: ast.If) -> None:
        yes, end = self.fresh("then"), self.fresh("end")
        no = self.fresh("else") if node.orelse else end
        self.branch(node.test, yes, no)
        self.begin(yes)
        self.statements(node.body)
        goes_on = bool(self.block) or not node.orelse
        self.go(end)
        if node.orelse:
            self.begin(no)
            self.statements(node.orelse)
            goes_on = goes_on or bool(self.block)
            self.go(end)
        if goes_on:
            self.begin(end)

    def _while(self, node: ast.While) -> None:
        test, body, end = self.fresh("while"), self.fresh("do"), self.fresh("end")
        otherwise = self.fresh("else") if node.orelse else end
        self.go(test)
        self.begin(test)
        self.branch(node.test, body, otherwise)
        self._loop(node, body, test, end)
        self._otherwise(node, otherwise, end)

    def _for(self, node: ast.For) -> None:
        bounds = node.iter.args if isinstance(node.iter, ast.Call) else []
        is_range = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range"
        if not is_range or not 1 <= len(bounds) <= 3 or not isinstance(node.target, ast.Name):
            self.refuse(node, "expected `for NAME in range(...)`")
        first = self.number(bounds[0]) if len(bounds) > 1 else constant(0)
        last = self.number(bounds[min(1, len(bounds) - 1)])
        step = self.number(bounds[2]) if len(bounds) == 3 else constant(1)
        test, body = self.fresh("for"), self.fresh("do")
        onward, end = self.fresh("next"), self.fresh("end")
        otherwise = self.fresh("else") if node.orelse else end
        name = self.fresh("for.")
        self.locals[name] = INT
        counter = place_of(name)
        self.emit(f"store i64 {first.text}, ptr {counter}")
        self.go(test)
        self.begin(test)
        i = self.compute(f"load i64, ptr {counter}")
        self.go_if(self._goes_on(i, last, step), body, otherwise)
        self.begin(body)
        self.assign(node.target, i)
        self._loop(node, "", onward, end)
        self.begin(onward)
        # One more than a number below a bound is a number.
        how = "add nsw" if step.text in ("1", "-1") else "add"
        i = self.compute(f"load i64, ptr {counter}")
        i = self.compute(f"{how} i64 {i.text}, {step.text}")
        self.emit(f"store i64 {i.text}, ptr {counter}")
        self.go(test)
        self._otherwise(node, otherwise, end)

    def _goes_on(self, i: Value, last: Value, step: Value) -> Value:
        """Return whether a number is in a range; none is in a range of step 0."""
        up = self.compute(f"icmp slt i64 {i.text}, {last.text}", TRUTH)
        if step.text.isdecimal() and step.text != "0":
            return up
        down = self.compute(f"icmp sgt i64 {i.text}, {last.text}", TRUTH)
        if step.text.startswith("-"):
            return down
        is_up = self.compute(f"icmp sgt i64 {step.text}, 0", TRUTH)
        is_down = self.compute(f"icmp slt i64 {step.text}, 0", TRUTH)
        up = self.compute(f"and i1 {is_up.text}, {up.text}", TRUTH)
        down = self.compute(f"and i1 {is_down.text}, {down.text}", TRUTH)
        return self.compute(f"or i1 {up.text}, {down.text}", TRUTH)

    def _loop(self, node: ast.While | ast.For, body: str, onward: str, end: str) -> None:
        if body:
            self.begin(body)
        self._loops.append((onward, end))
        self.statements(node.body)
        self._loops.pop()
        self.go(onward)

    def _otherwise(self, node: ast.While | ast.For, label: str, end: str) -> None:
        if node.orelse:
            self.begin(label)
            self.statements(node.orelse)
            self.go(end)
        self.begin(end)
