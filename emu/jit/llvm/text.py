"""LLVM IR as text: types, constants, fresh names, and declarations that appear once.

Values are kept as the integer type of their register class (i32, i64, i1; n = 0), or as vectors
of n of them. An operand is written without its type: a name such as `%t7`, or a constant.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from ....isa.types import RegClass, mask_of


def vector(element: str, n: int) -> str:
    """The type of n lanes of an element type; the element type itself for n = 0."""
    return f"<{n} x {element}>" if n else element


def integer(bits: int, n: int) -> str:
    """An integer type, as `i32` or `<16 x i32>`."""
    return vector(f"i{bits}", n)


def floating(bits: int, n: int) -> str:
    """A float type of 32 or 64 bits."""
    return vector("float" if bits == 32 else "double", n)


def register_type(cls: RegClass, n: int) -> str:
    """The type in which a value of a register class travels."""
    return integer(cls.bits, n)


def constant(cls: RegClass, bits: int, n: int) -> str:
    """An operand of a register's type with these bits in every lane."""
    return integer_constant(bits, cls.bits, n)


def integer_constant(value: int, bits: int, n: int) -> str:
    """An integer operand, taken modulo its width."""
    value &= mask_of(bits)
    text = ("true" if value else "false") if bits == 1 else str(value)
    return f"splat (i{bits} {text})" if n else text


def float_constant(value: float, bits: int, n: int) -> str:
    """A float operand of 32 or 64 bits, which the value fits exactly."""
    # LLVM spells an f32, too, by the bits of the f64 that has its value.
    text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return f"splat ({floating(bits, 0)} {text})" if n else text


_CONSTANT = re.compile(r"(?:splat \(i\d+ )?(-?\d+|true|false)\)?")


def constant_value(operand: str) -> int | None:
    """The value of an operand made by `constant`; None for anything that is computed."""
    found = _CONSTANT.fullmatch(operand)
    if found is None:
        return None
    return {"true": 1, "false": 0}.get(found[1]) if found[1][0] in "tf" else int(found[1])


def mangled(type_: str) -> str:
    """A type as it stands in the name of an overloaded intrinsic: `v16f32` for <16 x float>."""
    found = re.fullmatch(r"<(\d+) x (\w+)>", type_)
    lanes, element = (f"v{found[1]}", found[2]) if found else ("", type_)
    return lanes + {"float": "f32", "double": "f64"}.get(element, element)


class ModuleText:
    """What the functions of one module share: declarations and helper functions, each once.

    `attributes` are those of every function (build.function_attributes): LLVM inlines between
    functions, and passes wide vectors in registers, only where they are the same.
    """

    def __init__(self, attributes: str = "nounwind") -> None:
        self.attributes = attributes
        self._declarations: dict[str, str] = {}
        self._functions: dict[str, str] = {}

    def declare(self, name: str, declaration: str) -> None:
        """Add `declare ...` unless the name has one."""
        self._declarations.setdefault(name, declaration)

    def has(self, name: str) -> bool:
        """Whether a function of this name is defined."""
        return name in self._functions

    def define(self, name: str, text: str) -> None:
        """Add a function: the whole of `define ... { ... }`; attribute group #0 is the module's."""
        assert name not in self._functions, name
        self._functions[name] = text

    def __str__(self) -> str:
        """The module, ready to be parsed."""
        group = f"attributes #0 = {{ {self.attributes} }}\n{_RARELY}"
        return "\n".join([*self._functions.values(), *self._declarations.values(), group])


class Code:
    """Lines of one function as they grow, with names that are fresh in it."""

    def __init__(self, module: ModuleText, _numbers: Iterator[int] | None = None) -> None:
        self.module = module
        self.lines: list[str] = []
        self._numbers = iter(range(1, 1 << 62)) if _numbers is None else _numbers
        self._as_float: dict[str, tuple[str, str]] = {}

    def elsewhere(self) -> Code:
        """A second run of lines of the same function, to be placed by hand (entry, cold blocks)."""
        return Code(self.module, self._numbers)

    def name(self, stem: str = "t") -> str:
        """A fresh name for a value, `%t7`."""
        return f"%{stem}{next(self._numbers)}"

    def line(self, text: str) -> None:
        """An instruction that yields nothing."""
        self.lines.append(f"  {text}")

    def let(self, expression: str) -> str:
        """An instruction that yields a value; returns its name."""
        name = f"%t{next(self._numbers)}"
        self.lines.append(f"  {name} = {expression}")
        return name

    def branch_rarely(self, condition: str, seldom: str, mostly: str) -> None:
        """End a block with a branch whose condition hardly ever holds; labels without `%`."""
        self.line(f"br i1 {condition}, label %{seldom}, label %{mostly}, !prof !0")

    def label(self, name: str) -> None:
        """Start a block, `name` without `%`."""
        self.lines.append(f"{name}:")

    def intrinsic(self, name: str, type_: str, *arguments: str, over: str | None = None) -> str:
        """Call `name` overloaded by a type (the result's unless told); arguments have types."""
        return self.call(type_, f"{name}.{mangled(over or type_)}", *arguments)

    def call(self, type_: str, name: str, *arguments: str) -> str:
        """Call a function that returns a value, and declare it; arguments have types."""
        if not self.module.has(name):
            types = ", ".join(_type_of(a) for a in arguments)
            self.module.declare(name, f"declare {type_} @{name}({types})")
        return self.let(f"call {type_} @{name}({', '.join(arguments)})")

    def to_float(self, bits: int, operand: str, n: int) -> str:
        """The float whose bits an integer operand is."""
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
        """The bits of a float as an integer operand."""
        name = self.let(f"bitcast {floating(bits, n)} {operand} to {integer(bits, n)}")
        # Wherever this name may be used, the float may be as well: no need to cast it back.
        self._as_float[name] = (operand, floating(bits, n))
        return name


_RARELY = '!0 = !{!"branch_weights", i32 1, i32 1000000}\n'


def _type_of(argument: str) -> str:
    """The type of `<16 x i32> %a` or `i32 %a`."""
    return argument[: argument.index(">") + 1] if argument[0] == "<" else argument.split()[0]


def _float_of(value: int, bits: int) -> float:
    packed, layout = (("<I", "<f"), ("<Q", "<d"))[bits == 64]
    return struct.unpack(layout, struct.pack(packed, value))[0]
