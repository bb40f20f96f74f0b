"""The text of a module as several, which threads compile at the same time.

A kernel with two versions has a function for each, of which calls find the faster one. LLVM takes
as long for both together as for one after the other, so that each has a module of its own. Small
functions that both call, and constants, are in each of these.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

LEAST = 400
"""Lines of a module, at least: below that LLVM takes 20 ms, and a module 3 ms besides."""

_BEGIN, _END = "define ", "\n}\n"
"""The begin and the end of a function's text. No other line has the first word."""

_NAME = re.compile(r'@([-\w.$]+|"[^"]*")')
_ARGUMENT = re.compile(r" %[-\w.$]+")
_PRIVATE = "define internal "
_VARIABLE = " = internal global "
_SHARED = " = global "
"""Of variables that other modules may use."""


@dataclass(frozen=True)
class _Module:
    """The definitions and declarations of a module by name, and its other lines."""

    functions: Mapping[str, str]
    others: Mapping[str, str]
    """Constants, variables and declarations."""
    rest: tuple[str, ...]

    @classmethod
    def of(cls, ir: str) -> _Module:
        """Read a module as ModuleText writes it."""
        functions, lines, at = dict[str, str](), list[str](), 0
        while (begin := ir.find(_BEGIN, at)) >= 0:
            lines += ir[at:begin].splitlines()
            at = ir.index(_END, begin) + len(_END)
            functions[_name(ir[begin:at])] = ir[begin:at]
        lines = [line for line in (*lines, *ir[at:].splitlines()) if line]
        others = {_name(line): line for line in lines if line.startswith(("@", "declare "))}
        rest = (line for line in lines if not line.startswith(("@", "declare ")))
        return cls(functions, others, tuple(rest))

    def needed(self, roots: Collection[str], without: Collection[str]) -> set[str]:
        """Return the names of some functions and of all that they use.

        What others use of those `without` is left out.
        """
        found, work = set(roots), list(roots)
        while work:
            name = work.pop()
            text = self.functions.get(name) or self.others.get(name, "")
            if name in without and name not in roots:
                continue
            new = set(_NAME.findall(text)) - found
            found |= new
            work += new
        return found

    def part(
        self,
        names: Collection[str],
        own: Collection[str],
        apart: Collection[str],
        before: Collection[str],
    ) -> str:
        """Return the text with some names; of the functions `apart` it has its `own`.

        Names `before` are those of other parts, which have the variables that are shared.
        """
        functions, declarations = list[str](), list[str]()
        for name, text in self.functions.items():
            if name not in names:
                continue
            if name not in apart:
                functions.append(text)
            elif name in own:
                functions.append(text.replace(_PRIVATE, "define hidden ", 1))
            else:
                declarations.append(_declaration(text))
        others = [
            _external(line) if _SHARED in line and name in before else line
            for name, line in self.others.items()
            if name in names
        ]
        return "\n".join([*functions, *others, *declarations, *self.rest, ""])


def split(ir: str, most: int) -> list[str]:
    """Return a module as up to `most`, which are linked as one; the module itself if it is short.

    Variables are in one of them. Functions that use one which is the module's own stay together.
    """
    if most < 2 or ir.count("\n") < 2 * LEAST:
        return [ir]
    module = _Module.of(ir)
    lengths = {name: text.count("\n") for name, text in module.functions.items()}
    own = {n for n, text in module.functions.items() if text.startswith(_PRIVATE)}
    apart = [n for n in own if lengths[n] >= LEAST and _is_called(module.functions[n])]
    apart.sort(key=lambda name: (-lengths[name], name))
    alone, first = apart[: most - 1], {*module.functions.keys() - own, *apart[most - 1 :]}
    if sum(lengths.values()) - sum(lengths[name] for name in alone) < LEAST:
        first |= {*alone[-1:]}
        alone = alone[:-1]
    groups = [first, *({name} for name in alone)]
    names = [module.needed(group, apart) for group in groups]
    variables = [{n for n in some if _VARIABLE in module.others.get(n, "")} for some in names]
    if not alone or len(set[str]().union(*variables)) < sum(map(len, variables)):
        return [ir]
    before = [set[str]().union(*names[:number]) for number in range(len(names))]
    given = zip(names, groups, before, strict=True)
    return [module.part(some, group, apart, others) for some, group, others in given]


def _is_called(text: str) -> bool:
    """Return whether a function is called: passes may put others into their callers."""
    return " noinline" in text[: text.index("\n")]


def _name(text: str) -> str:
    found = _NAME.search(text)
    assert found is not None, text[:80]
    return found[1]


def _external(line: str) -> str:
    """Return the declaration of a variable that another module defines."""
    return line.rsplit(" ", 1)[0].replace(_SHARED, " = external global ", 1)


def _declaration(text: str) -> str:
    """Return the declaration of a function that another module defines."""
    head = text[len(_PRIVATE) : text.index(" {\n")]
    return f"declare {_ARGUMENT.sub('', head)}"
