"""The IR text of one function as it grows: blocks, branches, values and calls."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from ....isa.types import mask_of
from .text import ModuleText, constant_value, float_constant, floating, integer, mangled

_OPPOSITE = {"eq": "ne", "ult": "uge", "ule": "ugt", "slt": "sge", "sle": "sgt"}
_OPPOSITE |= {opposite: relation for relation, opposite in _OPPOSITE.items()}

ENTRY = "entry"
"""The label of the first block of every function that has labels."""


class FunctionText:
    """Lines of one function, with names that are fresh in it. Labels have no `%`."""

    def __init__(self, module: ModuleText, _numbers: Iterator[int] | None = None) -> None:
        self.module = module
        self.lines: list[str] = []
        self.current_block = ENTRY
        """The label of the block that is being written."""
        self._numbers = iter(range(1, 1 << 62)) if _numbers is None else _numbers
        self._as_float: dict[str, tuple[str, str]] = {}
        self._comparisons: dict[str, str] = {}
        self.tables: dict[tuple[str, ...], str] = {}
        """The tables of labels through which the function jumps, and their names."""

    def elsewhere(self) -> FunctionText:
        """Return a second run of lines of the same function, which the caller places."""
        return FunctionText(self.module, self._numbers)

    # --- lines

    def line(self, text: str) -> None:
        """Append an instruction without a value."""
        self.lines.append(f"  {text}")

    def let(self, expression: str, name: str | None = None) -> str:
        """Append an instruction with a value and return its name, a fresh one by default."""
        if name is None:
            name = f"%t{next(self._numbers)}"
        self.lines.append(f"  {name} = {expression}")
        if expression.startswith("icmp "):
            self._comparisons[name] = expression
        return name

    def opposite(self, mask: str) -> str | None:
        """Append the opposite comparison of integers of one that gave a mask, if one did."""
        _, relation, rest = self._comparisons.get(mask, "  ").split(" ", 2)
        return self.let(f"icmp {_OPPOSITE[relation]} {rest}") if relation in _OPPOSITE else None

    def read_unchanging(self, since: int) -> None:
        """Let LLVM move gathers and wide loads, from a line on, past anything that stores.

        Variables are loaded without an alignment.
        """
        for at in range(since, len(self.lines)):
            line = self.lines[at]
            if " = call " in line and "gather" in line:
                self.lines[at] += " memory(none)"
            elif " = load " in line and ", align " in line:
                self.lines[at] += ", !invariant.load !1"

    # --- blocks

    def fresh_name(self) -> str:
        """Return a name that no other value of the function has, for a value that comes later."""
        return f"%t{next(self._numbers)}"

    def fresh_label(self, stem: str) -> str:
        """Return a label that no other block of the function has: `m7`."""
        return f"{stem}{next(self._numbers)}"

    def block(self, label: str) -> None:
        """Begin a block; the one before it must have ended with a jump, a branch or a return."""
        self.lines.append(f"{label}:")
        self.current_block = label

    def jump(self, label: str, *, unroll: int = 0, loop: str = "") -> None:
        """End the block: continue at `label`.

        If that closes a loop, LLVM shall write `unroll` iterations without a branch between them,
        no second one if that is 1. `loop` is other metadata of a loop.
        """
        if unroll and not loop:
            loop = self.module.unrolled(unroll)
        self.line(f"br label %{label}{f', !llvm.loop {loop}' if loop else ''}")

    def branch(self, condition: str, yes: str, no: str, *, rarely: bool = False) -> None:
        """End the block: continue at `yes` if an i1 is true, else at `no`.

        `rarely` says that the condition hardly ever holds.
        """
        weights = ", !prof !0" if rarely else ""
        self.line(f"br i1 {condition}, label %{yes}, label %{no}{weights}")

    def chosen(self, condition: str, type_: str, yes: str, no: str) -> str:
        """Return one of two scalars by an i1 that cannot be predicted: without a branch."""
        return self.let(f"select i1 {condition}, {type_} {yes}, {type_} {no}, !unpredictable !1")

    def all_of(self, first: str, *others: str) -> str:
        """Return whether all of these conditions hold, an i1."""
        for other in others:
            first = self.let(f"and i1 {first}, {other}")
        return first

    def switch(self, value: str, default: str, labels: Mapping[int, str]) -> None:
        """End the block: continue at the label of an i64, or at `default`."""
        cases = " ".join(f"i64 {case}, label %{label}" for case, label in labels.items())
        self.line(f"switch i64 {value}, label %{default} [ {cases} ]")

    def jump_through(self, number: str, labels: Sequence[str]) -> None:
        """End the block: continue at the label that an i64 is the number of."""
        table = self.tables.setdefault(tuple(labels), "") or self.module.fresh_table()
        self.tables[tuple(labels)] = table
        place = self.let(f"getelementptr ptr, ptr @{table}, i64 {number}")
        targets = ", ".join(f"label %{label}" for label in dict.fromkeys(labels))
        self.line(f"indirectbr ptr {self.let(f'load ptr, ptr {place}')}, [{targets}]")

    def ret(self, type_: str, value: str | int) -> None:
        """End the block: return a value."""
        self.line(f"ret {type_} {value}")

    def phi(self, type_: str, *incoming: tuple[str | int, str], name: str | None = None) -> str:
        """Return the value of the (value, label) pair whose block control comes from."""
        pairs = ", ".join(f"[ {value}, %{label} ]" for value, label in incoming)
        return self.let(f"phi {type_} {pairs}", name)

    # --- calls

    def intrinsic(self, name: str, type_: str, *arguments: str, over: str | None = None) -> str:
        """Call an intrinsic overloaded by `over`, by default the result; arguments have types."""
        return self.call(type_, f"{name}.{mangled(over or type_)}", *arguments)

    def call(self, type_: str, name: str, *arguments: str) -> str:
        """Call a function that returns a value, and declare it; arguments have types."""
        if not self.module.has(name):
            types = ", ".join(_type_of(a) for a in arguments)
            self.module.declare(name, f"declare {type_} @{name}({types})")
        return self.let(f"call {type_} @{name}({', '.join(arguments)})")

    def call_void(self, name: str, *arguments: str, attributes: str = "") -> None:
        """Call a function without a value, and declare it; arguments have types."""
        types = ", ".join(_type_of(a) for a in arguments)
        self.module.declare(name, f"declare void @{name}({types})")
        self.line(f"call void @{name}({', '.join(arguments)}) {attributes}".rstrip())

    def prefetch(self, place: str, *, writes: bool = False) -> None:
        """Fetch the line at a ptr into the first cache, for a store if it `writes`.

        Any place will do.
        """
        self.call_void("llvm.prefetch.p0", f"ptr {place}", f"i32 {int(writes)}", "i32 3", "i32 1")

    def hidden(self, value: int, *, rarely: bool = False) -> str:
        """Return an i64 that LLVM does not know, so that it recognises no idiom made with it.

        In code that `rarely` runs, LLVM does not load it before a loop, either.
        """
        name = f"hidden.{value}"
        self.module.declare(name, f"@{name} = global i64 {value}")
        if rarely:
            return self.let(f"load volatile i64, ptr @{name}")
        return self.let(f"load i64, ptr @{name}, !invariant.load !1")

    def opaque(self, type_: str, value: str, name: str | None = None, register: str = "r") -> str:
        """Return an integer of which LLVM does not know where it comes from; no instruction.

        It is in a general register, or in another one of LLVM's constraints.
        """
        call = f'call {type_} asm "", "={register},0"({type_} {value}) nounwind memory(none)'
        return self.let(call, name)

    def pinned(self, pointer: str) -> str:
        """Return a ptr that LLVM does not know before here: it moves no use of it further up."""
        return self.let(f'call ptr asm sideeffect "", "=r,0"(ptr {pointer}) nounwind')

    def zero(self, place: str, count: int | str) -> None:
        """Set `count` bytes from a ptr on to zero."""
        self.set_bytes(place, count, 0)

    def set_bytes(self, place: str, count: int | str, byte: int) -> None:
        """Set each of `count` bytes from a ptr on to `byte`."""
        self.call_void(
            "llvm.memset.p0.i64", f"ptr {place}", f"i8 {byte}", f"i64 {count}", "i1 false"
        )

    # --- floats

    def to_float(self, bits: int, operand: str, n: int) -> str:
        """Return the float whose bits an integer operand is."""
        known = self._as_float.get(operand)
        if known is not None and known[1] == floating(bits, n):
            return known[0]
        value = constant_value(operand)
        if value is not None:
            number = _float_of(value & mask_of(bits), bits)
            if number == number:  # a NaN's bits would not survive Python's conversion
                return float_constant(number, bits, n)
        return self.let(f"bitcast {integer(bits, n)} {operand} to {floating(bits, n)}")

    def from_float(self, bits: int, operand: str, n: int) -> str:
        """Return the bits of a float as an integer operand."""
        name = self.let(f"bitcast {floating(bits, n)} {operand} to {integer(bits, n)}")
        # Wherever this name may be used, the float may be as well: no need to cast it back.
        self._as_float[name] = (operand, floating(bits, n))
        return name


class EntryText(FunctionText):
    """The lines of the first block of a function, each of which is computed once.

    Each version of a kernel asks for the same slots of the context block and the same arguments.
    Nothing stores to these before the end of the block.
    """

    def __init__(self, module: ModuleText) -> None:
        super().__init__(module)
        self._known: dict[str, str] = {}
        """Expressions that have a value, and its name."""
        self._unchanging = {"%ctx"}
        """Pointers into the context block, or into what it points to."""

    def let(self, expression: str, name: str | None = None) -> str:
        """Append an instruction with a value and return its name; that of an equal one before."""
        known = self._known.get(expression)
        if known is not None and name is None:
            return known
        found = super().let(expression, name)
        verb, _, rest = expression.partition(" ")
        if verb == "getelementptr" or verb == "load":
            pointer = rest.partition("ptr ")[2].partition(",")[0]
            is_known = pointer in self._unchanging and not rest.startswith("volatile")
            if is_known and verb == "getelementptr":
                self._unchanging.add(found)
        else:
            is_known = verb in _REPEATABLE or rest.split("@", 1)[-1].startswith(_REPEATABLE_CALLS)
            if verb == "inttoptr":
                self._unchanging.add(found)
        if is_known and name is None:
            self._known[expression] = found
        return found

    def block(self, label: str) -> None:
        """Begin a block, which is not the first one: what is computed in it may not be repeated."""
        super().block(label)
        self._known.clear()


_REPEATABLE = frozenset(
    "add sub mul and or xor shl lshr ashr icmp select zext sext trunc inttoptr ptrtoint bitcast"
    " insertelement shufflevector".split()
)
"""Instructions that give the same again, of which a first block has many."""

_REPEATABLE_CALLS = tuple(f"llvm.{name}." for name in ("umin", "umax", "smin", "smax", "usub.sat"))


def definition(head: str, *parts: FunctionText) -> str:
    """Return a whole function: `define` with its parameters, and the lines of its parts in turn."""
    lines = "\n".join(line for part in parts for line in part.lines)
    name, tables = head[head.index("@") : head.index("(")], ""
    for labels, table in (entry for part in parts for entry in part.tables.items()):
        places = ", ".join(f"ptr blockaddress({name}, %{label})" for label in labels)
        tables += f"@{table} = private constant [{len(labels)} x ptr] [{places}]\n"
    return f"{head} #0 {{\n{ENTRY}:\n{lines}\n}}\n{tables}"


def _type_of(argument: str) -> str:
    """Return the type of `<16 x i32> %a` or `i32 %a`."""
    return argument[: argument.index(">") + 1] if argument[0] == "<" else argument.split()[0]


def _float_of(value: int, bits: int) -> float:
    packed, layout = (("<I", "<f"), ("<Q", "<d"))[bits == 64]
    return struct.unpack(layout, struct.pack(packed, value))[0]
