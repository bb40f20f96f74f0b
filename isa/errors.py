"""Errors of the user: one family, each with a code, a place and a hint.

Anything that is not a `SimtError` is a bug of simtlab. The command turns every `SimtError` into
one message on stderr and an exit status; it never shows a traceback for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import islice

from .quoting import cut, cut_message


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file: 1-based line and column, `length` characters long.

    `source` is the text of the line where it is known, so that an error can show it after the
    file is gone. `bytes` are the first byte of the place in the file and the one after its last,
    where an error of the assembler knows them; of a text, those of its UTF-8 form.
    """

    file: str
    line: int
    column: int
    length: int = 1
    source: str | None = None
    bytes: tuple[int, int] | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def place_dict(span: Span | None) -> dict[str, object]:
    """Return the keys of a place in JSON; all of them are null without a place."""
    first, end = (span.bytes if span else None) or (None, None)
    return {
        "file": span.file if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "length": span.length if span else None,
        "byte_start": first,
        "byte_end": end,
    }


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that helps to understand an error, as "first defined here"."""

    message: str
    span: Span | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", cut_message(self.message))


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a source that mends an error: put `replacement` in the place of `span`."""

    span: Span
    replacement: str

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {**place_dict(self.span), "replacement": self.replacement}


class Suggestion(str):
    """A hint that is exact: `replacement` in the place of what is wrong mends the error."""

    __slots__ = ("replacement",)
    replacement: str

    @classmethod
    def of(cls, hint: str, replacement: str) -> Suggestion:
        """Return a hint and the text to put in."""
        made = cls(hint)
        made.replacement = replacement
        return made


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a source text or an object file.

    `edits` are changes that mend it, for an editor to make when the user agrees.
    """

    code: str
    message: str
    span: Span | None = None
    label: str = ""
    hint: str = ""
    notes: tuple[Note, ...] = field(default=())
    severity: str = "error"
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        for name in ("message", "label", "hint"):
            object.__setattr__(self, name, cut_message(getattr(self, name)))

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form, which docs/editors.md describes."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            **place_dict(self.span),
            "label": self.label or None,
            "hint": self.hint or None,
            "notes": [{"message": n.message, **place_dict(n.span)} for n in self.notes],
            "edits": [edit.to_dict() for edit in self.edits],
            "rendered": render(self),
        }

    def at(self, span: Span) -> Diagnostic:
        """Return the finding with another place."""
        return replace(self, span=span)


class Outcome(Enum):
    """What an error says about a run."""

    MISTAKE = auto()
    """The request was wrong: nothing was run."""
    FINDING = auto()
    """The run ended with a finding: a trap or a wrong result."""
    INTERRUPTED = auto()
    """The user ended it."""


class SimtError(Exception):
    """An error of the user's, with one or more diagnostics; `str(e)` is the whole message."""

    code = "SIM000"
    outcome = Outcome.MISTAKE

    seconds: float = 0.0
    """Host time of the launch that the error ended; 0.0 if it ended none."""

    def __init__(
        self,
        message: str | None = None,
        *,
        span: Span | None = None,
        hint: str = "",
        code: str | None = None,
        diagnostics: tuple[Diagnostic, ...] | None = None,
    ) -> None:
        if diagnostics is None:
            diagnostics = (Diagnostic(code or self.code, message or "", span=span, hint=hint),)
        self.diagnostics = diagnostics
        super().__init__(diagnostics[0].message)

    def __reduce__(self) -> tuple[object, ...]:
        # An exception is otherwise pickled as a call of its class with its message, which other
        # classes do not take. A pool of processes hangs at an error that cannot be unpickled.
        return _restored, (type(self), self.args, self.__dict__)

    @property
    def first(self) -> Diagnostic:
        """The first finding, which is `error` in JSON output."""
        return self.diagnostics[0]

    def __str__(self) -> str:
        return "\n\n".join(render(d) for d in self.diagnostics)


def _restored(kind: type[SimtError], args: tuple[object, ...], state: dict[str, object]) -> object:
    """Return an error that was pickled, as it was."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class SourceError(SimtError):
    """The source text of a kernel is wrong."""

    code = "SIM100"


class ObjectFileError(SimtError):
    """Bytes are not a valid object file, or not a valid program."""

    code = "SIM200"


class ArgumentError(SimtError):
    """A launch got arguments, dimensions or options that do not fit."""

    code = "SIM300"


class UsageError(SimtError):
    """A command or a function was asked for something unknown or impossible."""

    code = "SIM500"


TAB_WIDTH = 4

MAX_SOURCE = 200
"""Characters of a source line that are shown."""


def _expand(text: str) -> str:
    """Replace tabs by spaces, so that a caret is below its character, and control characters.

    These would act on the terminal: a carriage return in a source could overwrite the message.
    """
    shown = text if text.isprintable() else "".join(map(_visible, text))
    return shown.expandtabs(TAB_WIDTH)


def _visible(character: str) -> str:
    """Return a character as a message shows it; U+FFFD for all that have no shape but tabs."""
    if character.isprintable() or character == "\t":
        return character
    import unicodedata

    return character if unicodedata.category(character) == "Zs" else "\N{REPLACEMENT CHARACTER}"


def _width(text: str) -> int:
    """Return the columns of `text` on a terminal: two for wide characters, none for combining."""
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in _expand(text)
    )


def _window(source: str, start: int) -> tuple[str, int]:
    """Return the part of a long line that surrounds an offset, and the offset in it."""
    if len(source) <= MAX_SOURCE:
        return source, start
    begin = max(0, min(start - MAX_SOURCE // 3, len(source) - MAX_SOURCE))
    head = "…" if begin else ""
    return head + cut(source[begin:], MAX_SOURCE), start - begin + len(head)


def _snippet(span: Span, label: str, mark: str = "^") -> list[str]:
    gutter = " " * len(str(span.line))
    lines = [f"{gutter}--> {span}"]
    if span.source is not None:
        source, start = _window(span.source, span.column - 1)
        before = _width(source[:start])
        marked = source[start : start + span.length]
        carets = mark * max(1, _width(marked))
        lines += [
            f"{gutter} |",
            f"{span.line} | {_expand(source)}",
            f"{gutter} | {' ' * before}{carets}" + (f" {label}" if label else ""),
        ]
    return lines


def render(d: Diagnostic) -> str:
    """Return a diagnostic as text, in the manner of rustc.

    ::

        error[SIM104]: unknown instruction `fam_f32`
          --> saxpy.sasm:13:5
           |
        13 |     fam_f32  $s3, $s4, $s2, $s3
           |     ^^^^^^^ not in the instruction table
           = help: did you mean `fma_f32`?
    """
    lines = [f"{d.severity}[{d.code}]: {d.message}"]
    gutter = ""
    if d.span:
        gutter = " " * len(str(d.span.line))
        lines += _snippet(d.span, d.label)
    for note in d.notes:
        lines.append(f"{gutter} = note: {note.message}")
        if note.span:
            lines += _snippet(note.span, "", "-")
    if d.hint:
        lines.append(f"{gutter} = help: {d.hint}")
    return "\n".join(lines)


def either(words: Sequence[str]) -> str:
    """Return words joined for a message, as `a, b or c`; an empty text for no words."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


MAX_KNOWN = 1000
"""Most names among which a near one is looked for: 20 ms."""

MAX_NAME = 100
"""The longest name for which that is done: the time of a comparison is quadratic."""

_searches: ContextVar[int] = ContextVar("searches", default=1 << 62)
"""How many more times a near name may be searched for."""


@contextmanager
def few_suggestions(n: int) -> Iterator[None]:
    """Search for near names at most n times, because only a few of many errors are shown."""
    before = _searches.set(n)
    try:
        yield
    finally:
        _searches.reset(before)


def did_you_mean(word: object, known: Iterable[str], quote: str = "`") -> str:
    """Return a hint with the nearest known word, or an empty string where nothing is near.

    The hint is a Suggestion: the known word can take the place of the other.
    """
    import difflib

    left = _searches.get()
    if not isinstance(word, str) or len(word) > MAX_NAME or left <= 0:
        return ""
    _searches.set(left - 1)
    # Words of other lengths are never similar enough.
    least, most = len(word) * 3 / 7, len(word) * 7 / 3
    near = difflib.get_close_matches(
        word, list(islice((k for k in known if least <= len(k) <= most), MAX_KNOWN)), 1, 0.6
    )
    return Suggestion.of(f"did you mean {quote}{near[0]}{quote}?", near[0]) if near else ""
