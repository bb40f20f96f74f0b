"""Every option and argument in --help has an entry here that sees its effect."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest
import typer

from simtlab.cli.app import app

from .conftest import SCALE, SCALE_ARGS, Cli
from .support import (
    asm_effects,
    compare_effects,
    debug_effects,
    exercise_effects,
    mapping_effects,
    recording_effects,
    reproduce_effects,
    run_effects,
    sweep_effects,
    timing_effects,
    view_effects,
)


def programs_json(cli: Cli) -> None:
    found = cli("programs", "--json").json
    assert {"name", "source"} <= set(found[0])
    assert [p["name"] for p in found if p["name"].endswith("saxpy")] == ["basics/saxpy"]
    assert "kernel saxpy(" in cli("programs", "saxpy", "--json").json["kernels"][0]["signature"]


def explain_json(cli: Cli) -> None:
    assert cli("explain", "fma_f32", "--json").json["stem"] == "fma"
    assert cli("explain", "SIM401", "--json").json["code"] == "SIM401"


def doctor_json(cli: Cli) -> None:
    found = cli("doctor", "--json").json
    assert found["works"] is True
    assert {"simtlab", "python", "numpy", "llvmlite", "LLVM"} <= set(found["versions"])


def version(cli: Cli) -> None:
    done = cli("--version")
    assert done.status == 0
    assert done.out.startswith("simtlab ")


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("", "--version"): version,
    **asm_effects.EFFECTS,
    **run_effects.EFFECTS,
    **timing_effects.EFFECTS,
    **compare_effects.EFFECTS,
    **debug_effects.EFFECTS,
    **view_effects.EFFECTS,
    **reproduce_effects.EFFECTS,
    **exercise_effects.EFFECTS,
    **sweep_effects.EFFECTS,
    **recording_effects.EFFECTS,
    **mapping_effects.EFFECTS,
    ("programs", "--json"): programs_json,
    ("explain", "--json"): explain_json,
    ("doctor", "--json"): doctor_json,
}

NOT_OURS = {"--help", "--install-completion", "--show-completion"}
"""What typer brings; tests/cli/test_completion.py asks for completions as a shell does."""


def commands() -> dict[str, Any]:
    """Every command by its words, as `exercise check`."""
    group = typer.main.get_command(app)
    found: dict[str, Any] = {"": group}
    for name, command in group.commands.items():  # pyright: ignore[reportAttributeAccessIssue]
        found[name] = command
        found |= {f"{name} {n}": c for n, c in getattr(command, "commands", {}).items()}
    return found


def options() -> set[tuple[str, str]]:
    """Every option of every command, by its long name."""
    return {
        (name, max(param.opts, key=len))
        for name, command in commands().items()
        for param in command.params
        if param.param_type_name == "option"
    }


def test_every_option_has_an_effect_here():
    assert {o for o in options() if o[1] not in NOT_OURS} == set(EFFECTS)


def options_by_effect() -> dict[Callable[[Cli], None], str]:
    """Return each effect once, with the options that it sees."""
    found: dict[Callable[[Cli], None], list[str]] = {}
    for option, effect in EFFECTS.items():
        found.setdefault(effect, []).append("-".join(option))
    return {effect: " and ".join(names) for effect, names in found.items()}


@pytest.mark.parametrize("effect", [pytest.param(e, id=n) for e, n in options_by_effect().items()])
def test_the_option_has_its_effect(effect, cli):
    effect(cli)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "asm",
        "disasm",
        "check",
        "run",
        "time",
        "compare",
        "sweep",
        "results",
        "results list",
        "results show",
        "results sql",
        "results export",
        "results compare",
        "results prune",
        "view",
        "programs",
        "machines",
        "policies",
        "diff",
        "exercise",
        "exercise start",
        "exercise show",
        "exercise hint",
        "exercise check",
        "exercise grade",
        "exercise export",
        "explain",
        "doctor",
    ],
)
def test_help_shows_examples(command, cli):
    done = cli(*command.split(), "--help")
    assert done.status == 0
    assert "For example:" in done.out
    assert f"simtlab {command}" in done.out


def test_help_names_the_engines_and_schemes(cli):
    from simtlab.emu.engine import engine_names
    from simtlab.emu.schemes import SCHEMES

    params = {p.name: p for p in typer.main.get_command(app).commands["run"].params}  # pyright: ignore
    assert params["engine"].metavar == "|".join(engine_names())
    assert set(params["scheme"].metavar.split("|")) == {*SCHEMES, "F.py"}


def test_a_source_on_stdin(cli, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(SCALE.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    done = cli("run", "-", "--items", "8", *SCALE_ARGS)
    assert done.rows["y"] == "f32[8] [ 0.  2.  4.  6.  8. 10. 12. 14.]"
