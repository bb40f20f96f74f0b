"""The language server as an editor sees it: a process that is asked over its pipes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from ..support.client import PATIENCE, Client

GOOD = """\
.include "common.sinc"
.const N = 4                                    // how many
.macro twice a
    add_u32             \\a, \\a, \\a
.endmacro

// Doubles, é𝄞, a number.
kernel k(u32 %n, global u32* %x) {
    .group u32 tile[N]
    ld_kernarg_u32      $s0, [%n]
    cmp_eq_u32          $c0, $s0, 0
    cbr                 $c0, @done              // é𝄞
    twice               $s0
    mov_u32             $s1, (N * SHARED)
    st_group_u32        $s0, [tile+4]
@done:
    ret
}
"""

BROKEN = """\
kernel k(u32 %n) {
    ld_kernarg_u32      $s0, [%n]
    .loc "é𝄞" 1 1
    fam_u32             $s0, $s0, 1, $s0
    cbr                 $c0, @dnoe
@done:
    ret
}
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("project with é")
    (folder / "common.sinc").write_text(".const SHARED = 7\n", encoding="utf-8")
    made = Client(folder)
    made.open("good.sasm", GOOD)
    assert made.diagnostics("good.sasm") == []
    yield made
    status, errors = made.close()
    assert status == 0, errors
    assert "Traceback" not in errors
    assert "Error" not in errors


def place(line: int, start: int, end: int) -> dict[str, Any]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def line_of(text: str) -> int:
    """The line of GOOD that contains a text, from 0 on."""
    return next(i for i, line in enumerate(GOOD.split("\n")) if text in line)


def column_of(line: int, text: str) -> int:
    return GOOD.split("\n")[line].index(text)


def hover(client: Client, line_text: str, word: str, name: str = "good.sasm") -> str:
    line = line_of(line_text)
    found = client.at("hover", name, line, column_of(line, word) + 1)
    return found["contents"]["value"] if found else ""


def test_the_server_says_what_it_can(client: Client) -> None:
    named = ("hover", "definition", "references", "documentSymbol", "inlayHint", "completion")
    for name in (*named, "documentFormatting", "codeAction"):
        assert client.capabilities.get(f"{name}Provider"), name


def test_errors_are_published_and_an_edit_mends_them(client: Client) -> None:
    client.open("broken.sasm", BROKEN)
    found = client.diagnostics("broken.sasm")
    assert [(d["code"], d["range"]) for d in found] == [
        ("SIM104", place(3, 4, 11)),
        ("SIM110", place(4, 29, 34)),
    ]
    assert "did you mean `@done`?" in found[1]["message"]
    assert found[0]["severity"] == 1
    fixes = client.about(
        "codeAction", "broken.sasm", range=place(4, 30, 30), context={"diagnostics": []}
    )
    (fix,) = fixes
    assert fix["title"] == "Replace by `@done`"
    assert fix["edit"]["changes"] == {
        client.uri("broken.sasm"): [{"range": place(4, 29, 34), "newText": "@done"}]
    }
    client.change("broken.sasm", BROKEN.replace("@dnoe", "@done").replace("fam_u32", "mad_u32"))
    assert client.diagnostics("broken.sasm") == []
    no_range = place(0, 0, 0)
    context: dict[str, Any] = {"diagnostics": []}
    assert client.about("codeAction", "broken.sasm", range=no_range, context=context) == []
    client.tell("textDocument/didClose", textDocument={"uri": client.uri("broken.sasm")})
    assert client.diagnostics("broken.sasm") == []


def test_only_the_last_of_many_quick_changes_counts(client: Client) -> None:
    client.open("typing.sasm", "kernel k() {\n    ret\n}\n")
    assert client.diagnostics("typing.sasm") == []
    for version in range(2, 12):
        client.change("typing.sasm", "kernel k() {\n    re\n}\n", version)
    client.change("typing.sasm", "kernel k() {\n    nop\n    ret\n}\n", 12)
    assert client.diagnostics("typing.sasm") == []


def test_hover_explains_an_instruction_and_the_join_of_a_branch(client: Client) -> None:
    text = hover(client, "cmp_eq_u32", "cmp_eq_u32")
    assert text.startswith("**cmp_eq_u32** — ")
    assert "`cmp_eq_u32 $c, $s|u32, $s|u32`" in text
    text = hover(client, "cbr", "cbr")
    assert text.startswith("This branch re-converges at `@done`, line 17.")


def test_hover_shows_declarations(client: Client) -> None:
    assert ".const N = 4" in hover(client, "tile[N]", "N]")
    assert "global u32* %x" in hover(client, "kernel k", "%x")
    assert ".group u32 tile[N]" in hover(client, "[tile+4]", "tile")
    text = hover(client, "SHARED", "SHARED")
    assert ".const SHARED = 7" in text
    assert "Defined in common.sinc, line 1." in text
    assert "Re-convergence point of the branch in line 12." in hover(client, "@done:", "@done")
    assert "First written in line 10" in hover(client, "st_group_u32", "$s0")
    assert "// Doubles, é𝄞, a number." in hover(client, "kernel k", "k(")
    assert ".macro twice a" in hover(client, "twice  ", "twice")
    assert "work-items of a workgroup share" in hover(client, ".group", ".group")


def test_hover_explains_the_code_of_an_error(client: Client) -> None:
    client.open("code.sasm", BROKEN)
    client.diagnostics("code.sasm")
    text = client.at("hover", "code.sasm", 4, 30)["contents"]["value"]
    assert "**SIM110: " in text


def test_nothing_is_known_of_a_comment_or_of_an_empty_line(client: Client) -> None:
    assert client.at("hover", "good.sasm", 0, 1) is not None
    assert client.at("hover", "good.sasm", 6, 5) is None
    assert client.at("hover", "good.sasm", 5, 0) is None
    assert client.at("definition", "good.sasm", 500, 9) is None


def test_definitions(client: Client) -> None:
    def target(line_text: str, word: str) -> tuple[str, dict[str, Any]]:
        line = line_of(line_text)
        (found,) = client.at("definition", "good.sasm", line, column_of(line, word) + 1)
        return found["uri"], found["range"]

    own = client.uri("good.sasm")
    assert target("cbr", "@done") == (own, place(15, 0, 5))
    assert target("tile[N]", "N]") == (own, place(1, 7, 8))
    assert target("[%n]", "%n") == (own, place(7, 13, 15))
    assert target("twice  ", "twice") == (own, place(2, 7, 12))
    assert target("[tile+4]", "tile") == (own, place(8, 15, 19))
    assert target("st_group_u32", "$s0") == (own, place(9, 24, 27))
    assert target("add_u32  ", "\\a, \\a") == (own, place(2, 13, 14))
    assert target("SHARED", "SHARED") == (client.uri("common.sinc"), place(0, 7, 13))
    assert target(".include", "common") == (client.uri("common.sinc"), place(0, 0, 0))


def test_references_stay_in_their_kernel(client: Client) -> None:
    two = GOOD + GOOD[GOOD.index("kernel k") :].replace("kernel k", "kernel l")
    client.open("two.sasm", two)
    client.diagnostics("two.sasm")

    def lines(name: str, line: int, character: int, declared: bool = True) -> list[int]:
        context = {"includeDeclaration": declared}
        found = client.at("references", name, line, character, context=context)
        return [location["range"]["start"]["line"] for location in found]

    assert lines("two.sasm", 15, 2) == [11, 15]
    assert lines("two.sasm", 15, 2, declared=False) == [11]
    assert lines("two.sasm", 1, 7) == [1, 8, 13, 19, 24]
    assert lines("two.sasm", 9, 25) == [9, 10, 12, 14]


def test_symbols_are_kernels_with_what_they_hold(client: Client) -> None:
    found = client.about("documentSymbol", "good.sasm")
    assert [s["name"] for s in found] == ["N", "twice", "k"]
    kernel = found[2]
    assert [s["name"] for s in kernel["children"]] == ["%n", "%x", "tile", "@done"]
    assert kernel["range"]["start"]["line"] == 7
    assert kernel["range"]["end"]["line"] == 17


def test_inlay_hints_show_the_joins_that_the_assembler_has_found(client: Client) -> None:
    (hint,) = client.about(
        "inlayHint", "good.sasm", range=place(0, 0, 0) | {"end": {"line": 30, "character": 0}}
    )
    assert hint["label"] == "join @done"
    assert hint["position"] == {"line": 11, "character": 34}
    named = GOOD.replace("@done  ", "@done, @done")
    client.open("named.sasm", named)
    everything = place(0, 0, 0) | {"end": {"line": 30, "character": 0}}
    assert client.about("inlayHint", "named.sasm", range=everything) == []


def labels(client: Client, name: str, line: int, character: int) -> set[str]:
    return {item["label"] for item in client.at("completion", name, line, character)["items"]}


def test_completion_knows_the_place(client: Client) -> None:
    lines = GOOD.split("\n")
    lines[12] = "    cmp_"
    lines[13] = "    br  @"
    lines[14] = "    mov_u32  $s1, %"
    client.open("typed.sasm", "\n".join(lines))
    found = labels(client, "typed.sasm", 12, 8)
    assert {"cmp_eq_u32", "fma_f32", "twice", ".group"} <= found
    assert ".const" not in found
    assert labels(client, "typed.sasm", 13, 9) == {"@done"}
    assert labels(client, "typed.sasm", 14, 19) == {"%n", "%x"}
    assert {"N", "SHARED", "tile"} <= labels(client, "typed.sasm", 14, 13)
    assert {".const", "kernel"} <= labels(client, "typed.sasm", 5, 0)
    assert "add_u32" not in labels(client, "typed.sasm", 5, 0)
    assert labels(client, "typed.sasm", 6, 8) == set(), "in a comment"


def test_formatting_is_that_of_fmt(client: Client) -> None:
    loose = GOOD.replace("    ret", "  ret").replace("$c0, $s0, 0", "$c0,$s0,0")
    client.open("loose.sasm", loose)
    options = {"tabSize": 4, "insertSpaces": True}
    (edit,) = client.about("formatting", "loose.sasm", options=options)
    assert edit["newText"] == GOOD
    assert edit["range"]["start"] == {"line": 0, "character": 0}
    assert edit["range"]["end"]["line"] == loose.count("\n")
    assert client.about("formatting", "good.sasm", options=options) == []
    client.open("wrong.sasm", BROKEN.replace("[%n]", "[%n"))
    assert client.about("formatting", "wrong.sasm", options=options) is None


def test_rename_is_answered_and_a_refusal_is_an_error_with_its_reason(client: Client) -> None:
    line = line_of("mov_u32 ")
    column = column_of(line, "$s1") + 1
    where = place(line, column - 1, column + 2)
    assert client.at("prepareRename", "good.sasm", line, column) == where
    found = client.at("rename", "good.sasm", line, column, newName="$s5")
    [edit] = found["changes"][client.uri("good.sasm")]
    assert edit == {"range": where, "newText": "$s5"}
    with pytest.raises(AssertionError, match=r"`\$s0` is in use here already"):
        client.at("rename", "good.sasm", line, column, newName="$s0")


def test_an_included_file_that_is_not_saved_counts(client: Client) -> None:
    client.open("main.sasm", '.include "part.sinc"\nkernel k() {\n    mov_u32 $s0, P\n    ret\n}\n')
    (missing,) = client.diagnostics("main.sasm")
    assert missing["code"] == "SIM135"
    client.open("part.sinc", ".const P = 1\n")
    assert client.diagnostics("part.sinc") == []
    assert client.diagnostics("main.sasm") == [], "the text in the editor is included"
    client.change(
        "main.sasm", '.include "part.sinc"\nkernel k() {\n    mov_u32 $s1, P\n    ret\n}\n'
    )
    assert client.diagnostics("main.sasm") == []
    client.change("part.sinc", ".const P = Q\n")
    (wrong,) = client.diagnostics("main.sasm")
    assert (wrong["code"], wrong["range"]) == ("SIM119", place(0, 9, 20))
    assert wrong["message"].startswith("in part.sinc: unknown constant `Q`")
    related = wrong["relatedInformation"]
    assert related[0]["location"] == {"uri": client.uri("part.sinc"), "range": place(0, 11, 12)}


def test_positions_count_utf16_units(client: Client) -> None:
    text = 'kernel k() {\n    .loc "é𝄞𝄞" 1 1    fam\n    ret\n}\n'
    client.open("wide.sasm", text)
    (found,) = client.diagnostics("wide.sasm")
    start = len('    .loc "é') + 4 + len('" 1 1    ')
    assert found["range"] == place(1, start, start + 3)


def test_another_encoding_is_used_if_the_client_wants_it(tmp_path: Path) -> None:
    client = Client(tmp_path, encodings=["utf-8"])
    assert client.capabilities["positionEncoding"] == "utf-8"
    client.open("wide.sasm", 'kernel k() {\n    .loc "é𝄞" 1 1 fam\n    ret\n}\n')
    (found,) = client.diagnostics("wide.sasm")
    start = len('    .loc "é𝄞" 1 1 '.encode())
    assert found["range"] == place(1, start, start + 3)
    assert client.close()[0] == 0


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "kernel", "}", "[", '"', "\\", ".macro", ".macro m\n@", "kernel k(\n", "@:",
        "\u2028\x0b\x0c", "kernel k() {\r\n    fam\r\n}\r\n", ".include \"..\"", "%%$$@@",
    ],
)  # fmt: skip
def test_no_text_ends_the_server(client: Client, text: str) -> None:
    client.open("any.sasm", text)
    client.diagnostics("any.sasm")
    for line in range(3):
        for method in ("hover", "definition", "completion"):
            client.at(method, "any.sasm", line, 1)
        client.at("references", "any.sasm", line, 0, context={"includeDeclaration": True})
    client.about("documentSymbol", "any.sasm")
    client.about("formatting", "any.sasm", options={"tabSize": 4, "insertSpaces": True})
    client.tell("textDocument/didClose", textDocument={"uri": client.uri("any.sasm")})
    assert client.diagnostics("any.sasm") == []


def test_an_unknown_document_has_no_answer_and_a_saved_one_is_read(client: Client) -> None:
    for name in ("nowhere.sasm", "picture.png", "no folder/x.sasm"):
        assert client.at("hover", name, 0, 0) is None
        assert client.at("completion", name, 0, 0) is None
        assert client.about("documentSymbol", name) is None
        client.tell("textDocument/didClose", textDocument={"uri": client.uri(name)})
    (client.folder / "saved.sasm").write_text(GOOD, encoding="utf-8")
    assert "re-converges" in hover(client, "cbr", "cbr", "saved.sasm")
    assert (
        client.ask(
            "textDocument/hover",
            textDocument={"uri": "untitled:Untitled-1"},
            position={"line": 0, "character": 0},
        )
        is None
    )


def test_the_server_ends_when_its_client_is_gone(tmp_path: Path) -> None:
    client = Client(tmp_path)
    assert client.process.stdin is not None
    client.process.stdin.close()
    client.process.wait(timeout=PATIENCE)
    assert "Traceback" not in client.process.stderr.read().decode()  # pyright: ignore
