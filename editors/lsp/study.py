"""What the assembler knows of an open document, complete or with errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...asm.assemble import assemble_file
from ...asm.draft import DraftInstruction, DraftKernel, DraftProgram
from ...asm.syntax.parse import Parser
from ...asm.texts.collector import Collector
from ...asm.texts.source import SourceFile, object_name, open_file, open_text
from ...isa.errors import Diagnostic, SourceError, Span

UNTITLED = "untitled.sasm"
"""The name of a document that is not a file."""

PART = ".sinc"
"""How the name of a source ends that other sources include: alone it is not a program."""


@dataclass
class Study:
    """A document with the files that it includes, its errors, and the results of passes.

    `files` has the sources by the names that messages give them; `passes` the results of those
    passes that were reached (asm/assemble.py).
    """

    main: SourceFile
    files: dict[str, SourceFile] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    passes: dict[str, Any] = field(default_factory=dict)

    @property
    def draft(self) -> DraftProgram | None:
        """The program with its joins, where no earlier pass has found an error."""
        return self.passes.get("joins")

    def joins(self, line: int) -> list[str]:
        """Return where the conditional branches of a line of the document re-converge, in words.

        A line of a macro has a branch in every use; equal texts are returned once.
        """
        found = (b.join_text() for b in self._branches() if b.instruction.span.line == line)
        return list(dict.fromkeys(found))

    def implicit_joins(self) -> dict[int, str]:
        """Return by line the label of each join that the source leaves to the assembler."""
        found: dict[int, set[str]] = {}
        for branch in self._branches():
            ins = branch.instruction
            if ins.join_span is None:
                found.setdefault(ins.span.line, set()).add(branch.join_name())
        return {line: names.pop() for line, names in found.items() if len(names) == 1}

    def branches_to(self, kernel_line: int, label: str) -> list[int]:
        """Return the lines of the branches whose join is a label of the kernel at a line."""
        return sorted(
            {
                b.instruction.span.line
                for b in self._branches()
                if b.kernel.span.line == kernel_line
                and isinstance(b.instruction.join, int)
                and b.kernel.labels.get(label) == b.instruction.join
            }
        )

    def _branches(self) -> Iterator[_Branch]:
        """Yield the conditional branches that are written in the document."""
        for kernel in self.draft.kernels if self.draft else ():
            names = {at: name for name, at in reversed(kernel.labels.items())}
            for ins in kernel.code:
                if ins.row.is_conditional and ins.span.file == self.main.shown:
                    yield _Branch(kernel, ins, names)


class _Branch(NamedTuple):
    """A conditional branch, and the first label at each instruction of its kernel."""

    kernel: DraftKernel
    instruction: DraftInstruction
    names: Mapping[int, str]

    def join_text(self) -> str:
        """Return the re-convergence point in words."""
        join = self.instruction.join
        if not isinstance(join, int):
            return "does not re-converge: the lanes of its sides end apart"
        label = f"`@{self.names[join]}`, " if join in self.names else ""
        return f"re-converges at {label}line {self.kernel.code[join].location.line}"

    def join_name(self) -> str:
        """Return what a source would say for the re-convergence point; its line without label."""
        join = self.instruction.join
        if not isinstance(join, int):
            return "none"
        if join in self.names:
            return f"@{self.names[join]}"
        return f"line {self.kernel.code[join].location.line}"


def study(text: str, path: Path | None = None, unsaved: Mapping[Path, str] | None = None) -> Study:
    """Assemble a document as far as it goes.

    `unsaved` has the texts of other open documents by their paths, which go before the files. A
    `.sinc` file is only parsed: what it means depends on the source that includes it.
    """
    name = object_name(path) if path else UNTITLED
    try:
        main = open_text(text, name, path)
    except SourceError as error:
        return Study(SourceFile(name, name, path, text), {}, error.diagnostics)
    found = Study(main, {name: main})

    def opener(path: Path, name: str, where: Span | None) -> SourceFile:
        other = (unsaved or {}).get(path.resolve())
        file = open_file(path, name, where) if other is None else open_text(other, name, path)
        file.shown = name
        found.files[name] = file
        return file

    try:
        if name.endswith(PART):
            collector = Collector()
            Parser(collector).file(main)
            collector.raise_if_any()
        else:
            assemble_file(main, show=found.passes.__setitem__, opener=opener)
    except SourceError as error:
        found.diagnostics = error.diagnostics
    return found
