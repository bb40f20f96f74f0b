"""Statements -> draft kernels: the third pass. Mnemonics, operands, declarations and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...isa.errors import Note
from ...isa.program import Symbol, layout_params, layout_symbols, segment_size
from ...isa.table import Flags
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

_ARRAYS = {"group": Segment.GROUP, "private": Segment.PRIVATE, "readonly": Segment.READONLY}


def resolve(expanded: Expanded, report: Report) -> DraftProgram:
    """The draft program of the flat statements; mistakes go to `report`."""
    program = DraftProgram()
    found = structure(expanded.statements, report)
    names = Names(dict(expanded.defined))
    arrays = _arrays(found.readonly, Segment.READONLY, names, expanded, report)
    program.readonly = _placed(Segment.READONLY, [declared for _, declared in arrays])
    program.readonly_data = _readonly_data(program.readonly, arrays, expanded, report)
    locations = Locations(program.files)
    kernels: dict[str, Statement] = {}
    resolvers: list[_Kernel] = []
    for source in found.kernels:
        resolver = _Kernel(source, expanded, names.copy(), program.readonly, locations, report)
        resolver.check_own_name(kernels)
        resolver.body()
        resolvers.append(resolver)
    elsewhere = {label: r.draft.name for r in resolvers for label in r.draft.labels}
    for resolver in resolvers:
        resolver.branches(elsewhere)
        resolver.check_end()
        program.kernels.append(resolver.draft)
    program.sources = {name: file.text for name, file in expanded.files.items()}
    return program


class Names:
    """Which statement defines a name of a constant or an array."""

    def __init__(self, defined: dict[str, Statement]) -> None:
        self._defined = defined

    def copy(self) -> Names:
        """The names of the program, to which a kernel adds its own."""
        return Names(dict(self._defined))

    def define(self, word: Word, statement: Statement) -> None:
        """Take a name. Raises Mistake where it is taken."""
        earlier = self._defined.setdefault(word.text, statement)
        if earlier is not statement:
            raise duplicate(f"the name `{word.text}`", word, earlier)


def duplicate(what: str, word: Word, earlier: Statement) -> Mistake:
    """The message for a second definition."""
    note = first_defined(earlier, word.text)
    return Mistake("SIM111", f"{what} is defined twice", word.at, "defined again", notes=(note,))


def _arrays(
    statements: Sequence[Statement],
    segment: Segment,
    names: Names,
    expanded: Expanded,
    report: Report,
) -> list[tuple[Statement, Array]]:
    """The arrays of one segment, each with its statement; those with mistakes are left out."""
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


@dataclass(slots=True)
class _Pending:
    """A branch whose labels are looked up when all of the kernel's are known."""

    statement: Statement
    instruction: DraftInstruction
    branch: Branch


class _Kernel:
    """Resolves the statements of one kernel, in the order of the methods."""

    def __init__(
        self,
        source: KernelSource,
        expanded: Expanded,
        names: Names,
        readonly: tuple[Symbol, ...],
        locations: Locations,
        report: Report,
    ) -> None:
        self.source = source
        self.expanded = expanded
        self.report = report
        self.locations = locations
        self.is_broken = source.is_broken
        self.head_is_broken = source.head.rule == "broken"
        head = source.head
        words = [part for part in head.parts if isinstance(part, Word)]
        self.name = words[1] if len(words) > 1 else Word("?", "NAME", 0)
        self.draft = DraftKernel(self.name.text, head.line.span(*self.name.at))
        declared = self._parameters()
        self.draft.params = layout_params((p.name.text[1:], p.type, p.is_pointer) for p in declared)
        self.draft.group = self._own_arrays("group", names)
        self.draft.private = self._own_arrays("private", names)
        self.scope = Scope.of(
            expanded.constants,
            self.draft.params,
            self.draft.group,
            self.draft.private,
            readonly,
        )
        self._label_statements: dict[str, Statement] = {}
        self._pending: list[_Pending] = []
        self._known: dict[int, tuple[Operands, ...]] = {}

    def _parameters(self) -> list[Parameter]:
        if self.head_is_broken:
            return []
        try:
            return parameters(self.source.head)
        except Mistake as mistake:
            self._mistake(self.source.head, mistake)
            self.head_is_broken = True
            return []

    def _own_arrays(self, rule: str, names: Names) -> tuple[Symbol, ...]:
        segment = _ARRAYS[rule]
        statements = [s for s in self.source.body if s.rule == rule]
        found = _arrays(statements, segment, names, self.expanded, self.report)
        return _placed(segment, [declared for _, declared in found])

    def _mistake(self, statement: Statement, mistake: Mistake) -> None:
        """Report, unless the name is unknown because the statement that defines it is broken."""
        self.is_broken = True
        if mistake.unknown is None or not self._is_excused(mistake.unknown):
            self.report(statement, mistake)

    def _is_excused(self, name: str) -> bool:
        return (name.startswith("%") and self.head_is_broken) or self.expanded.excuses(name)

    def check_own_name(self, kernels: dict[str, Statement]) -> None:
        """Take the kernel's name."""
        if self.source.head.rule == "broken":
            return
        earlier = kernels.setdefault(self.name.text, self.source.head)
        try:
            check_name(self.name)
            if earlier is not self.source.head:
                raise duplicate(f"the kernel `{self.name.text}`", self.name, earlier)
        except Mistake as mistake:
            self.report(self.source.head, mistake)

    def body(self) -> None:
        """Labels and instructions; targets stay open."""
        for statement in self.source.body:
            try:
                match statement.rule:
                    case "instruction":
                        self._instruction(statement)
                    case "label":
                        self._label(statement)
                    case "loc":
                        self.locations.set_next(statement)
                    case _:
                        pass
            except Mistake as mistake:
                self._mistake(statement, mistake)

    def _label(self, statement: Statement) -> None:
        word = statement.parts[0]
        assert isinstance(word, Word)
        check_label(word)
        earlier = self._label_statements.setdefault(word.text, statement)
        if earlier is not statement:
            raise duplicate(f"the label `{word.text}`", word, earlier)
        self.draft.labels[word.text[1:]] = len(self.draft.code)

    def _instruction(self, statement: Statement) -> None:
        parts = statement.parts
        name = parts[0]
        assert isinstance(name, Word)
        line = statement.line
        location = self.locations.of(line, name.start)
        row = find_row(name, self.expanded.macros)
        if row.is_branch:
            branch = resolve_branch(row, parts[1:])
            span = line.span(*line.whole())
            draft = DraftInstruction(row, span, location, None, branch.srcs)
            draft.subdivide = branch.flags.get("subdivide")
            draft.loop = branch.flags.get("loop")
            self._pending.append(_Pending(statement, draft, branch))
            self.draft.code.append(draft)
            return
        # Equal lines share their parts, and mean the same in one kernel.
        words = self._known.get(id(parts))
        if words is None:
            words = self._known[id(parts)] = resolve_operands(row, parts[1:], self.scope)
        span = line.span(*line.whole())
        for row, dst, srcs, address, literals in words:
            self.draft.code.append(
                DraftInstruction(row, span, location, dst, srcs, address, literals)
            )

    def branches(self, elsewhere: dict[str, str]) -> None:
        """Look up the labels of all branches; `elsewhere` has those of other kernels."""
        size = len(self.draft.code)
        for pending in self._pending:
            ins, branch = pending.instruction, pending.branch
            try:
                ins.target = place(branch.target, self.draft.labels, size, elsewhere)
                if isinstance(branch.join, Join):
                    ins.join = branch.join
                else:
                    ins.join = place(branch.join, self.draft.labels, size, elsewhere)
                    ins.join_span = pending.statement.line.span(*branch.join.at)
            except Mistake as mistake:
                self._mistake(pending.statement, mistake)

    def check_end(self) -> None:
        """A kernel has code, and its last instruction lets nothing run on."""
        if self.is_broken:
            return
        code = self.draft.code
        if not code:
            mistake = Mistake(
                "SIM126",
                f"kernel `{self.name.text}` has no instruction",
                self.name.at,
                "is empty",
                "the shortest kernel is a ret",
            )
            self.report(self.source.head, mistake)
        elif Flags.ENDS not in code[-1].row.flags:
            last = next(s for s in reversed(self.source.body) if s.rule == "instruction")
            mistake = Mistake(
                "SIM125",
                f"kernel `{self.name.text}` falls off its end",
                None,
                "execution would continue after this",
                "end the kernel with ret, br or trap",
                notes=(Note("the kernel begins here", self.draft.span),),
            )
            self.report(last, mistake)
