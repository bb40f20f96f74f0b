"""Structure of a source, flat statements -> kernels: what belongs to which, and whether it may."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ...isa.errors import Note
from ..syntax.parse import Statement
from ..syntax.shapes import Word
from ..texts.source import Mistake

Report = Callable[[Statement, Mistake], None]
"""Takes a mistake in a statement; the caller continues with the next statement."""


@dataclass(slots=True)
class KernelSource:
    """The statements of one kernel. `is_broken` says that its head or body had an error."""

    head: Statement
    body: list[Statement] = field(default_factory=list)
    is_broken: bool = False


@dataclass(slots=True)
class Structure:
    """The kernels of a source, and its readonly arrays."""

    kernels: list[KernelSource] = field(default_factory=list)
    readonly: list[Statement] = field(default_factory=list)


def structure(statements: Iterable[Statement], report: Report) -> Structure:
    """Sort the statements; report braces that do not match and statements out of place."""
    result = Structure()
    current: KernelSource | None = None
    astray = False
    for statement in statements:
        is_head = statement.rule == "kernel" or _is_broken_head(statement)
        if is_head:
            if current is not None:
                report(current.head, _not_closed(current.head, statement))
                current.is_broken = True
            current = KernelSource(statement, is_broken=statement.rule == "broken")
            result.kernels.append(current)
            astray = False
            if _ends_broken(statement):
                current = None
        elif statement.rule == "end":
            if current is None and not astray:
                report(
                    statement, Mistake("SIM124", "`}` without a kernel", label="nothing to close")
                )
            current, astray = None, False
        elif statement.rule == "readonly":
            result.readonly.append(statement)
            if current is not None:
                report(statement, _inside(statement))
        elif current is not None:
            current.body.append(statement)
            current.is_broken |= statement.rule == "broken"
            if _ends_broken(statement):
                current = None
        elif not astray:
            astray = True
            if statement.rule != "broken":
                report(statement, _outside())
    if current is not None:
        report(current.head, _not_closed(current.head, None))
        current.is_broken = True
    return result


def _is_broken_head(statement: Statement) -> bool:
    """Return a line with an error that was meant to begin a kernel: its body belongs to one."""
    if statement.rule != "broken":
        return False
    words = [part for part in statement.parts if isinstance(part, Word)]
    kinds = [word.kind for word in words]
    return kinds[0] == "KERNEL" or ("LPAR" in kinds[:3] and kinds[-1] == "LBRACE")


def _ends_broken(statement: Statement) -> bool:
    """Return a line with an error that was meant to end a kernel too."""
    if statement.rule != "broken":
        return False
    kinds = [part.kind for part in statement.parts if isinstance(part, Word)]
    closed = kinds.count("RBRACE") - kinds.count("LBRACE")
    return kinds[-1] == "RBRACE" and closed >= (0 if _is_broken_head(statement) else 1)


def _not_closed(head: Statement, following: Statement | None) -> Mistake:
    words = [part for part in head.parts if isinstance(part, Word)]
    name = words[1].text if len(words) > 1 else "?"
    notes = ()
    if following is not None:
        span = following.line.span(*following.line.whole())
        notes = (Note("the next kernel begins here", span),)
    return Mistake(
        "SIM123",
        f"kernel `{name}` has no closing `}}`",
        label="begins here",
        hint="end it with } on a line of its own",
        notes=notes,
    )


def _inside(statement: Statement) -> Mistake:
    return Mistake(
        "SIM124",
        ".readonly is not allowed inside a kernel: its array belongs to the whole program",
        label="inside a kernel",
        hint="move it before the kernel",
    )


def _outside() -> Mistake:
    return Mistake(
        "SIM124",
        "this is allowed only inside a kernel",
        label="outside of any kernel",
        hint="begin one with: kernel name(u32 %n) {",
    )
