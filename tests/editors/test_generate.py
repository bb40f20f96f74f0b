"""Syntax files are current, and the TextMate grammar sees what the Pygments lexer sees."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pygments.token import Comment, Keyword, Name, Number, String

import simtlab
from simtlab.asm.lexer import SasmLexer
from simtlab.asm.words import DIRECTIVES, FLAGS, MNEMONICS
from simtlab.editors.generate import FILES, FOLDER, main, vim

SOURCES = sorted((Path(simtlab.__file__).parent / "programs").rglob("*.sasm"))
VSCODE = FOLDER / "vscode"


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_current(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == FILES[name](), (
        "run python -m simtlab.editors.generate"
    )


def test_the_check_reports_a_file_that_is_not_current(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("simtlab.editors.generate.FOLDER", tmp_path)
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True)
    assert main(["--check"]) == 1
    assert main([]) == 0
    assert main(["--check"]) == 0
    (tmp_path / "vim/syntax/sasm.vim").write_text("old")
    assert main(["--check"]) == 1
    assert "sasm.vim is not current" in capsys.readouterr().out


def textmate(line: str) -> Iterator[tuple[int, str, str]]:
    """Offset, scope and text of every match, as an editor finds them: the first, then longest."""
    rules = json.loads((VSCODE / "syntaxes/sasm.tmLanguage.json").read_text("utf-8"))["patterns"]
    at = 0
    while at < len(line):
        matches = ((number, _pattern(rule).search(line, at)) for number, rule in enumerate(rules))
        found = [(match.start(), number, match) for number, match in matches if match]
        if not found:
            return
        _, number, match = min(found, key=lambda f: f[:2])
        rule = rules[number]
        if "captures" in rule:
            for group, style in rule["captures"].items():
                yield match.start(int(group)), style["name"], match[int(group)]
        else:
            yield match.start(), rule["name"], match[0]
        at = max(match.end(), at + 1)


def _pattern(rule: dict[str, str]) -> re.Pattern[str]:
    return re.compile(rule["match"])


SAME = {
    Name.Function: "support.function",
    Name.Variable: "variable.language.register",
    Name.Label: "entity.name.label",
    Name.Attribute: "variable.parameter",
    Name.Class: "entity.name.function",
    Comment.Single: "comment.line.double-slash",
    Keyword.Type: "storage.type",
    Keyword.Constant: "constant.language",
    Number.Integer: "constant.numeric",
    Number.Hex: "constant.numeric",
    Number.Float: "constant.numeric",
    String: "string.quoted.double",
    String.Char: "constant.character",
    String.Interpol: "variable.parameter.macro",
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_textmate_and_pygments_agree(path: Path) -> None:
    for line in path.read_text("utf-8").split("\n"):
        scopes = {at: scope.removesuffix(".sasm") for at, scope, _ in textmate(line)}
        for at, style, text in SasmLexer().get_tokens_unprocessed(line):
            if style in SAME:
                assert scopes.get(at) == SAME[style], (line, text)


def test_vim_knows_every_word() -> None:
    words = set(re.findall(r"[\w.]+", vim()))
    assert words >= {*MNEMONICS, *FLAGS, *(word[1:] for word in DIRECTIVES.values())}


def test_the_extension_names_files_that_exist_and_the_commands_of_simtlab() -> None:
    package = json.loads((VSCODE / "package.json").read_text("utf-8"))
    contributes = package["contributes"]
    named = [package["main"], contributes["languages"][0]["configuration"]]
    named += [part["path"] for part in (*contributes["grammars"], *contributes["snippets"])]
    assert all((VSCODE / name).is_file() for name in named)
    assert contributes["debuggers"][0]["type"] == "simtlab"
    for file in VSCODE.rglob("*.json"):
        json.loads(file.read_text("utf-8"))


def test_the_problem_matcher_finds_place_code_and_message() -> None:
    package = json.loads((VSCODE / "package.json").read_text("utf-8"))
    head, place = (
        re.compile(p["regexp"], re.MULTILINE)
        for p in package["contributes"]["problemMatchers"][0]["pattern"]
    )
    with pytest.raises(simtlab.SourceError) as caught:
        simtlab.assemble("\n" * 99 + "kernel k() {\n    br @x\n    ret\n}\n")
    text = str(caught.value)
    assert head.findall(text) == [("error", "SIM110", "unknown label `@x`")]
    assert place.findall(text) == [("<text>", "101", "8")]


def snippets() -> dict[str, str]:
    """The snippets with the first choice of every placeholder."""
    found = json.loads((VSCODE / "snippets/sasm.json").read_text("utf-8"))
    return {name: _filled("\n".join(snippet["body"])) for name, snippet in found.items()}


_PLACE = re.compile(
    r"\\(?P<escaped>.)|\$(?P<plain>\d)|"
    r"\$\{(?P<number>\d)(?::(?P<text>[^}]*)|\|(?P<choices>[^|]*)\|)?\}"
)


def _filled(text: str) -> str:
    values: dict[str, str] = {"0": ""}

    def value(match: re.Match[str]) -> str:
        if match["escaped"]:
            return match["escaped"]
        number = match["plain"] or match["number"]
        if match["choices"] is not None:
            values[number] = match["choices"].split(",")[0]
        elif match["text"] is not None:
            values[number] = match["text"]
        return values[number]

    return _PLACE.sub(value, text)


def test_snippets_assemble() -> None:
    found = snippets()
    simtlab.assemble(found["kernel"])
    body = "\n".join((found["loop"], found["if"]))
    array, macro = found["group"], found["macro"]
    simtlab.assemble(f"{macro}\nkernel k() {{\n{array}\n{body}\n    twice $s0\n    ret\n}}\n")
    for name in ("kernel", "loop", "if", "macro"):
        lines = [line for line in found[name].split("\n") if line.strip()]
        head = [] if name in ("kernel", "macro") else ["kernel k() {"]
        text = "\n".join([*head, *lines])
        assert simtlab.format_source(text) == text + "\n", "snippets are in the house style"
