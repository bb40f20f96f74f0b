"""`simtlab run --check`: the report, its exit status, its JSON, and what it is combined with."""

from __future__ import annotations

from pathlib import Path

from simtlab.cli.jobs.checking import Findings, with_findings
from simtlab.emu.check.finding import Finding, Report, Severity
from simtlab.programs.runner import CheckFailed

ROOT = Path(__file__).parents[3]
REDUCE = (ROOT / "docs" / "examples" / "reduce.sasm").read_text(encoding="utf-8")
ARGUMENTS = ("--grid", "4", "--block", "64", "--arg", "x=ones:256", "--arg", "y=zeros:4")


def write(text: str = REDUCE) -> tuple[str, ...]:
    Path("reduce.sasm").write_text(text, encoding="utf-8")
    return ("run", "reduce.sasm", *ARGUMENTS, "--check")


def mended() -> str:
    return REDUCE.replace("@idle:", "@idle:\n    barrier")


def test_a_forgotten_barrier(cli):
    done = cli(*write())
    assert done.status == 1
    assert "error[SIM450]: kernel reduce: data race on tile[" in done.err
    assert "error[SIM456]" in done.err
    assert done.rows["check"].startswith("2 errors; checked 1,272 accesses of ")


def test_with_the_barrier(cli):
    done = cli(*write(mended()))
    assert done.status == 0
    assert done.err == ""
    assert done.rows["check"].startswith("no errors; checked 1,272 accesses of ")
    assert "compared stack/32, oracle, stack/1" in done.out


def test_json(cli):
    done = cli(*write(), "--json")
    assert done.status == 1
    check = done.json["check"]
    assert (check["ok"], check["accesses"], check["launches"]) == (False, 1272, 1)
    race = check["findings"][0]
    assert (race["code"], race["severity"], race["place"]) == ("SIM450", "error", "tile[16]")
    later, earlier = race["accesses"]
    assert (later["workitem"], later["workgroup"], later["action"]) == ([0], [0], "load")
    assert earlier["workitem"] == [16]
    assert done.json["error"]["code"] == "SIM450"
    assert [d["code"] for d in done.json["diagnostics"]] == ["SIM450", "SIM456"]


def test_the_scheme_and_the_warp_are_those_of_the_checked_run(cli):
    done = cli(*write(mended()), "--scheme", "ppc", "--warp", "8")
    assert done.status == 0
    assert "compared ppc/8, oracle, stack/1, stack/4, stack/32, stack/64" in done.out


def test_warnings_are_printed_and_do_not_fail(cli):
    text = mended().replace("cmp_ne_u32          $c0, $s0, 0\n    cbr ", "nop\n    cbr ")
    text = text.replace("cbr                 $c0, @done", "nop")
    text = text.replace(
        "st_global_u32       $s2", "ld_group_u32 $s2, [tile]\n    st_global_u32 $s2"
    )
    done = cli(*write(text))
    assert done.status == 0, done
    assert done.err.startswith("warning[SIM451]: kernel reduce: two work-items store the same")


def test_a_trap_is_reported_with_what_was_found_before(cli):
    text = REDUCE.replace("    ret\n", "    trap 3\n    ret\n")
    done = cli(*write(text))
    assert done.status == 1
    assert "error[SIM450]" in done.err
    assert done.err.count("error[SIM409]") == 1
    assert done.rows["launches"] == "0"
    assert [d["code"] for d in cli(*write(text), "--json").json["diagnostics"]] == [
        "SIM450",
        "SIM409",
    ]


def test_with_the_other_checks(cli):
    done = cli(*write(mended()), "--check-coverage", "--check-arrays", "--stats", "--lines")
    assert done.status == 0
    assert "y: all of 4 elements" in done.out
    assert "barriers" in done.rows


def test_stray_accesses_do_not_end_the_run_but_with_check_arrays_they_do(cli):
    text = mended().replace(".group u32 tile[GROUP]", ".group u32 tile[GROUP]\n.group u32 z[GROUP]")
    text = text.replace("[tile+$s5]", "[tile+$s5+4]")
    done = cli(*write(text))
    assert done.status == 1
    assert "error[SIM411]: kernel reduce: the load names tile[64] and reaches z[0]" in done.err
    assert done.rows["launches"].startswith("1, of 256")
    done = cli(*write(text), "--check-arrays")
    assert done.status == 1
    assert done.rows["launches"] == "0"


def test_object_files_are_checked_without_lines(cli):
    write()
    cli("asm", "reduce.sasm")
    done = cli("run", "reduce.sbc", *ARGUMENTS, "--check")
    assert done.status == 1
    assert "error[SIM450]" in done.err


def test_a_program_with_a_declared_race(cli):
    done = cli("run", "bfs", "--size", "tiny", "--check")
    assert done.status == 0
    assert "note[SIM450]" in done.err
    assert "declares this benign for level: all who store" in done.err
    assert done.rows["checked"] == "equal to the reference"


def test_a_lesson_about_a_mistake(cli):
    assert cli("run", "lessons/barrier", "--size", "wrong", "--check").status == 1


def test_options_that_exclude_it(cli):
    for option in ("--check", "--check-unread"):
        done = cli("run", "saxpy", "--size", "tiny", option, "--engine", "oracle")
        assert done.status == 2
        assert f"{option} needs the interpreter" in done.err
    assert cli("run", "saxpy", "--size", "tiny", "--check", "--threads", "2").status == 2


def test_a_wrong_result_stays_the_first_error():
    finding = Finding("SIM450", Severity.ERROR, "k", "a race")
    wrong = CheckFailed("saxpy: the result differs")
    both = with_findings(wrong, Report(findings=(finding,)))
    assert both is not None
    assert [d.code for d in both.diagnostics] == ["SIM420", "SIM450"]
    assert with_findings(wrong, Report()) is wrong
    assert with_findings(None, Report()) is None
    assert isinstance(with_findings(None, Report(findings=(finding,))), Findings)
