"""What users get wrong: the whole message, the exit status, and never a traceback."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import numpy as np
import pytest

from .conftest import SCALE_ARGS, Cli

ARGS = shlex.join(SCALE_ARGS)
SIGNATURE = "kernel scale(f32 %a, u32 %n, global f32* %x, global f32* %y)"
RUN = f"run scale.sasm --items 8 {ARGS}"

MISTAKES = {
    # --- names and files
    "rnu": """\
error[SIM514]: unknown command 'rnu'; the commands are asm, disasm, check, fmt, run, debug, \
time, compare, sweep, view, reproduce, programs, machines, policies, diff, explain, lsp, doctor, \
results, exercise
 = help: did you mean `run`?
""",
    "run": """\
error[SIM514]: missing argument 'F.sasm|F.sbc|PROGRAM'
 = help: `simtlab run --help` lists arguments and options
""",
    "asm scale.sasm two.sasm three.sasm": """\
error[SIM514]: unexpected arguments two.sasm three.sasm
 = help: `simtlab asm --help` lists arguments and options
""",
    "exercise show reduction --picture r.png": """\
error[SIM514]: simtlab exercise show has no option --picture
 = help: `simtlab exercise show --help` lists arguments and options
""",
    "policies conv slip": """\
error[SIM514]: unexpected argument slip
 = help: `simtlab policies --help` lists arguments and options
""",
    "asm scale.sasm -o scale.sasm": """\
error[SIM511]: scale.sasm is a source and would be overwritten
 = help: name another file
""",
    "run mandelbrot --size tiny --picture scale.sasm": """\
error[SIM511]: --picture: scale.sasm is a source and would be overwritten
 = help: name another file
""",
    "run mandelbrot --size tiny --picture m.jpg": (
        "error[SIM515]: a picture is a file that ends in .png, not m.jpg\n"
    ),
    "run scale": """\
error[SIM500]: unknown file or program 'scale'
 = help: there is a file scale.sasm: name it with its ending
""",
    "run saxpi": """\
error[SIM500]: unknown file or program 'saxpi'
 = help: did you mean `saxpy`?
""",
    "run saxpy.sasm": """\
error[SIM510]: cannot read saxpy.sasm: no such file
 = help: the program of that name runs as `simtlab run saxpy`
""",
    "run .": """\
error[SIM510]: . is a folder
 = help: name a .sasm or .sbc file
""",
    "run folder.sasm --items 1": "error[SIM510]: cannot read folder.sasm: is a directory\n",
    "run folder.sbc --items 1": "error[SIM510]: cannot read folder.sbc: is a directory\n",
    "asm nothing.sasm": ("error[SIM510]: cannot read nothing.sasm: no such file or directory\n"),
    "disasm nothing.sbc": "error[SIM510]: cannot read nothing.sbc: no such file or directory\n",
    "disasm scale.sasm": """\
error[SIM516]: scale.sasm is a source, not an object file
 = help: `simtlab asm scale.sasm` makes one
""",
    "programs saxpi": """\
error[SIM500]: unknown program 'saxpi'
 = help: did you mean `saxpy`?
""",
    "explain fam_f32": """\
error[SIM500]: unknown instruction, error code, concept or page 'fam_f32'
 = help: did you mean `fma_f32`?
""",
    # --- where things go
    "asm precious.sasm": """\
error[SIM512]: precious.sbc exists and is not an object file, so it is not overwritten
 = help: name the object file with -o, which may overwrite
""",
    "asm -": """\
error[SIM517]: a source on stdin needs -o to name the object file
 = help: simtlab asm - -o F.sbc
""",
    "asm scale.sasm -o no/folder.sbc": (
        "error[SIM511]: cannot write no/folder.sbc: no such file or directory\n"
    ),
    "asm scale.sasm -o folder.sbc": "error[SIM511]: cannot write folder.sbc: is a directory\n",
    "asm scale.sasm -o - --dump joins": """\
error[SIM517]: -o - cannot share stdout with --json, --json-lines or --dump
 = help: name a file
""",
    f"{RUN} --out y=no/y.npy": """\
error[SIM511]: --out y: the folder no does not exist
 = help: mkdir -p no
""",
    f"{RUN} --out y=folder.sbc": """\
error[SIM511]: --out y: folder.sbc is a folder
 = help: name a file in it
""",
    f"{RUN} --out z=z.npy": f"""\
error[SIM320]: --out: kernel scale has no parameter 'z'
 = help: the signature: {SIGNATURE}
""",
    f"{RUN} --out n=n.npy": f"""\
error[SIM320]: --out: u32 %n is not an array, so the kernel cannot change it
 = help: the signature: {SIGNATURE}
""",
    f"{RUN} --out x=f.npy --out y=f.npy": (
        "error[SIM320]: --out: two arrays cannot both go to f.npy\n"
    ),
    "run mandelbrot --size tiny --picture no/m.png": """\
error[SIM511]: --picture: the folder no does not exist
 = help: mkdir -p no
""",
    # --- options
    "run saxpy --gird 3": """\
error[SIM514]: simtlab run has no option --gird
 = help: did you mean --grid? `simtlab run --help` lists arguments and options
""",
    "run saxpy --sise tiny": """\
error[SIM514]: simtlab run has no option --sise
 = help: did you mean --size? `simtlab run --help` lists arguments and options
""",
    "run saxpy --group-size 64": """\
error[SIM514]: simtlab run has no option --group-size
 = help: did you mean --block, the work-items of a workgroup?
""",
    "run saxpy --groups 64": """\
error[SIM514]: simtlab run has no option --groups
 = help: did you mean --grid, the number of workgroups?
""",
    "check scale.sasm --items 8": """\
error[SIM514]: simtlab check has no option --items
 = help: `check` only assembles the source; `simtlab run --check` checks a run
""",
    "run saxpy --policy conv": """\
error[SIM514]: simtlab run has no option --policy
 = help: policies are for `simtlab time`; `run` takes --scheme instead
""",
    "reproduce dws-fig1c --size tiny": """\
error[SIM514]: simtlab reproduce has no option --size
 = help: use --scale, which chooses the sizes of all programs
""",
    "time saxpy --warp 8": """\
error[SIM514]: simtlab time has no option --warp
 = help: the machine fixes the width of a warp: --set width=8
""",
    "run saxpy --arg": """\
error[SIM514]: option '--arg' requires an argument
 = help: `simtlab run --help` lists arguments and options
""",
    "--version=3": """\
error[SIM514]: option '--version' does not take a value
 = help: `simtlab --help` lists the commands
""",
    "run mandelbrot --size tiny --picture ''": (
        "error[SIM511]: --picture needs the name of a file\n"
    ),
    "disasm ''": "error[SIM510]: cannot read '': is a directory\n",
    "run saxpy --grid 4": """\
error[SIM517]: --grid is for files; basics/saxpy is a program and brings its own inputs and \
launches
 = help: choose with --size and --seed, or run saxpy.sasm as a file
""",
    f"{RUN} --size tiny": """\
error[SIM517]: --size is for programs, and scale.sasm is a file
 = help: `simtlab programs` lists the programs
""",
    "run saxpy --size tiny --picture s.png": """\
error[SIM519]: basics/saxpy has no picture
 = help: these have one: basics/histogram, mandelbrot, filter, dws/hotspot, dws/kmeans, \
lwm/histogram, lwm/hotspot, dct
""",
    "run saxpy --size tinny": """\
error[SIM500]: basics/saxpy has no size 'tinny'; it has tiny, small, paper
 = help: did you mean `tiny`?
""",
    "run saxpy --engine inter": """\
error[SIM500]: unknown engine 'inter'; there are jit, interp, oracle
 = help: did you mean `interp`?
""",
    "run saxpy --scheme stak": """\
error[SIM501]: unknown scheme 'stak'; there are stack, ipdom-explicit, ppc, ppc-explicit, per-thread
 = help: did you mean `stack`?
""",
    "run saxpy --set cascade=false": """\
error[SIM515]: --set takes scheme.KNOB=VALUE, not 'cascade=false'
 = help: scheme stack has: scheme.first-path=minpc
""",
    "run saxpy --scheme ppc --set scheme.cascad=false": """\
error[SIM502]: scheme ppc has no knob 'cascad'; its knobs: cascade
 = help: did you mean `cascade`?
""",
    "run saxpy --scheme ppc --set scheme.cascade=maybe": (
        "error[SIM503]: knob cascade of scheme ppc cannot be 'maybe'; it takes true, false\n"
    ),
    "run saxpy --engine oracle --scheme ppc": """\
error[SIM517]: the oracle runs every work-item alone and has no divergence scheme
 = help: leave out --scheme and --set, or use --engine interp
""",
    "run saxpy --engine jit --scheme ppc": """\
error[SIM517]: the engine jit follows no divergence scheme
 = help: leave out the engine, or choose interp
""",
    "run saxpy --warp x": "error[SIM515]: --warp takes a whole number from 0 on, not 'x'\n",
    "run saxpy --size tiny --warp 65": (
        "error[SIM302]: the warp width must be from 1 to 64, not 65\n"
    ),
    "run saxpy --size tiny --budget -1": (
        "error[SIM515]: --budget takes a positive whole number, not '-1'\n"
    ),
    "run saxpy --size tiny --budget 0": (
        "error[SIM515]: --budget takes a positive whole number, not '0'\n"
    ),
    "run saxpy --size tiny --threads 0": (
        'error[SIM309]: the number of threads must be a positive whole number or "auto", not 0\n'
    ),
    "run saxpy --size tiny --threads 2 --check-coverage": """\
error[SIM517]: the engine interp runs on one thread; only jit runs on several
 = help: leave out the options that need another engine than jit (checks do)
""",
    "run saxpy --size tiny --engine oracle --dump asm": """\
error[SIM517]: the engine oracle generates no code
 = help: leave out the options that need another engine than jit (checks do)
""",
    "run around.sasm --items 64 --dump asm": """\
error[SIM517]: no code is generated for kernel around: the jit leaves it to interp, since it \
is very large or its results depend on the order of execution
""",
    "asm scale.sasm --dump llvm": """\
error[SIM517]: --dump llvm is for `run`: native code is made for workgroups of one size
 = help: simtlab run F.sasm --items N --arg NAME=VALUE --dump llvm
""",
    "asm scale.sasm --dump joins=no/j.txt": """\
error[SIM511]: --dump joins: the folder no does not exist
 = help: mkdir -p no
""",
    "run saxpy --seed -1": "error[SIM515]: --seed takes a whole number from 0 on, not '-1'\n",
    "asm scale.sasm --markers explict": """\
error[SIM515]: --markers takes auto, explicit or none, not 'explict'
 = help: did you mean `explicit`?
""",
    "asm scale.sasm --dump join": """\
error[SIM515]: --dump takes parse, expand, resolve, markers, flow, joins or encode, not 'join'
 = help: did you mean `joins`?
""",
    f"{RUN} --scheme ppc-explicit --markers none": """\
error[SIM517]: scheme ppc-explicit acts on `reconverge` instructions, which --markers none strips
 = help: leave out --markers: the assembler then inserts them at every join
""",
    # --- the shape of a launch
    f"run scale.sasm {ARGS}": """\
error[SIM304]: launching scale takes --grid (workgroups) or --items (work-items)
 = help: --items 1024 is the same as --grid 4 --block 256
""",
    f"{RUN} --grid 3": """\
error[SIM304]: a launch takes --grid or --items, not both
 = help: --items 1024 is the same as --grid 4 --block 256
""",
    "run scale.sasm --grid 4,0": """\
error[SIM515]: --grid takes one to three positive whole numbers, not '4,0'
 = help: as --grid 64, --grid 8,8 or --grid 4,4,2
""",
    "run scale.sasm --items 1,2,3,4": """\
error[SIM515]: --items takes one to three positive whole numbers, not '1,2,3,4'
 = help: as --items 64, --items 8,8 or --items 4,4,2
""",
    "run two.sasm --items 1": """\
error[SIM518]: the file has 3 kernels: set, spin, leave
 = help: choose one with --kernel
""",
    "run two.sasm --kernel sett --items 1": """\
error[SIM504]: the program has no kernel 'sett'; it has set, spin, leave
 = help: did you mean `set`?
""",
    # --- arguments
    "run scale.sasm --items 8 --arg a=2 --arg x=arange:8": f"""\
error[SIM320]: kernel scale needs n and y; the signature: {SIGNATURE}
 = help: give --arg n=1024 --arg y=zeros:f32:1024
""",
    f"{RUN} --out y=-": "error[SIM511]: --out y needs the name of a file, not -\n",
    f"{RUN} --arg xx=3": f"""\
error[SIM320]: --arg: kernel scale has no parameter 'xx'
 = help: did you mean `x`? the signature: {SIGNATURE}
""",
    f"{RUN} --arg a=3": """\
error[SIM320]: --arg: a is given twice, as 2 and as 3
 = help: leave one of them out
""",
    f"{RUN} --arg a": """\
error[SIM320]: --arg takes name=value, not 'a'
 = help: as --arg a=1.5
""",
    f"{RUN} --arg z": f"""\
error[SIM320]: --arg takes name=value, not 'z'
 = help: the signature: {SIGNATURE}
""",
    f"{RUN} --out y": """\
error[SIM320]: --out takes name=file, not 'y'
 = help: as --out y=y.npy
""",
    "run scale.sasm --items 8 --arg a=two --arg n=8 --arg x=ones:8 --arg y=ones:8": (
        "error[SIM321]: --arg a: f32 %a takes a number, not 'two'\n"
    ),
    "run scale.sasm --items 8 --arg a=2 --arg n=1.5 --arg x=ones:8 --arg y=ones:8": (
        "error[SIM321]: --arg n: u32 %n takes a whole number, not '1.5'\n"
    ),
    "run scale.sasm --items 8 --arg a=2 --arg n=ones:8 --arg x=ones:8 --arg y=ones:8": """\
error[SIM321]: --arg n: u32 %n takes a whole number, not 'ones:8'
 = help: arrays are for parameters declared with `global`
""",
    "run scale.sasm --items 8 --arg a=2 --arg n=-1 --arg x=ones:8 --arg y=ones:8": f"""\
error[SIM307]: kernel scale, argument 2 (u32 %n) needs a whole number from 0 to 4294967295; \
it got -1 (int)
 = help: the signature: {SIGNATURE}
""",
}

ARRAYS = {
    "7": """\
error[SIM321]: --arg y: '7' is not an array
 = help: arrays are written as @file.npy, zeros:f32:1024, ones:, arange:, rand:f32:1024:seed=1, \
full:u32:64x64:7
""",
    "zero:f32:8": """\
error[SIM321]: --arg y: 'zero:f32:8' is not an array
 = help: did you mean `zeros`?
""",
    "y.npy": """\
error[SIM321]: --arg y: 'y.npy' is not an array
 = help: a file is written with an at sign: @y.npy
""",
    "zeros:float32:8": """\
error[SIM321]: --arg y: 'zeros:float32:8' has the unknown element type 'float32'; the types are \
u8, s8, u16, s16, u32, s32, u64, s64, f32, f64
 = help: write f32
""",
    "zeros": """\
error[SIM321]: --arg y: 'zeros' needs a number of elements
 = help: as zeros:f32:1024
""",
    "zeros:f32:eight": """\
error[SIM321]: --arg y: 'zeros:f32:eight' needs a number of elements, not 'eight'
 = help: as zeros:f32:1024
""",
    "zeros:-8": """\
error[SIM321]: --arg y: 'zeros:-8' needs a number of elements, not '-8'
 = help: as zeros:f32:1024
""",
    "ones:1e12": """\
error[SIM321]: --arg y: 'ones:1e12' needs a number of elements, not '1e12'
 = help: as ones:f32:1024
""",
    "zeros:f33:8": """\
error[SIM321]: --arg y: 'zeros:f33:8' has the unknown element type 'f33'; the types are \
u8, s8, u16, s16, u32, s32, u64, s64, f32, f64
 = help: did you mean `f32`?
""",
    "zeros:u32:8": """\
error[SIM321]: --arg y: zeros:u32:8 has u32 elements, and global f32* %y needs f32
 = help: write zeros:f32:8
""",
    "zeros:8:9": """\
error[SIM321]: --arg y: 'zeros:8:9' has the extra fields '9'
 = help: arrays are written as @file.npy, zeros:f32:1024, ones:, arange:, rand:f32:1024:seed=1, \
full:u32:64x64:7
""",
    "full:f32:8": """\
error[SIM321]: --arg y: 'full:f32:8' needs a value
 = help: as full:f32:8:7
""",
    "full:f32:8:seven": "error[SIM321]: --arg y: 'seven' is not a value of type f32\n",
    "rand:f32:8:seed=x": "error[SIM321]: --arg y: the seed must be a whole number, not 'x'\n",
    "@nothing.npy": "error[SIM510]: cannot read nothing.npy: no such file or directory\n",
    "@folder.sbc": "error[SIM510]: cannot read folder.sbc: is a directory\n",
    "@scale.sasm": """\
error[SIM322]: --arg y: scale.sasm is not an .npy file of numbers
 = help: numpy.save writes one; arrays of Python objects cannot be read
""",
    "@empty.npy": """\
error[SIM322]: --arg y: empty.npy is not an .npy file of numbers
 = help: numpy.save writes one; arrays of Python objects cannot be read
""",
    "@short.npy": """\
error[SIM322]: --arg y: short.npy is not an .npy file of numbers
 = help: numpy.save writes one; arrays of Python objects cannot be read
""",
    "@objects.npy": """\
error[SIM322]: --arg y: objects.npy is not an .npy file of numbers
 = help: numpy.save writes one; arrays of Python objects cannot be read
""",
    "@several.npz": """\
error[SIM322]: --arg y: several.npz is an archive of several arrays
 = help: save one array with numpy.save
""",
    "@wide.npy": """\
error[SIM321]: --arg y: wide.npy holds float64, and global f32* %y needs float32
 = help: convert the array with .astype, or make it as zeros:f32:1024
""",
    "@swapped.npy": """\
error[SIM321]: --arg y: swapped.npy holds >f4, and global f32* %y needs float32
 = help: convert the array with .astype, or make it as zeros:f32:1024
""",
}


@pytest.fixture(autouse=True)
def files(cli: Cli) -> None:
    """What the mistakes are about, in the folder of the test."""
    Path("folder.sasm").mkdir()
    Path("folder.sbc").mkdir()
    Path("precious.sasm").write_text(Path("scale.sasm").read_text())
    Path("precious.sbc").write_text("years of work")
    Path("around.sasm").write_text("kernel around() {\n    clock_u64 $d0\n    ret\n}\n")
    np.save("objects.npy", np.array([{}, None], object))
    np.save("wide.npy", np.ones(8))
    np.save("swapped.npy", np.ones(8, ">f4"))
    np.savez("several.npz", a=np.ones(8), b=np.ones(8))
    Path("empty.npy").touch()
    Path("short.npy").write_bytes(Path("wide.npy").read_bytes()[:-8])


@pytest.mark.parametrize("line", MISTAKES)
def test_mistake(line, cli):
    done = cli(*shlex.split(line))
    assert done.err == MISTAKES[line]
    assert (done.status, done.out) == (2, "")


@pytest.mark.parametrize("array", ARRAYS)
def test_mistake_in_an_array(array, cli):
    arguments = ["--arg", "a=2", "--arg", "n=8", "--arg", "x=ones:8", "--arg", f"y={array}"]
    done = cli("run", "scale.sasm", "--items", "8", *arguments)
    assert done.err == ARRAYS[array]
    assert (done.status, done.out) == (2, "")


@pytest.mark.parametrize("size", ["9" * 12, "9" * 30, "99999999x99999999x99999999"])
def test_an_array_that_no_machine_holds(size, cli):
    arguments = ["--arg", "a=2", "--arg", "n=8", "--arg", "x=ones:8", "--arg", f"y=zeros:{size}"]
    done = cli("run", "scale.sasm", "--items", "8", *arguments)
    assert done.status == 2
    assert done.err.startswith(f"error[SIM323]: zeros:{size} takes ")


def test_left_alone_means_left_alone(cli):
    cli("asm", "precious.sasm")
    assert Path("precious.sbc").read_text() == "years of work"


def test_an_older_object_file_is_replaced_and_the_message_says_so(cli):
    assert cli("asm", "scale.sasm").out.startswith("wrote scale.sbc: ")
    assert cli("asm", "scale.sasm").out.startswith("replaced scale.sbc: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_files_that_may_not_be_used(cli):
    Path("scale.sasm").chmod(0)
    assert cli("asm", "scale.sasm").err == (
        "error[SIM510]: cannot read scale.sasm: permission denied\n"
    )


def test_an_object_file_needs_no_assembling(cli):
    cli("asm", "scale.sasm")
    done = cli("run", "scale.sbc", "--items", "8", *SCALE_ARGS, "--markers", "none")
    assert done.err == (
        "error[SIM517]: --markers is for sources, and scale.sbc is an object file\n"
        " = help: run the .sasm file\n"
    )
    done = cli("run", "scale.sbc", "--items", "8", *SCALE_ARGS, "--dump", "llvm,flow")
    assert done.err.startswith("error[SIM517]: --dump flow is for sources, and scale.sbc is ")


def test_an_object_file_without_markers_under_an_explicit_scheme_gets_them(cli):
    cli("asm", "scale.sasm")
    arguments = ["--items", "8", *SCALE_ARGS, "--scheme", "ppc-explicit"]
    assert cli("run", "scale.sbc", *arguments).status == 0


def test_a_broken_object_file(cli):
    Path("broken.sbc").write_bytes(b"SIMTLAB\0 and then nothing")
    for command in ("disasm", "check", "run"):
        done = cli(command, "broken.sbc")
        assert done.status == 2
        assert done.err.startswith("error[SIM2")


def test_errors_of_a_source_are_all_shown(cli):
    Path("bad.sasm").write_text("kernel k() {\n    rte\n    add_u32 $s0\n    ret\n}\n")
    done = cli("asm", "bad.sasm")
    assert done.status == 2
    assert "  --> bad.sasm:2:5\n   |\n2 |     rte\n" in done.err.replace(" -->", "  -->").replace(
        "   -->", "  -->"
    ).replace("\n  |", "\n   |")
    assert "bad.sasm:3:" in done.err
    assert not Path("bad.sbc").exists()


def test_json_lines_are_one_diagnostic_a_line(cli):
    Path("bad.sasm").write_text("kernel k() {\n    fam_f32 $s0\n    br @x\n    ret\n}\n")
    Path("worse.sasm").write_text("kernel\n")
    for arguments in (["check", "bad.sasm", "scale.sasm", "worse.sasm"], ["asm", "bad.sasm"]):
        done = cli(*arguments, "--json-lines")
        found = [json.loads(line) for line in done.out.splitlines()]
        assert (done.status, done.err) == (2, "")
        assert [d["line"] for d in found] == [2, 3, 1][: len(found)]
        assert found[0]["edits"][0]["replacement"] == "fma_f32"
        assert found[0]["rendered"].startswith("error[SIM104]: unknown instruction `fam_f32`\n")
    done = cli("check", "scale.sasm", "--json-lines")
    assert (done.status, done.out, done.err) == (0, "", "")
    done = cli("asm", "scale.sasm", "--json-lines")
    assert (done.status, done.out) == (0, "")
    assert Path("scale.sbc").exists()


def test_two_forms_of_json_exclude_each_other(cli):
    for command in ("check", "asm"):
        done = cli(command, "scale.sasm", "--json", "--json-lines")
        assert done.status == 2
        assert json.loads(done.out)["error"]["code"] == "SIM517"


@pytest.mark.parametrize("option", ["--history", "--why 3"])
def test_tables_of_a_recording_exclude_json(cli, option):
    done = cli("time", "saxpy", "--size", "tiny", *option.split(), "--json")
    error = json.loads(done.out)["error"]
    assert (error["code"], done.status) == ("SIM517", 2)
    assert error["message"] == f"{option.split()[0]} prints a table, and --json excludes it"
