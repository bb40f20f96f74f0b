"""The lines of source that instructions come from, as LLVM's metadata for profilers."""

from __future__ import annotations

from pathlib import Path
from types import CodeType


class Lines:
    """The places of a module; its metadata go to the end of a list that others fill, too."""

    def __init__(self, metadata: list[str]) -> None:
        self._metadata = metadata
        self._files: dict[str, str] = {}
        self._places: dict[tuple[str, int], str] = {}
        kind = self._add("!{null}")
        self._kind = self._add(f"!DISubroutineType(types: {kind})")
        self._unit = self._add(
            f"distinct !DICompileUnit(language: DW_LANG_C99, file: {self._file(__file__)}, "
            "isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)"
        )

    def _add(self, text: str) -> str:
        self._metadata.append(text)
        return f"!{len(self._metadata) - 1}"

    def _file(self, path: str) -> str:
        if path not in self._files:
            where = Path(path)
            text = f'!DIFile(filename: "{where.name}", directory: "{where.parent}")'
            self._files[path] = self._add(text)
        return self._files[path]

    def function(self, name: str, code: CodeType) -> str:
        """Return the mark of a function."""
        file, line = self._file(code.co_filename), code.co_firstlineno
        return self._add(
            f'distinct !DISubprogram(name: "{name}", scope: {file}, file: {file}, line: {line}, '
            f"type: {self._kind}, unit: {self._unit}, spFlags: DISPFlagDefinition)"
        )

    def place(self, function: str, line: int) -> str:
        """Return the mark of a line of a function."""
        key = function, line
        if key not in self._places:
            self._places[key] = self._add(f"!DILocation(line: {line}, scope: {function})")
        return self._places[key]

    def named(self) -> tuple[str, ...]:
        """Return the lines that name the metadata for LLVM."""
        version = self._add('!{i32 2, !"Debug Info Version", i32 3}')
        return (f"!llvm.dbg.cu = !{{{self._unit}}}", f"!llvm.module.flags = !{{{version}}}")
