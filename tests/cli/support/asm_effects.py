"""What the options of `asm`, `disasm`, `check` and `fmt` change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..conftest import SCALE, Cli


def asm_output(cli: Cli) -> None:
    assert cli("asm", "scale.sasm", "-o", "other.bin").status == 0
    assert Path("other.bin").read_bytes().startswith(b"SIMTLAB\0")
    assert not Path("scale.sbc").exists()


def asm_markers(cli: Cli) -> None:
    cli("asm", "scale.sasm", "--markers", "explicit")
    assert "reconverge" in cli("disasm", "scale.sbc").out
    cli("asm", "scale.sasm", "--markers", "auto")
    assert "reconverge" not in cli("disasm", "scale.sbc").out


def asm_subdivide_limit(cli: Cli) -> None:
    cli("asm", "scale.sasm", "--subdivide-limit", "0")
    assert " subdivide" not in cli("disasm", "scale.sbc").out
    cli("asm", "scale.sasm")
    assert " subdivide" in cli("disasm", "scale.sbc").out


def last_line(text: str) -> str:
    return text.splitlines(keepends=True)[-1]


def asm_dump(cli: Cli) -> None:
    both = cli("asm", "scale.sasm", "--dump", "parse,joins").out
    assert both.index("--- parse\n") < both.index("--- joins\n")
    one = cli("asm", "scale.sasm", "--dump", "joins")
    assert "--- " not in one.out
    assert "mul_f32" in one.out
    assert list(cli("asm", "scale.sasm", "--dump", "joins", "--json").json["dump"]) == ["joins"]
    done = cli("asm", "scale.sasm", "--dump", "joins=j.txt,parse")
    assert Path("j.txt").read_text() == one.out[: -len(last_line(one.out))]
    assert "--- " not in done.out


def asm_json(cli: Cli) -> None:
    found = cli("asm", "scale.sasm", "--json").json
    assert found["output"] == "scale.sbc"
    assert found["bytes"] == Path("scale.sbc").stat().st_size
    assert [k["name"] for k in found["kernels"]] == ["scale"]


def json_lines(command: str) -> Callable[[Cli], None]:
    def effect(cli: Cli) -> None:
        Path("bad.sasm").write_text(SCALE.replace("nop", "nope"))
        assert cli(command, "bad.sasm").out == ""
        (line,) = cli(command, "bad.sasm", "--json-lines").out.splitlines()
        assert line.startswith('{"severity": "error", "code": "SIM104"')

    return effect


def fmt_writes_nothing(option: str, shown: str) -> Callable[[Cli], None]:
    def effect(cli: Cli) -> None:
        done = cli("fmt", "scale.sasm", option)
        assert done.status == 1
        assert shown in done.out
        assert Path("scale.sasm").read_text() == SCALE
        assert cli("fmt", "scale.sasm").status == 0
        assert Path("scale.sasm").read_text() != SCALE

    return effect


def disasm_no_loc(cli: Cli) -> None:
    cli("asm", "scale.sasm")
    assert ".loc" in cli("disasm", "scale.sbc").out
    assert ".loc" not in cli("disasm", "scale.sbc", "--no-loc").out


def disasm_kernel(cli: Cli) -> None:
    cli("asm", "two.sasm")
    text = cli("disasm", "two.sbc", "--kernel", "spin").out
    assert "kernel spin" in text
    assert "kernel set" not in text


def disasm_json(cli: Cli) -> None:
    cli("asm", "scale.sasm")
    found = cli("disasm", "scale.sbc", "--json").json
    assert found["text"] == cli("disasm", "scale.sbc").out


def check_json(cli: Cli) -> None:
    Path("bad.sasm").write_text("kernel k() {\n    rte\n}\n")
    done = cli("check", "scale.sasm", "bad.sasm", "--json")
    good, bad = done.json["files"]
    assert (done.status, good["diagnostics"]) == (2, [])
    assert done.json["diagnostics"] == bad["diagnostics"]
    assert (done.json["error"]["line"], done.json["error"]["file"]) == (2, "bad.sasm")


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("asm", "--output"): asm_output,
    ("asm", "--markers"): asm_markers,
    ("asm", "--subdivide-limit"): asm_subdivide_limit,
    ("asm", "--dump"): asm_dump,
    ("asm", "--json"): asm_json,
    ("asm", "--json-lines"): json_lines("asm"),
    ("disasm", "--no-loc"): disasm_no_loc,
    ("disasm", "--kernel"): disasm_kernel,
    ("disasm", "--json"): disasm_json,
    ("check", "--json"): check_json,
    ("check", "--json-lines"): json_lines("check"),
    ("fmt", "--check"): fmt_writes_nothing("--check", "would format scale.sasm\n"),
    ("fmt", "--diff"): fmt_writes_nothing("--diff", "+    mul_f32             $s2, $s2, $s3\n"),
}
