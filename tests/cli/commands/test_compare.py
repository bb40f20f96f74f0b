"""What `compare` says when a policy fails, when it is interrupted, and when it cannot begin."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from simtlab.cli.options.complete import policy_lists
from simtlab.timing.compiler.files import POLICIES
from simtlab.timing.simulation.simulator import Simulator

from ..conftest import SCALE_ARGS
from ..support.compare_effects import FILE, TOY, TWO, compared

EXTENDS = f"EXTENDS = {POLICIES['conv'].files!r}"
THREE = ["--policies", "conv,dws.branch-only,dws.lazy-split"]


def test_the_table_and_the_bars(cli):
    done = compared(cli, *FILE, *TOY, *TWO)
    assert (done.status, done.err) == (0, "")
    head, table, bars = done.out.split("\n\n")
    assert head.splitlines()[:3] == [
        "kernel    scale",
        "machine   toy, memory=ideal",
        "launches  1, of 8 work-items in 1 workgroup",
    ]
    titles, *rows = (line.split() for line in table.splitlines())
    assert titles == ["policy", "cycles", "speedup", "stalled", "width", "splits", "merges",
                      "energy"]  # fmt: skip
    cycles = [int(row[1]) for row in rows]
    assert [row[:3] for row in rows] == [
        ["conv", str(cycles[0]), "1.000"],
        ["dws.branch-only", str(cycles[1]), f"{cycles[0] / cycles[1]:.3f}"],
    ]
    assert [row[5:7] for row in rows] == [["0", "0"], ["1", "1"]]
    lengths = {name: bar.count("█") for name, bar, _ in map(str.split, bars.splitlines()[1:])}
    assert lengths == {"conv": 40, "dws.branch-only": 40 * cycles[0] // cycles[1]}


def test_bars_on_an_output_without_blocks(cli, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", out)
    compared(cli, *FILE, *TOY, *TWO)
    out.seek(0)
    assert out.read().splitlines()[-2].split()[1] == "#" * 40


def test_a_program_is_checked(cli):
    done = compared(cli, "saxpy", "--size", "tiny", *TOY, "--policies", "conv")
    assert done.rows["checked"] == "equal to the reference"
    assert "speedup over" not in done.out  # one bar says nothing


def stuck(monkeypatch: pytest.MonkeyPatch, *policies: str, then: BaseException | None) -> None:
    """Make launches under some policies end after they began: in a deadlock, or as `then`."""
    from simtlab.timing.engine.state import DEADLOCK

    advance = Simulator._advance

    def ends(self: Simulator, *launch: Any) -> int:
        status = advance(self, *launch)
        if self.policy.name not in policies:
            return status
        if then is not None:
            raise then
        return DEADLOCK

    monkeypatch.setattr(Simulator, "_advance", ends)


def test_a_policy_that_gets_stuck_has_a_row_and_the_others_run(cli, monkeypatch):
    stuck(monkeypatch, "conv", then=None)
    done = compared(cli, *FILE, *TOY, *THREE)
    assert done.status == 1
    assert done.rows["conv"] == "cannot continue (SIM440)"
    assert done.rows["launches"] == "1, of 8 work-items in 1 workgroup"
    assert done.rows["dws.lazy-split"].split()[1] == "-"  # there is nothing to be faster than
    assert done.err.startswith("error[SIM440]: conv: kernel scale: nothing can continue")
    first, second, third = compared(cli, *FILE, *TOY, *THREE, "--json").json
    assert (first["error"]["code"], first["speedup"]) == ("SIM440", None)
    assert "error" not in second
    over = compared(cli, *FILE, *TOY, *THREE, "--baseline", "dws.branch-only", "--json").json
    assert [x["speedup"] for x in over] == [None, 1.0, second["cycles"] / third["cycles"]]


def test_ctrl_c_keeps_what_was_done(cli, monkeypatch):
    stuck(monkeypatch, "dws.branch-only", then=KeyboardInterrupt())
    done = compared(cli, *FILE, *TOY, *THREE)
    assert done.status == 130
    assert done.rows["conv"].split()[1] == "1.000"
    assert done.rows["dws.branch-only"] == "interrupted (SIM430)"
    assert "dws.lazy-split" not in done.out
    first, second = compared(cli, *FILE, *TOY, *THREE, "--json").json
    assert (first["speedup"], second["error"]["code"]) == (1.0, "SIM430")
    assert second["cycles"] > 0


def test_ctrl_c_between_two_launches(cli, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("simtlab.cli.jobs.run._run_file", interrupted)
    done = compared(cli, *FILE, *TOY, *TWO)
    assert (done.status, done.rows["conv"]) == (130, "interrupted (SIM430)")


def test_a_policy_that_leaves_other_memory_is_named(cli, monkeypatch):
    run = Simulator.run

    def spoilt(self: Simulator, work, *rest) -> None:
        run(self, work, *rest)
        if self.policy.name == "dws.branch-only":
            work.memory.buffers[0].host[0] ^= 1

    monkeypatch.setattr(Simulator, "run", spoilt)
    done = compared(cli, *FILE, *TOY, *THREE)
    assert (done.status, done.rows["dws.branch-only"]) == (1, "other memory (SIM421)")
    assert "the final memory under dws.branch-only is not that under conv" in done.err
    second = compared(cli, *FILE, *TOY, *THREE, "--json").json[1]
    assert (second["error"]["code"], second["speedup"]) == ("SIM421", None)


def test_a_policy_that_the_machine_cannot_run_has_a_row(cli):
    Path("odd.py").write_text(f"{EXTENDS}\n\n\ndef on_nothing(S):\n    return 0\n")
    done = compared(cli, *FILE, *TOY, "--policies", "conv,odd.py")
    assert (done.status, done.rows["odd"]) == (2, "cannot run (SIM610)")
    assert done.rows["conv"].split()[1] == "1.000"
    assert done.err.startswith("error[SIM610]: odd: odd.py:4: 'on_nothing' is not a hook")
    found = compared(cli, *FILE, *TOY, "--policies", "conv,odd.py", "--json").json[1]
    assert (found["policy"], found["speedup"], "cycles" in found) == ("odd", None, False)
    alone = compared(cli, *FILE, *TOY, "--policies", "odd.py")
    assert (alone.status, alone.out) == (2, "")


FAULTS = {
    "books": "@device\ndef on_turn(S, w, t):\n    wpu(S, w).n_warp_instr += 1\n    return 0\n",
    "hook": "@device\ndef on_turn(S, w, t):\n    wpu(S, w)\n",
    "grain": 'GRAIN = "instr"\n',
    "text": "def setup(machine):\n    return {'x': 'four'}\n",
    "module": "import numpyy\n",
    "syntax": "x = (\n",
}
"""What may follow a policy's constants, and should not."""


def test_mistakes_in_files_have_rows_and_the_others_run(cli):
    for name, text in FAULTS.items():
        head = f"from simtlab.timing.engine.intrinsics import device\n\n{EXTENDS}\n\n\n"
        Path(f"{name}.py").write_text(head + text)
    listed = ",".join(f"{name}.py" for name in FAULTS)
    done = compared(cli, *FILE, *TOY, "--policies", f"{listed},conv", "--baseline", "conv")
    assert done.status == 1
    assert done.rows["conv"].split()[1] == "1.000"
    assert done.rows["books"] == "wrong books (SIM441)"
    rows = {done.rows[name] for name in FAULTS if name != "books"}
    assert rows == {"cannot run (SIM610)"}
    for name, line in (("hook", 8), ("grain", 6), ("text", 6), ("module", 6), ("syntax", 6)):
        assert f"error[SIM610]: {name}: {name}.py:{line}: " in done.err
    assert "Traceback" not in done.err
    found = cli("policies", "module.py")
    assert (found.status, found.err) == (0, "")
    assert "module.py:6: No module named 'numpyy'" in " ".join(found.out.split())
    assert "numpyy" in cli("policies", "module.py", "--json").json["refusal"]


def test_a_policy_of_ones_own_beside_others(cli):
    Path("mine.py").write_text(f'"""As conv."""\n\n{EXTENDS}\n')
    done = compared(cli, *FILE, *TOY, "--policies", "conv,mine.py")
    assert (done.status, done.rows["mine"].split()[1]) == (0, "1.000"), done


MISTAKES = {
    "scale.sasm --policies conv,dws.brunch-only": """\
error[SIM602]: unknown policy 'dws.brunch-only'
 = help: did you mean `dws.branch-only`?
""",
    "scale.sasm --policies conv,dws.branch-only,dws.branch-only.pc": (
        "error[SIM515]: the list of policies has dws.branch-only twice\n"
    ),
    "scale.sasm --policies ''": """\
error[SIM515]: expected a list of policies: names separated by commas
 = help: for example conv,dws.revive-split, or all; `simtlab policies` lists the names
""",
    "scale.sasm": """\
error[SIM514]: missing option '--policies'
 = help: `simtlab compare --help` lists arguments and options
""",
    "saxpi --policies conv": """\
error[SIM500]: unknown file or program 'saxpi'
 = help: did you mean `saxpy`?
""",
    "saxpy --policies conv --machine dsw": """\
error[SIM601]: unknown machine 'dsw'
 = help: did you mean `dws`?
""",
    "saxpy --policies conv --picture c.pdf": (
        "error[SIM515]: a picture is a file that ends in .png, not c.pdf\n"
    ),
    "saxpy --policies conv --picture no/c.png": """\
error[SIM511]: --picture: the folder no does not exist
 = help: mkdir -p no
""",
    "saxpy --policies conv,dws.lazy-split --baseline dws.branch-only": """\
error[SIM515]: the baseline dws.branch-only is not among the policies
 = help: there are conv, dws.lazy-split
""",
    "saxpy --policies conv,dws.lazy-split --set policy.pc-marge=true": """\
error[SIM602]: none of the policies has a setting 'pc-marge'
 = help: did you mean `pc-merge`?
""",
    "saxpy --policies conv --grid 3": """\
error[SIM517]: --grid is for files; basics/saxpy is a program and brings its own inputs and \
launches
 = help: choose with --size and --seed, or run saxpy.sasm as a file
""",
    "scale.sasm --policies conv --items 8 --arg a=2": """\
error[SIM320]: kernel scale needs n, x and y; the signature: kernel scale(f32 %a, u32 %n, \
global f32* %x, global f32* %y)
 = help: give --arg n=1024 --arg x=zeros:f32:1024 --arg y=zeros:f32:1024
""",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_has_one_clear_message(line, cli):
    import shlex

    done = compared(cli, *shlex.split(line))
    assert (done.status, done.out, done.err) == (2, "", MISTAKES[line])


def test_a_picture_without_matplotlib(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)  # as if it were not installed
    done = compared(cli, *FILE, *TOY, *TWO, "--picture", "c.png")
    assert (done.status, done.out, done.err) == (2, "", """\
error[SIM520]: pictures of comparisons need matplotlib, which is not installed
 = help: pip install 'simtlab[plot]'
""")  # fmt: skip


def test_a_trap_under_every_policy_is_told_once(cli):
    short = [*SCALE_ARGS[:-1], "y=ones:4"]
    done = compared(cli, "scale.sasm", "--items", "8", *short, *TOY, *TWO)
    assert (done.status, done.err.count("error[")) == (1, 1)
    assert "conv, dws.branch-only: kernel scale: out-of-bounds store" in done.err


def test_completion_of_a_list():
    assert {"all", "conv"} <= set(policy_lists(""))
    assert "conv,dws.lazy-split" in policy_lists("conv,dws.l")
    assert not policy_lists("conv,con").count("conv,conv")
