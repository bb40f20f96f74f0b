"""How code looks: lexers of assembly and commands, the language of blocks that name none, paths.

Pages indent their code, which Markdown does not mark with a language.
"""

from __future__ import annotations

import re

from docutils import nodes
from pygments.lexer import RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    Text,
    Token,
    Whitespace,
)
from pygments.util import ClassNotFound
from sphinx.application import Sphinx


class PlainSasm(RegexLexer):
    """Comments, registers, labels, directives, numbers; the first word of a line."""

    name = "sasm"
    tokens = {  # noqa: RUF012
        "root": [
            (r"//.*", Comment.Single),
            (r"\$[sdc]\d+", Name.Variable),
            (r"%\w+", Name.Variable.Instance),
            (r"@\w+", Name.Label),
            (r"\.\w+", Keyword.Namespace),
            (r"\b(kernel|global|group|private|readonly|u8|u16|u32|u64|s32|s64|f32|f64)\b", Keyword),
            (r"^\s*[a-z]\w*", Name.Function),
            (r"-?\b(0x[0-9a-f]+|\d+(\.\d+)?)\b", Number),
            (r"[-+*&]", Operator),
            (r"[\[\](){},:=\\]", Punctuation),
            (r"\s+", Whitespace),
            (r"\w+", Text),
            (r".", Token.Text),
        ]
    }


class Command(RegexLexer):
    """Commands, whose lines wrap in the page between two words (site.css)."""

    name = "command"
    tokens = {"root": [(r"\S+", Generic.Strong), (r"\s+", Whitespace)]}  # noqa: RUF012


class Console(RegexLexer):
    """Commands after a `$`, and what they print."""

    name = "console"
    tokens = {  # noqa: RUF012
        "root": [(r"\$ ", Generic.Prompt, "command"), (r".+", Generic.Output), (r"\n", Whitespace)],
        "command": [
            (r"\S+", Generic.Strong),
            (r"[ \t]+", Whitespace),
            (r"\n", Whitespace, "#pop"),
        ],
    }


def add_lexers(app: Sphinx) -> None:
    """Give Sphinx the lexers of commands, and one of the name `sasm` if there is none."""
    app.add_lexer("command", Command)
    app.add_lexer("console", Console)
    try:
        get_lexer_by_name("sasm")
    except ClassNotFound:
        app.add_lexer("sasm", PlainSasm)


LANGUAGES = {
    "pycon": re.compile(r">>> "),
    "python": re.compile(r"(from|import|def|class|with|@given|@device) ?\S+"),
    "sasm": re.compile(r"//|\.const|@\w+:|kernel \w+\(|\w+_[usfb]\d+ +[$\[]|cbr "),
    "console": re.compile(r"\$ "),
    "command": re.compile(r"(simtlab|python -m|pip|make|dask|mkdir|cp|for) "),
}
"""Language -> how a block begins that is written in it."""


def name_languages(app: Sphinx, doctree: nodes.document) -> None:
    """Give the blocks of a page that name no language their own; Sphinx calls this."""
    for block in doctree.findall(nodes.literal_block):
        if block.get("language", "none") == "none":
            begins = (name for name, begin in LANGUAGES.items() if begin.match(block.astext()))
            block["language"] = next(begins, "none")
        block["force"] = True  # wrong sources, and … for what is left out, are what pages show


def open_paths(app: Sphinx, doctree: nodes.document) -> None:
    """Let paths in tables break after a slash, and alternatives after a bar; Sphinx calls this."""
    for entry in doctree.findall(nodes.entry):
        for text in list(entry.findall(nodes.Text)):
            if text.count("|") > 2 and not isinstance(text.parent, nodes.literal):
                text.parent.replace(text, nodes.Text(text.replace("|", "|\u200b")))
        for literal in entry.findall(nodes.literal):
            text = literal.astext()
            if "/" in text and len(text) > 16:
                literal[:] = [nodes.Text(text.replace("/", "/\u200b"))]
