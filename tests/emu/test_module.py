"""The Python face of a program: kernels by name, launches, options, results."""

from __future__ import annotations

import doctest
import inspect
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, KernelFunction, Module, Result, UsageError
from simtlab.emu.arguments import OPTIONS
from simtlab.emu.engine import SchemeSpec, engine_names
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.objectfile import dumps

SOURCE = """\
.readonly u32 STEP[1] = { 3 }
kernel saxpy(f32 %a, u32 %n, global f32* %x, global f32* %y) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    ld_global_f32 $s2, [$d1]
    ld_global_f32 $s3, [$d2]
    ld_kernarg_f32 $s4, [%a]
    fma_f32 $s3, $s4, $s2, $s3
    st_global_f32 $s3, [$d2]
@done:
    ret
}
kernel save(global u32* %x) {
    ld_kernarg_u64 $d0, [%x]
    ld_readonly_u32 $s0, [STEP]
    st_global_u32 $s0, [$d0]
    ret
}
"""


@pytest.fixture
def program() -> Module:
    return simtlab.assemble(SOURCE)


def run_saxpy(function: KernelFunction, **options: Any) -> Result:
    n = 100
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    result = function.launch(items=n, **options)(2, n, x, y)
    assert y.tolist() == [2 * i + 1 for i in range(n)]
    return result


# --- kernels by name


def test_kernels_are_found_by_index_and_by_attribute(program: Module) -> None:
    assert program.kernels == ("saxpy", "save")
    assert program["saxpy"] == program.saxpy
    assert [k.name for k in program] == ["saxpy", "save"]
    assert {"saxpy", "save", "listing"} <= set(dir(program))
    assert repr(program["save"]) == "<kernel save(global u32* %x)>"
    assert repr(program) == (
        "Module(kernel saxpy(f32 %a, u32 %n, global f32* %x, global f32* %y), "
        "kernel save(global u32* %x))"
    )


def test_a_name_that_a_module_has_itself_is_found_by_index_only(
    program: Module, tmp_path: Path
) -> None:
    x = np.zeros(1, np.uint32)
    program["save"][1, 1](x)
    assert x.tolist() == [3]
    program.save(tmp_path / "out.sbc")
    assert (tmp_path / "out.sbc").read_bytes() == dumps(program.program)


def test_an_unknown_kernel_is_answered_with_those_that_exist(program: Module) -> None:
    with pytest.raises(UsageError) as caught:
        program["saxpi"]
    assert str(caught.value) == (
        "error[SIM504]: the program has no kernel 'saxpi'; it has saxpy, save\n"
        " = help: did you mean `saxpy`?"
    )
    with pytest.raises(AttributeError) as missing:
        _ = program.saxpi
    assert str(missing.value) == (
        "the program has no kernel 'saxpi'; it has saxpy, save; did you mean `saxpy`?"
    )
    assert not hasattr(program, "__fspath__")


def test_a_module_can_be_pickled(program: Module) -> None:
    again = pickle.loads(pickle.dumps(program))
    assert again.program == program.program
    run_saxpy(again.saxpy, scheme="ppc-explicit")


# --- launching


@pytest.mark.parametrize(
    ("engine", "scheme"),
    [*((name, "stack") for name in engine_names()), *(("interp", name) for name in SCHEMES)],
)
def test_every_engine_and_scheme_runs_a_kernel_from_a_text(
    program: Module, engine: str, scheme: str
) -> None:
    result = run_saxpy(program.saxpy, engine=engine, scheme=scheme, warp=16)
    assert (result.kernel, result.engine, result.scheme) == ("saxpy", engine, scheme)
    assert result.geometry.width == 16


def test_groups_and_group_size_stand_in_brackets(program: Module) -> None:
    n = 90
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    result = program.saxpy[3, 32](0.5, n, x, y)
    assert y.tolist() == [0.5] * n
    assert result.geometry == program.saxpy.launch(groups=3, group_size=32).geometry
    assert program.saxpy[(2, 2), (4, 4)].geometry.items == (8, 8, 1)


@pytest.mark.parametrize("shape", [32, (1,), (1, 2, 3)])
def test_brackets_hold_two_sizes(program: Module, shape: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        program.saxpy[shape]
    assert str(caught.value) == (
        "error[SIM308]: kernel saxpy is launched as kernel[groups, group_size](...), not "
        f"kernel[{shape!r}](...)\n"
        " = help: groups counts workgroups, group_size work-items in each"
    )


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("stats", "before the arguments: save.launch(groups=…, stats=…)(arguments)"),
        ("group_size", "before the arguments: save.launch(group_size=…)(arguments)"),
        ("policy", "before the arguments: save.time(policy=…)(arguments)"),
        ("stat", "its signature: kernel save"),
    ],
)
def test_options_among_the_arguments_are_refused_with_their_place(
    option: str, hint: str, program: Module
) -> None:
    with pytest.raises(ArgumentError) as caught:
        program["save"][1, 1](np.zeros(1, np.uint32), **{option: 1})
    assert f"kernel save has no parameter '{option}'\n" in str(caught.value)
    assert hint in str(caught.value)


def test_the_options_that_hints_name_are_those_of_launch() -> None:
    found = inspect.signature(KernelFunction.launch).parameters
    assert set(OPTIONS) == set(found) - {"self"}


@pytest.mark.parametrize("name", ["run", "time", "check", "trace", "program"])
def test_names_that_the_package_does_not_have_are_answered_with_what_does_it(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; .*(simtlab|program)\\."):
        getattr(simtlab, name)


def test_a_kernel_is_not_called_without_its_dimensions(program: Module) -> None:
    with pytest.raises(ArgumentError) as caught:
        program.saxpy(1, 2, 3)
    assert str(caught.value) == (
        "error[SIM308]: kernel saxpy needs its launch dimensions\n"
        " = help: saxpy[groups, group_size](...), or saxpy.launch(items=n)(...)"
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"engine": "interpp"}, UsageError,
         "error[SIM500]: unknown engine 'interpp'; there are {engines}\n"
         " = help: did you mean `interp`?"),
        ({"scheme": "stak"}, UsageError,
         "error[SIM501]: unknown scheme 'stak'; there are {schemes}\n"
         " = help: did you mean `stack`?"),
        ({"knobs": {"first": "taken"}}, UsageError,
         "error[SIM502]: scheme stack has no knob 'first'; its knobs: first-path\n"
         " = help: did you mean `first-path`?"),
        ({"scheme": "per-thread", "knobs": {"cascade": True}}, UsageError,
         "error[SIM502]: scheme per-thread has no knob 'cascade'; its knobs: none"),
        ({"knobs": {"first-path": "left"}}, UsageError,
         "error[SIM503]: knob first-path of scheme stack cannot be 'left'; it takes fallthrough, "
         "taken, majority, minpc"),
        ({"budget": 0}, ArgumentError,
         "error[SIM309]: the budget must be a positive whole number, not 0"),
        ({"budget": 1.5}, ArgumentError,
         "error[SIM309]: the budget must be a positive whole number, not 1.5"),
        ({"budget": True}, ArgumentError,
         "error[SIM309]: the budget must be a positive whole number, not True"),
        ({"warp": 100}, ArgumentError,
         "error[SIM302]: the warp width must be from 1 to 64, not 100"),
        ({"group_size": 0}, ArgumentError,
         "error[SIM301]: group_size must be one to three positive whole numbers, not 0"),
    ],
)  # fmt: skip
def test_options_are_checked_before_anything_runs(
    program: Module, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        program.saxpy.launch(items=1, **options)
    known = {"engines": ", ".join(engine_names()), "schemes": ", ".join(SCHEMES)}
    assert str(caught.value) == message.format(**known)


def test_options_take_numpys_numbers(program: Module) -> None:
    n = np.int64(8)
    launch = program.saxpy.launch(items=n, group_size=n, warp=n, budget=n * 10)  # pyright: ignore[reportArgumentType]
    assert launch.geometry.items == (8, 1, 1)
    assert type(launch.budget) is int


def test_knobs_add_to_those_of_a_scheme_that_has_some(program: Module) -> None:
    spec = SchemeSpec("stack", {"first-path": "taken"})
    assert program.saxpy.launch(items=1, scheme=spec).scheme == spec
    launch = program.saxpy.launch(items=1, scheme=spec, knobs={"first-path": "minpc"})
    assert launch.scheme.knobs == {"first-path": "minpc"}
    assert spec.knobs == {"first-path": "taken"}


def test_a_launch_can_be_used_again(program: Module) -> None:
    launch = program["save"].launch(items=1)
    first, second = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    launch(first)
    launch(second)
    assert (first.tolist(), second.tolist()) == ([3], [3])


# --- the explicit schemes


def test_a_loaded_program_gets_its_markers(program: Module, tmp_path: Path) -> None:
    plain = simtlab.load(dumps(program.program))
    for scheme in ("ppc-explicit", "ipdom-explicit", "ppc"):
        run_saxpy(plain.saxpy, scheme=scheme)
    marked = simtlab.assemble(SOURCE, markers="explicit")
    marked.save(tmp_path / "marked.sbc")
    run_saxpy(simtlab.load(tmp_path / "marked.sbc").saxpy, scheme="ppc-explicit")


def test_a_program_without_branches_needs_no_markers() -> None:
    text = SOURCE[: SOURCE.index("kernel saxpy")] + SOURCE[SOURCE.index("kernel save") :]
    x = np.zeros(1, np.uint32)
    simtlab.load(dumps(simtlab.assemble(text).program))["save"].launch(
        items=5, scheme="ppc-explicit"
    )(x)
    assert x.tolist() == [3]


def test_markers_come_into_a_program_only_for_the_schemes_that_use_them(program: Module) -> None:
    def listing(scheme: str) -> str:
        return str(program.for_scheme(SchemeSpec(scheme)).kernel("saxpy").instructions)

    assert "reconverge" not in listing("stack") + listing("ppc") + listing("per-thread")
    assert "reconverge" in listing("ppc-explicit")
    assert program.for_scheme(SchemeSpec("ppc-explicit")) is program.for_scheme(
        SchemeSpec("ipdom-explicit")
    )


# --- text and object files


def test_a_listing_assembles_to_the_same_code(program: Module) -> None:
    again = simtlab.assemble(program.listing)
    assert [k.words for k in again.program.kernels] == [k.words for k in program.program.kernels]
    alone = simtlab.assemble(program.saxpy.listing)
    assert alone.kernels == ("saxpy",)
    assert alone.program.kernels[0].words == program.saxpy.kernel.words
    assert program.saxpy.signature in program.saxpy.listing


def test_saving_and_loading_gives_the_same_program(program: Module, tmp_path: Path) -> None:
    for path in (tmp_path / "a.sbc", str(tmp_path / "b.sbc")):
        program.save(path)
        assert simtlab.load(path).program == program.program
    run_saxpy(simtlab.load((tmp_path / "a.sbc").read_bytes()).saxpy)


def test_a_file_is_assembled_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "two.sasm"
    path.write_text(SOURCE)
    for form in (path, str(path)):
        run_saxpy(simtlab.assemble(form).saxpy, scheme="ipdom-explicit")


# --- results


@pytest.mark.parametrize(
    ("seconds", "written"), [(0.00000429, "0.00429 ms"), (0.9994, "999 ms"), (2.7707, "2.77 s")]
)
def test_the_host_time_of_a_result_is_easy_to_read(
    program: Module, seconds: float, written: str
) -> None:
    result = replace(run_saxpy(program.saxpy, group_size=128), host_seconds=seconds)
    assert "work-items           100 in 1 workgroup\n" in f"{result}\n"
    assert str(result).endswith(f"host time            {written}")


def test_a_result_tells_who_ran_what_and_what_was_counted(program: Module) -> None:
    result = run_saxpy(program.saxpy, warp=32, group_size=64, engine="interp", stats=True)
    result = replace(result, host_seconds=0.00125)
    assert str(result) == (
        "kernel               saxpy\n"
        "run by               interp, scheme stack, warps of 32\n"
        "work-items           100 in 2 workgroups\n"
        "warp-instructions    60\n"
        "thread-instructions  1,500\n"
        "activity factor      1.0000\n"
        "branches             4, 0.0% divergent\n"
        "host time            1.25 ms"
    )
    assert result.to_dict() == {
        "kernel": "saxpy",
        "engine": "interp",
        "scheme": "stack",
        "warp_width": 32,
        "items": [100, 1, 1],
        "group_size": [64, 1, 1],
        "warp_instructions": 60,
        "thread_instructions": 1500,
        "activity_factor": 1.0,
        "branches": 4,
        "divergent_branches": 0,
        "barriers": 0,
        "pc_comparisons": 0,
        "max_depth": 0,
        "warps": 4,
        "host_seconds": 0.00125,
    }


def test_a_result_shows_its_barriers_where_there_are_any() -> None:
    (k,) = simtlab.assemble("kernel k() {\n barrier\n ret\n}")
    assert "barriers             3\n" in str(k.launch(items=6, group_size=2, stats=True)())


def test_a_result_is_a_table_in_a_notebook(program: Module) -> None:
    result = replace(run_saxpy(program.saxpy), kernel="<k>")
    page = result._repr_html_()
    assert page.startswith("<table><tr><th style='text-align:left'>kernel</th>")
    assert "&lt;k&gt;" in page
    assert page.count("<tr>") == page.count("</tr>") == len(result.rows())
    assert re.search(r">\d\S* ms</td>", page)


def test_without_statistics_a_result_has_nulls(program: Module) -> None:
    result = replace(run_saxpy(program.saxpy), statistics=None)
    shown = result.to_dict()
    assert shown["warp_instructions"] is None
    assert shown["activity_factor"] is None
    assert shown["kernel"] == "saxpy"
    assert "instructions" not in str(result)


def test_results_cannot_be_changed(program: Module) -> None:
    result = run_saxpy(program.saxpy)
    with pytest.raises(AttributeError):
        result.engine = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_the_public_names_are_those_of_the_package() -> None:
    for name in simtlab.__all__:
        assert getattr(simtlab, name) is not None
    with pytest.raises(AttributeError, match="module 'simtlab' has no attribute 'nothing'"):
        _ = simtlab.nothing  # pyright: ignore[reportAttributeAccessIssue]


def test_the_sessions_of_the_page_on_python_are_true() -> None:
    page = Path(__file__).parents[2] / "docs" / "python.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted > 20
    assert outcome.failed == 0


@pytest.mark.parametrize("engine", ["jit", "oracle"])
@pytest.mark.parametrize("options", [{"scheme": "ppc"}, {"knobs": {"first-path": "taken"}}])
def test_an_engine_that_follows_no_scheme_refuses_one(engine: str, options):
    (function,) = simtlab.assemble("kernel k() {\n ret\n}\n")
    with pytest.raises(simtlab.UsageError, match=f"engine {engine} follows no divergence scheme"):
        function.launch(items=1, engine=engine, **options)


def test_a_scheme_without_an_engine_is_followed_by_the_interpreter():
    (function,) = simtlab.assemble("kernel k() {\n ret\n}\n")
    assert function.launch(items=1)().engine == "jit"
    assert function.launch(items=1, knobs={"first-path": "fallthrough"})().engine == "jit"
    result = function.launch(items=1, scheme="ppc")()
    assert (result.engine, result.scheme) == ("interp", "ppc")
