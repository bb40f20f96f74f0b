"""The third pass, statements -> draft kernels: mnemonics, operands, declarations, labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...isa.errors import Note
from ...isa.program import Symbol, layout_params, layout_symbols, segment_size
from ...isa.types import Segment
from ..draft import DraftInstruction, DraftKernel, DraftProgram, Join
from ..expand.expand import Expanded, first_defined
from ..syntax.names import check_label, check_name
from ..syntax.parse import Statement
from ..syntax.shapes import Word
from ..texts.source import Mistake
from .branches import Branch, place, resolve_branch
from .declarations import (
    Array,
    Layout,
    Parameter,
    array,
    elements,
    parameters,
)
from .locations import Locations
from .mnemonics import find_row
from .operands import Operands, resolve_operands
from .scope import Scope
from .structure import KernelSource, Report, structure


def resolve(expanded: Expanded, report: Report) -> DraftProgram:
    """Return the draft program of the flat statements; mistakes go to `report`."""
    program = DraftProgram()
    found = structure(expanded.statements, report)
    names = Names(dict(expanded.defined))
    arrays = _arrays(found.readonly, Segment.READONLY, names, expanded, report)
    program.readonly = _placed(Segment.READONLY, [declared for _, declared in arrays])
    program.readonly_data = _readonly_data(program.readonly, arrays, expanded, report)
    locations = Locations(program.files)
    heads: dict[str, Statement] = {}
    bodies: list[_Body] = []
    for source in found.kernels:
        mistakes = _KernelMistakes(source, expanded, report)
        draft = _declare(source, names.copy(), expanded, mistakes)
        scope = Scope.of(
            expanded.constants, draft.params, draft.group, draft.private, program.readonly
        )
        _check_own_name(source, heads, report)
        open_branches = _fill(draft, source, scope, expanded.macros, locations, mistakes)
        bodies.append(_Body(source, draft, open_branches, mistakes))
    owners = {label: body.draft.name for body in bodies for label in body.draft.labels}
    for body in bodies:
        _close_branches(body, owners)
        if not body.mistakes.found:
            _check_end(body.source, body.draft, report)
        program.kernels.append(body.draft)
    program.sources = {name: file.text for name, file in expanded.files.items()}
    return program


class Names:
    """Which statement defines a name of a constant or an array."""

    def __init__(self, defined: dict[str, Statement]) -> None:
        self._defined = defined

    def copy(self) -> Names:
        """Return the names of the program, to which a kernel adds its own."""
        return Names(dict(self._defined))

    def define(self, word: Word, statement: Statement) -> None:
        """Take a name. Raises Mistake where it is taken."""
        earlier = self._defined.setdefault(word.text, statement)
        if earlier is not statement:
            raise duplicate(f"the name `{word.text}`", word, earlier)


def duplicate(what: str, word: Word, earlier: Statement) -> Mistake:
    """Return the message for a second definition."""
    note = first_defined(earlier, word.text)
    return Mistake("SIM111", f"{what} is defined twice", word.at, "defined again", notes=(note,))


def _arrays(
    statements: Sequence[Statement],
    segment: Segment,
    names: Names,
    expanded: Expanded,
    report: Report,
) -> list[tuple[Statement, Array]]:
    """Return the arrays of one segment with their statements, without those with mistakes."""
    found: list[tuple[Statement, Array]] = []
    layout = Layout(segment)
    for statement in statements:
        try:
            declared = array(statement, segment, expanded.constants)
            names.define(declared.name, statement)
            layout.add(declared)
        except Mistake as mistake:
            expanded.give_up(statement)
            report(statement, mistake)
        else:
            found.append((statement, declared))
    return found


def _placed(segment: Segment, arrays: Sequence[Array]) -> tuple[Symbol, ...]:
    return layout_symbols(segment, [(a.name.text, a.type, a.count) for a in arrays])


def _readonly_data(
    symbols: Sequence[Symbol],
    arrays: Sequence[tuple[Statement, Array]],
    expanded: Expanded,
    report: Report,
) -> bytes:
    data = bytearray(segment_size(tuple(symbols)))
    for symbol, (statement, declared) in zip(symbols, arrays, strict=True):
        try:
            content = elements(declared, statement.parts[4:], expanded.constants)
        except Mistake as mistake:
            report(statement, mistake)
        else:
            data[symbol.offset : symbol.offset + symbol.size] = content
    return bytes(data)


class _KernelMistakes:
    """The mistakes of one kernel, without those that follow from one that was reported.

    `found`: the kernel has a mistake, so its end is not checked. `parameters_are_unknown`: the head
    has a mistake, so unknown `%names` are not reported.
    """

    def __init__(self, source: KernelSource, expanded: Expanded, report: Report) -> None:
        self.found = source.is_broken
        self.parameters_are_unknown = source.head.rule == "broken"
        self.expanded = expanded
        self.report = report

    def add(self, statement: Statement, mistake: Mistake) -> None:
        """Report, unless the name is unknown because the statement that defines it is broken."""
        self.found = True
        if mistake.unknown is None or not self._is_excused(mistake.unknown):
            self.report(statement, mistake)

    def _is_excused(self, name: str) -> bool:
        is_parameter = name.startswith("%")
        return (is_parameter and self.parameters_are_unknown) or self.expanded.excuses(name)


def _name_of(source: KernelSource) -> Word:
    words = [part for part in source.head.parts if isinstance(part, Word)]
    return words[1] if len(words) > 1 else Word("?", "NAME", 0)


def _declare(
    source: KernelSource, names: Names, expanded: Expanded, mistakes: _KernelMistakes
) -> DraftKernel:
    """Return a kernel without code: its name, parameters and arrays."""
    name = _name_of(source)
    kernel = DraftKernel(name.text, source.head.line.span(*name.at))
    declared = _parameters(source, mistakes)
    kernel.params = layout_params((p.name.text[1:], p.type, p.is_pointer) for p in declared)

    def own_arrays(segment: Segment) -> tuple[Symbol, ...]:
        statements = [s for s in source.body if s.rule == segment.value]
        found = _arrays(statements, segment, names, expanded, mistakes.report)
        return _placed(segment, [declared for _, declared in found])

    kernel.group = own_arrays(Segment.GROUP)
    kernel.private = own_arrays(Segment.PRIVATE)
    return kernel


def _parameters(source: KernelSource, mistakes: _KernelMistakes) -> list[Parameter]:
    if mistakes.parameters_are_unknown:
        return []
    try:
        return parameters(source.head)
    except Mistake as mistake:
        mistakes.add(source.head, mistake)
        mistakes.parameters_are_unknown = True
        return []


def _check_own_name(source: KernelSource, heads: dict[str, Statement], report: Report) -> None:
    """Enter the kernel's name into `heads`; report a name that is taken or not allowed."""
    if source.head.rule == "broken":
        return
    name = _name_of(source)
    earlier = heads.setdefault(name.text, source.head)
    try:
        check_name(name)
        if earlier is not source.head:
            raise duplicate(f"the kernel `{name.text}`", name, earlier)
    except Mistake as mistake:
        report(source.head, mistake)


@dataclass(slots=True)
class _OpenBranch:
    """A branch whose labels are looked up when all labels of the kernel are known."""

    statement: Statement
    instruction: DraftInstruction
    branch: Branch


@dataclass(slots=True)
class _Body:
    """A kernel with its code, whose branches do not have targets yet."""

    source: KernelSource
    draft: DraftKernel
    open_branches: list[_OpenBranch]
    mistakes: _KernelMistakes


def _fill(
    kernel: DraftKernel,
    source: KernelSource,
    scope: Scope,
    macros: Collection[str],
    locations: Locations,
    mistakes: _KernelMistakes,
) -> list[_OpenBranch]:
    """Append the instructions and labels of the body; return the branches to be closed."""
    open_branches: list[_OpenBranch] = []
    label_statements: dict[str, Statement] = {}
    resolved: dict[int, tuple[Operands, ...]] = {}

    def define_label(statement: Statement) -> None:
        word = statement.parts[0]
        assert isinstance(word, Word)
        check_label(word)
        earlier = label_statements.setdefault(word.text, statement)
        if earlier is not statement:
            raise duplicate(f"the label `{word.text}`", word, earlier)
        kernel.labels[word.text[1:]] = len(kernel.code)

    def append_instruction(statement: Statement) -> None:
        parts = statement.parts
        name = parts[0]
        assert isinstance(name, Word)
        line = statement.line
        location = locations.of(line, name.start)
        row = find_row(name, macros)
        if row.is_branch:
            branch = resolve_branch(row, parts[1:])
            span = line.span(*line.whole())
            instruction = DraftInstruction(row, span, location, None, branch.srcs)
            instruction.subdivide = branch.flags.get("subdivide")
            instruction.loop = branch.flags.get("loop")
            open_branches.append(_OpenBranch(statement, instruction, branch))
            kernel.code.append(instruction)
            return
        # Equal lines share their parts, and mean the same in one kernel.
        words = resolved.get(id(parts))
        if words is None:
            words = resolved[id(parts)] = resolve_operands(row, parts[1:], scope)
        span = line.span(*line.whole())
        for row, dst, srcs, address, literals in words:
            kernel.code.append(DraftInstruction(row, span, location, dst, srcs, address, literals))

    for statement in source.body:
        try:
            match statement.rule:
                case "instruction":
                    append_instruction(statement)
                case "label":
                    define_label(statement)
                case "loc":
                    locations.set_next(statement)
                case _:
                    pass
        except Mistake as mistake:
            mistakes.add(statement, mistake)
    return open_branches


def _close_branches(body: _Body, owners: dict[str, str]) -> None:
    """Look up the labels of all branches; `owners` names the kernel of every label."""
    kernel = body.draft
    for pending in body.open_branches:
        ins, branch = pending.instruction, pending.branch
        try:
            ins.target = place(branch.target, kernel.labels, len(kernel.code), owners)
            if isinstance(branch.join, Join):
                ins.join = branch.join
            else:
                ins.join = place(branch.join, kernel.labels, len(kernel.code), owners)
                ins.join_span = pending.statement.line.span(*branch.join.at)
        except Mistake as mistake:
            body.mistakes.add(pending.statement, mistake)


def _check_end(source: KernelSource, kernel: DraftKernel, report: Report) -> None:
    """Report a kernel that has no code, or whose last instruction does not end it."""
    if not kernel.code:
        mistake = Mistake(
            "SIM126",
            f"kernel `{kernel.name}` has no instruction",
            _name_of(source).at,
            "is empty",
            "the shortest kernel is a ret",
        )
        report(source.head, mistake)
    elif kernel.code[-1].row.falls_through:
        last = next(s for s in reversed(source.body) if s.rule == "instruction")
        mistake = Mistake(
            "SIM125",
            f"kernel `{kernel.name}` falls off its end",
            None,
            "execution would continue after this",
            "end the kernel with ret, br or trap",
            notes=(Note("the kernel begins here", kernel.span),),
        )
        report(last, mistake)
