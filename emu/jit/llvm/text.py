"""LLVM IR as text: types, constants, and the functions and declarations of a module.

Values are kept as the integer type of their register class (i32, i64, i1; n = 0), or as vectors
of n of them. An operand is written without its type: a name such as `%t7`, or a constant.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection
from itertools import count

from ....isa.types import RegClass, mask_of


def vector(element: str, n: int) -> str:
    """Return the type of n lanes of an element type; the element type itself for n = 0."""
    return f"<{n} x {element}>" if n else element


ALL = "splat (i1 true)"
"""A mask of all lanes of a vector."""


def mask_constant(some: Collection[bool]) -> str:
    """Return a mask of some lanes of a vector."""
    if all(some):
        return ALL
    if not any(some):
        return "zeroinitializer"
    bits = ", ".join("i1 true" if lane else "i1 false" for lane in some)
    return f"<{bits}>"


def integer(bits: int, n: int) -> str:
    """Return an integer type, as `i32` or `<16 x i32>`."""
    return vector(f"i{bits}", n)


def floating(bits: int, n: int) -> str:
    """Return a float type of 32 or 64 bits."""
    return vector("float" if bits == 32 else "double", n)


def register_type(cls: RegClass, n: int) -> str:
    """Return the type in which a value of a register class travels."""
    return integer(cls.bits, n)


def constant(cls: RegClass, bits: int, n: int) -> str:
    """Return an operand of a register's type with these bits in every lane."""
    return integer_constant(bits, cls.bits, n)


def integer_constant(value: int, bits: int, n: int) -> str:
    """Return an integer operand, taken modulo its width."""
    value &= mask_of(bits)
    text = ("true" if value else "false") if bits == 1 else str(value)
    return f"splat (i{bits} {text})" if n else text


def float_constant(value: float, bits: int, n: int) -> str:
    """Return a float operand of 32 or 64 bits, which the value fits exactly."""
    # LLVM spells an f32, too, by the bits of the f64 that has its value.
    text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return f"splat ({floating(bits, 0)} {text})" if n else text


_CONSTANT = re.compile(r"(?:splat \(i\d+ )?(-?\d+|true|false)\)?")


def constant_value(operand: str) -> int | None:
    """Return the value of an operand made by `constant`; None for anything that is computed."""
    found = _CONSTANT.fullmatch(operand)
    if found is None:
        return None
    return {"true": 1, "false": 0}.get(found[1]) if found[1][0] in "tf" else int(found[1])


def mangled(type_: str) -> str:
    """Return a type as overloaded intrinsics are named after it: `v16f32` for <16 x float>."""
    found = re.fullmatch(r"<(\d+) x (\w+)>", type_)
    lanes, element = (f"v{found[1]}", found[2]) if found else ("", type_)
    return lanes + {"float": "f32", "double": "f64"}.get(element, element)


class ModuleText:
    """The functions and declarations of one module, each once.

    `attributes` are those of every function (toolchain.function_attributes): LLVM inlines between
    functions, and passes wide vectors in registers, only where they are the same.
    """

    def __init__(self, attributes: str = "nounwind") -> None:
        self.attributes = attributes
        self._declarations: dict[str, str] = {}
        self._functions: dict[str, str] = {}
        self._once: dict[str, str] = {}
        """Text without the name -> name, of functions that several versions of a kernel call."""
        self._loops: list[tuple[str, ...]] = []
        """What LLVM shall do with loops: names and values of its metadata."""
        self._tables = count(1)

    def declare(self, name: str, declaration: str) -> None:
        """Add `declare ...` unless the name has one."""
        self._declarations.setdefault(name, declaration)

    def has(self, name: str) -> bool:
        """Return whether a function of this name is defined."""
        return name in self._functions

    def define(self, name: str, text: str) -> None:
        """Add a function: the whole of `define ... { ... }`; attribute group #0 is the module's."""
        assert name not in self._functions, name
        self._functions[name] = text

    def define_once(self, name: str, text: str) -> str:
        """Add a function unless another one added so has the same text; return that one's name."""
        known = self._once.setdefault(text.replace(f"@{name}(", "@(", 1), name)
        if known == name:
            self.define(name, text)
        return known

    def fresh_table(self) -> str:
        """Return a name for a table of labels, without `@`."""
        return f"labels.{next(self._tables)}"

    def unrolled(self, iterations: int) -> str:
        """Return the metadata of a new loop that LLVM shall unroll, or not if that is 1."""
        if iterations == 1:
            return self._loop('"llvm.loop.unroll.disable"')
        return self._loop(f"{UNROLLED}, i32 {iterations}")

    def vectorised(self, vectors: int = 0, lanes: int = 0) -> str:
        """Return the metadata of a new loop of which LLVM may run many iterations at once.

        The last ones have a mask, or else there are only whole `vectors`, so many at a time. A
        demand would make LLVM warn of loops that it must leave as they are, and so would `lanes` of
        a vector, which are for loops without branches inside. So the passes vectorise loops of the
        module if it has this (passes.py).
        """
        properties = [f"{VECTORISED}, i1 {'false' if vectors else 'true'}"]
        if vectors:
            properties.append(f'"llvm.loop.interleave.count", i32 {vectors}')
        if lanes:
            properties.append(f'"llvm.loop.vectorize.width", i32 {lanes}')
        return self._loop(*properties)

    def _loop(self, *properties: str) -> str:
        self._loops.append(properties)
        return f"!{_FIRST_LOOP + len(self._loops) - 1}"

    def __str__(self) -> str:
        """Return the module, ready to be parsed."""
        group = f"attributes #0 = {{ {self.attributes} }}\n{_RARELY}"
        for at, properties in enumerate(self._loops, start=_FIRST_LOOP):
            nodes = ", ".join(f"!{{!{given}}}" for given in properties)
            group += f"!{at} = distinct !{{!{at}, {nodes}}}\n"
        return "\n".join([*self._functions.values(), *self._declarations.values(), group])


UNROLLED = '"llvm.loop.unroll.count"'
"""The metadata of loops that LLVM shall unroll."""

VECTORISED = '"llvm.loop.vectorize.predicate.enable"'
"""The metadata of loops that LLVM may vectorise."""

_FIRST_LOOP = 2
"""The number of the first loop's metadata, after those of branches."""

_RARELY = '!0 = !{!"branch_weights", i32 1, i32 1000000}\n!1 = !{}\n'
