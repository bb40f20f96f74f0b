"""The typer application: its commands, and the dispatch of a command line."""

from __future__ import annotations

import inspect
import os
import re
from functools import cache
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..isa.errors import UsageError, did_you_mean
from . import status
from .commands.asm import asm, check, disasm
from .commands.compare import compare
from .commands.debug import debug
from .commands.diff import diff
from .commands.doctor import doctor
from .commands.exercise import SUBCOMMANDS, overview
from .commands.explain import explain
from .commands.fmt import fmt
from .commands.lsp import lsp
from .commands.machines import machines, policies
from .commands.programs import programs
from .commands.reproduce import reproduce
from .commands.results import SUBCOMMANDS as RESULTS
from .commands.results import overview as results_overview
from .commands.run import run
from .commands.sweep import sweep
from .commands.time import time
from .commands.view import view

PROGRAM = "simtlab"

_COMPLETION_VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"
"""What a shell sets when it asks for completions."""

_HELP = """
A SIMT laboratory: assemble kernels, run them on NumPy arrays, and see what their warps do.

For example:

  simtlab run mandelbrot --picture m.png   run a program and draw its result
  simtlab asm saxpy.sasm                   assemble your own kernel
  simtlab run --help                       how to run it on arrays
  simtlab time filter --annotate           how many cycles it takes, and why
  simtlab explain fma_f32                  what an instruction does

Exit status: 0 done, 1 a kernel trapped or a check failed, 2 wrong usage or source,
130 interrupted, 70 a bug in simtlab.
"""


def _flowing(text: str | None) -> str:
    """Return a help text without the line breaks in its paragraphs; indented lines keep theirs.

    typer wraps long lines at the width of the terminal, but joins short ones in the first paragraph
    only.
    """
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(p if "\n " in f"\n{p}" else p.replace("\n", " ") for p in paragraphs)


class _Words:
    """Keeps what was typed: every option of ours is a word, a list of words or a flag.

    Newer typers convert values with pydantic, which takes longer to import than all of simtlab.
    """

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        """Return the value for typer."""
        if param.multiple or param.nargs == -1:
            return tuple(value or ())
        return value


class _KeepWords:
    """A command whose parameters are converted by `_Words`, in typers that allow it."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)  # pyright: ignore[reportAttributeAccessIssue]
        for param in params:
            if hasattr(param, "get_runtime_param"):
                param.get_runtime_param = _Words
        return params


class _Command(_KeepWords, TyperCommand):
    """One command."""


_COMMANDS_ELSEWHERE = {
    "trace": "`simtlab time --trace FILE` writes a trace, `simtlab view` a page that steps through",
    "record": "`simtlab run --record FILE` and `simtlab time --record FILE` write a recording",
    **dict.fromkeys(("profile", "annotate"), "`simtlab time --annotate` shows the cycles of lines"),
    **dict.fromkeys(("simulate", "sim"), "`simtlab time` simulates a kernel on a machine"),
    **dict.fromkeys(("stats", "count"), "`simtlab run --stats` counts instructions and branches"),
    **dict.fromkeys(
        ("race", "races", "sanitize", "memcheck"), "`simtlab run --check` checks a run"
    ),
    **dict.fromkeys(("assemble", "compile", "build"), "`simtlab asm` assembles a source"),
    **dict.fromkeys(("disassemble", "dump"), "`simtlab disasm` prints an object file as a source"),
    **dict.fromkeys(("list", "ls"), "`simtlab programs`, `policies` and `machines` list them"),
    **dict.fromkeys(("format", "indent"), "`simtlab fmt` formats a source"),
    "help": "`simtlab --help` lists the commands, `simtlab explain` what it can explain",
    "version": "`simtlab --version` prints versions",
    "lint": "`simtlab check` reports the errors of a source",
}
"""Words that others use for a command: what to use instead."""


class _Commands(_KeepWords, TyperGroup):
    """The commands in the order of their definition; an unknown one gets a suggestion."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            word = args[0].lower()
            hint = _COMMANDS_ELSEWHERE.get(word, "") if ctx.parent is None else ""
            if word in ("list", "ls") and ctx.parent is not None:
                lists = "`{} list`" if "list" in self.commands else "`{}` alone"
                hint = f"{lists.format(ctx.command_path)} lists them"
            raise UsageError(
                f"unknown command {args[0]!r}; the commands are {', '.join(self.commands)}",
                code="SIM514",
                hint=hint or did_you_mean(args[0], tuple(self.commands)),
            )
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name=PROGRAM,
    cls=_Commands,
    help=_flowing(_HELP),
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
exercise = typer.Typer(
    name="exercise", cls=_Commands, invoke_without_command=True, rich_markup_mode="rich"
)
exercise.callback(help=overview.__doc__)(overview)
for command in SUBCOMMANDS:
    exercise.command(cls=_Command, help=command.__doc__)(command)

results = typer.Typer(
    name="results", cls=_Commands, invoke_without_command=True, rich_markup_mode="rich"
)
results.callback(help=results_overview.__doc__)(results_overview)
for name, command in RESULTS.items():
    results.command(name, cls=_Command, help=_flowing(command.__doc__))(command)

for command in (
    asm, disasm, check, fmt, run, debug, time, compare, sweep, view, reproduce, programs, machines,
    policies, diff, explain, lsp, doctor,
):  # fmt: skip
    app.command(cls=_Command, help=_flowing(command.__doc__))(command)
app.add_typer(results)
app.add_typer(exercise)


def _print_version(wanted: bool) -> None:
    if wanted:
        from .output.versions import version_lines

        print("\n".join(version_lines()))
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print versions."),
    ] = False,
) -> None:
    pass


@cache
def _command() -> Any:
    """Return the tree of all commands; a process that runs several command lines makes it once."""
    return typer.main.get_command(app)


def dispatch(arguments: list[str]) -> int:
    """Run a command line and return its exit status. Raises SimtError for wrong usage."""
    if os.environ.get(_COMPLETION_VARIABLE):
        app(args=arguments, prog_name=PROGRAM)
    # typer's own main() hides KeyboardInterrupt and a broken pipe, which guard.py handles.
    command = _command()
    try:
        with command.make_context(PROGRAM, arguments or ["--help"]) as context:
            result = command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except _CLICK_ERROR as error:
        raise _usage_error(error, arguments) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else status.DONE


_ELSEWHERE = {
    ("reproduce", "--size"): "use --scale, which chooses the sizes of all programs",
    ("run", "--machine"): "machines are for `simtlab time`",
    ("run", "--policy"): "policies are for `simtlab time`; `run` takes --scheme instead",
    ("debug", "--engine"): "the interpreter runs what is debugged",
    ("debug", "--json"): "use --script FILE, whose output is text",
    ("time", "--engine"): "a simulation executes kernels in its own engine",
    ("time", "--lines"): "use --annotate, which also shows where cycles went",
    ("time", "--scheme"): "a simulation takes --policy instead",
    ("time", "--stats"): "a simulation always counts; --json prints every count",
    ("time", "--warp"): "the machine fixes the width of a warp: --set width=8",
}
"""By command and option of another command: what to use instead."""

_LAUNCHING = ("--items", "--grid", "--block", "--arg", "--size", "--scheme", "--warp")
"""Options of a run that `check`, which assembles only, does not have."""

_GROUPS = ("--groups", "--blocks", "--workgroups", "--num-groups", "--gridsize", "--grid-size")
"""What others call the number of workgroups."""

_GROUP_SIZES = (
    *("--group", "--group-size", "--groupsize", "--workgroup", "--local-size"),
    *("--block-size", "--blocksize"),
)
"""What others call the work-items of a workgroup."""

_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<first>\S+)(?P<more>.*)\)")
"""What the option parser says of words that no parameter takes."""

_CLICK_ERROR: Any = typer.BadParameter.__mro__[2]
"""ClickException. Newer typers bring their own click, whose names are private."""


def _usage_error(error: Any, arguments: list[str]) -> UsageError:
    """Return the error of the option parser in the form of every other error."""
    # Some of its errors do not say which command they are about.
    named = arguments[:1] if arguments[:1] and not arguments[0].startswith("-") else []
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else " ".join([PROGRAM, *named])
    message = error.format_message().strip().rstrip(".")
    listed = "arguments and options" if named else "the commands"
    help_hint = f"`{path} --help` lists {listed}"
    option, near = getattr(error, "option_name", None), getattr(error, "possibilities", None)
    if option and context is not None and type(error).__name__ == "NoSuchOption":
        message = f"{path} has no option {option}"
        if (command := (named or [""])[0], option) in _ELSEWHERE:
            help_hint = _ELSEWHERE[command, option]
        elif command == "check" and option in _LAUNCHING:
            help_hint = "`check` only assembles the source; `simtlab run --check` checks a run"
        elif option in _GROUPS and any("--grid" in p.opts for p in context.command.params):
            help_hint = "did you mean --grid, the number of workgroups?"
        elif option in _GROUP_SIZES and any("--block" in p.opts for p in context.command.params):
            help_hint = "did you mean --block, the work-items of a workgroup?"
        elif near:
            help_hint = f"{did_you_mean(option, near, quote='')} {help_hint}"
    elif extra := _EXTRA.fullmatch(message):
        first, more = extra["first"], extra["more"]
        message = f"unexpected arguments {first}{more}" if more else f"unexpected argument {first}"
        if ("--json", first) in pairwise(arguments):
            help_hint = f"--json prints and takes no file: --json > {first}"
    return UsageError(message[:1].lower() + message[1:], code="SIM514", hint=help_hint)
