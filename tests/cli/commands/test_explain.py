"""`explain` and `programs`: every row and every code has a text, and examples assemble."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import simtlab
from simtlab.asm.assemble import assemble
from simtlab.cli import pages
from simtlab.cli.jobs.explain import InstructionText, example_line, explanation
from simtlab.isa.codes import codes
from simtlab.isa.table import TABLE
from simtlab.isa.types import Segment
from simtlab.programs.index import catalogue

ROOT = Path(simtlab.__file__).parent


def test_an_instruction(cli):
    assert (
        cli("explain", "popcount_u64").out
        == """\
popcount_u64
  does          Counts one bits.
  meaning       d = number of one bits in a
  written       popcount_u64 $s, $d|u64
  unit          int
  opcode        109
  word          opcode 10 | dst 6 | r1 6 | r2 6 | which 2 | imm 32 | zero 2
  example       popcount_u64 $s0, $d1
"""
    )


def test_a_stem(cli):
    text = cli("explain", "fma").out
    assert text.startswith("fma (2 instructions)\n")
    assert "  instructions  fma_f32 fma_f64\n" in text


def test_an_error_code(cli):
    assert (
        cli("explain", "sim409").out
        == """\
SIM409: Trap instruction

The kernel executed `trap` with the code in the message; kernels report their own errors this way.

What to do: Look up the code in the kernel's source.
"""
    )


def test_two_words_that_name_one_concept(cli):
    assert cli("explain", "active", "mask").out == cli("explain", "active mask").out


def test_words_that_are_known_alone_are_explained_one_after_the_other(cli):
    both = cli("explain", "SIM127", "SIM102").out
    assert both == cli("explain", "SIM127").out + "\n" + cli("explain", "SIM102").out


def test_of_several_words_the_unknown_one_is_named(cli):
    assert "concept or page 'fam_f32'\n" in cli("explain", "SIM127", "fam_f32").err


def test_the_title_of_an_error(cli):
    assert cli("explain", "divergent", "barrier").out == cli("explain", "SIM405").out


def test_a_page_of_the_documentation(cli):
    page = (ROOT / "docs" / "isa.md").read_text(encoding="utf-8")
    assert cli("explain", "isa").out == page
    assert cli("explain", "docs/isa.md").out == page
    assert cli("explain", "isa", "--json").json == {
        "kind": "page", "name": "isa", "text": page.rstrip("\n"),
    }  # fmt: skip


def test_a_page_in_a_folder(cli):
    hooks = (ROOT / "docs" / "timing" / "hooks.md").read_text(encoding="utf-8")
    assert cli("explain", "timing/hooks").out == hooks
    assert cli("explain", "docs/timing/hooks.md").out == hooks


def test_the_name_of_a_folder_stands_for_its_overview(cli):
    overview = (ROOT / "docs" / "timing" / "overview.md").read_text(encoding="utf-8")
    assert cli("explain", "timing").out == overview
    assert cli("explain", "docs/timing/").out == overview


def test_without_a_word_everything_is_listed(cli):
    listed = set(cli("explain").out.split())
    assert {row.stem for row in TABLE} <= listed
    docs = ROOT / "docs"
    assert {str(p.relative_to(docs).with_suffix("")) for p in docs.rglob("*.md")} <= listed
    assert cli("explain", "--json").json["kind"] == "overview"


@pytest.mark.parametrize("stem", dict.fromkeys(row.stem for row in TABLE))
def test_every_stem_is_explained(stem):
    found = explanation(stem)
    [first, *_] = [row for row in TABLE if row.stem == stem]
    assert first.doc in found.text()
    assert found.to_dict()["usage"]


def test_every_example_assembles():
    kernarg = [row for row in TABLE if row.segment is Segment.KERNARG]
    lines = "\n".join(f"    {example_line(row)}" for row in TABLE if row not in kernarg)
    others = "\n".join(
        f"kernel k{row.number}({row.type} %n) {{\n    {example_line(row)}\n    ret\n}}"
        for row in kernarg
    )
    source = f"""
.readonly u32 table[4] = {{ 1 }}
{others}
kernel k() {{
    .group u32 tile[4]
    .private u32 stack[4]
{lines}
@done:
    ret
}}
"""
    program = assemble(source)
    assert len(program.kernels) == len(kernarg) + 1
    assert len(program.kernels[-1].words) == len(TABLE) - len(kernarg) + 1


def test_examples_come_from_programs_where_one_uses_the_instruction():
    line, place = InstructionText((explanation("fma_f32").row,)).example  # pyright: ignore
    assert line.startswith("fma_f32 ")
    assert re.fullmatch(r"\w+/\w+, line \d+", place)


def test_every_code_that_the_sources_raise_is_explained():
    raised = set()
    for folder in ("isa", "asm", "emu", "programs", "cli"):
        for path in (ROOT / folder).rglob("*.py"):
            raised |= set(re.findall(r'"(SIM\d\d\d)"', path.read_text(encoding="utf-8")))
    families = {"SIM000", "SIM100", "SIM300"}
    """Defaults of the exception classes, which every raise replaces."""
    assert raised - families - set(codes()) == set()
    assert {c for c in codes() if c[3] in "345"} - raised == set()


@pytest.mark.parametrize("code", codes())
def test_every_code_has_a_text(code):
    assert codes()[code].text().startswith(f"{code}: ")
    assert codes()[code].to_dict()["code"] == code


def test_programs_lists_all(cli):
    out = cli("programs").out
    assert all(entry.name in out for entry in catalogue())


def test_a_program_in_detail(cli):
    rows = cli("programs", "basics/scan").rows
    assert rows["name"] == "basics/scan"
    assert rows["kernels"].startswith("kernel scan_blocks(")
    assert rows["file"].endswith("scan.sasm")


# --- concepts of the glossary


def test_a_concept_of_two_words_needs_no_quotes(cli):
    text = cli("explain", "active", "mask").out
    assert text.startswith("active mask\n\n  One bit for each lane")
    assert text == cli("explain", "active mask").out == cli("explain", "Active_Masks").out
    assert "](" not in text, "a link is shown as its words"


def test_a_concept_is_found_by_another_word_for_it(cli):
    assert cli("explain", "wavefront").out.startswith("warp\n")
    assert cli("explain", "ipdom", "--json").json["term"] == "post-dominator"


def test_an_instruction_that_is_a_concept_is_explained_as_both(cli):
    text = cli("explain", "barrier").out
    assert text.startswith("barrier\n  does ")
    assert "\nbarrier\n\n  An instruction at which a work-item waits" in text
    found = cli("explain", "barrier", "--json").json
    assert (found["kind"], found["concept"]["kind"]) == ("instruction", "concept")


def test_a_misspelt_concept_gets_a_hint(cli):
    done = cli("explain", "activ", "mask")
    assert done.status == 2
    assert "did you mean `active mask`?" in done.err


def test_a_page_in_a_folder_is_found_by_its_last_name(cli):
    assert cli("explain", "hooks").out == cli("explain", "timing/hooks").out


def test_a_last_name_that_two_pages_have_is_not_found(monkeypatch):
    monkeypatch.setattr(pages, "names", lambda: ["a/same", "b/same", "c/other", "d/overview"])
    assert pages.find("same") is None
    assert pages.find("other") == "c/other"
    assert pages.find("overview") is None


@pytest.mark.parametrize("entry", pages.concepts(), ids=lambda c: c.term)
def test_every_concept_is_short_and_found_by_each_of_its_words(entry):
    assert len(re.findall(r"[.:](?=\s|$)", entry.body)) <= 5
    assert len(entry.body.split()) >= 8
    for word in (entry.term, *entry.others):
        assert pages.concept(word) == entry, f"{word!r} names two concepts"


def test_a_page_comes_before_the_concept_of_which_its_name_is_a_plural(cli):
    assert cli("explain", "divergences").out.startswith("# ")
    assert cli("explain", "divergence").out.startswith("divergence\n")


def test_no_concept_has_the_name_of_a_page():
    assert not {c.term for c in pages.concepts()} & set(pages.names())


@pytest.mark.parametrize(
    ("word", "term"),
    [
        ("splits", "warp-split"),
        ("stack", "re-convergence stack"),
        ("mask", "active mask"),
        ("threads", "work-item"),
        ("thread block", "workgroup"),
        ("reconvergence", "re-convergence"),
        ("diverge", "divergence"),
        ("coalesced", "coalescing"),
        ("deadlock", "spin lock"),
        ("hang", "spin lock"),
        ("predicates", "register"),
        ("IPC", "cycle"),
        ("loops", "branch"),
        ("occupancy", "warp context"),
        ("shared memory", "group memory"),
        ("latency", "latency hiding"),
        ("fetch groups", "warp scheduler"),
        ("divergences of memory", None),
    ],
)
def test_everyday_words(cli, word, term):
    done = cli("explain", *word.split())
    assert (done.out.partition("\n")[0] if done.status == 0 else None) == term


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("dws.revive-split", "it is a policy: `simtlab policies dws.revive-split` shows it"),
        ("gpu-small", "it is a machine: `simtlab machines gpu-small` shows it"),
        ("stragglers", "it is a program: `simtlab programs stragglers` shows it"),
        ("ppc/shortcircuit", "it is a program: `simtlab programs ppc/shortcircuit` shows it"),
        ("view", None),
        ("reproduce", None),
        ("fmt", "it is a command: `simtlab fmt --help` describes it"),
        ("idle", "it is a cause of waiting: `simtlab explain statistics` describes it"),
        ("CUDA", "the glossary uses the word under `work-item`, `workgroup`, `group memory`; try "
         "`simtlab explain work-item`"),
        ("neighbours", "the glossary uses the word under `warp`; try `simtlab explain warp`"),
        ("of", "`simtlab explain` lists all of them"),  # too short to mean anything
        ("divergance", "did you mean `divergence`?"),
    ],
)  # fmt: skip
def test_a_word_that_is_described_elsewhere(cli, word, hint):
    done = cli("explain", word)
    if hint is None:
        assert done.status == 0, "a page of this name comes first"
    else:
        assert done.status == 2
        assert f"help: {hint}\n" in done.err


def test_the_commands_that_a_hint_knows():
    from simtlab.cli.app import app
    from simtlab.cli.jobs.elsewhere import COMMANDS

    names = {c.callback.__name__ for c in app.registered_commands if c.callback}
    names |= {str(group.typer_instance and group.typer_instance.info.name)
              for group in app.registered_groups}  # fmt: skip
    assert names == set(COMMANDS)
