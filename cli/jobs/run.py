"""The work of `simtlab run`: launches, and the report of their results."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ...emu.checks import Checks, Coverage
from ...emu.engine import DEFAULT_ENGINE, chosen
from ...emu.result import Result
from ...emu.schemes import is_usual
from ...emu.text.literals import parse_number
from ...isa.errors import SimtError, UsageError
from ...isa.types import F64, U64
from ...programs.index import Entry
from ...programs.runner import CheckFailed, PlainLauncher, ProgramRun, run_program, size_of
from ...recording.functional import FunctionalRecorder
from ...recording.recording import Recording
from .. import status
from ..inputs.arguments import check_outputs, kernel_arguments, save_array
from ..inputs.files import check_picture, write_bytes
from ..inputs.sources import Listings, kernel_of
from ..inputs.target import Target, chosen_target, load_module
from ..options.launch import LaunchOptions
from ..options.settings import RunSettings
from ..output.output import (
    error_dict,
    print_diagnostics,
    print_error,
    print_json,
    print_remark,
    print_rows,
)
from ..output.progress import Progress
from .checking import checker_of, with_findings
from .outcome import Outcome
from .record import recording, refuse_engine

T = TypeVar("T")


def run(
    name: str, settings: RunSettings, recorded: Callable[[Recording], None] | None = None
) -> int:
    """Run a file or a program and print its results; return the exit status.

    `recorded` gets the recording that the settings ask for.
    """
    options = settings.launch
    is_counted = settings.stats or settings.lines
    checks = _checks(settings)
    is_recorded = settings.record is not None
    if is_recorded:
        refuse_engine(settings, checks is not None or settings.checks_all)
    engine = chosen(
        settings.engine,
        usual=is_usual(settings.scheme),
        stats=is_counted,
        observed=is_recorded or checks is not None or settings.checks_all,
    )
    target = chosen_target(name, options)
    checker = None
    if settings.checks_all:
        checker = checker_of(target.entry, checks, unread=settings.check_unread)
    executor = checks.executor if checks is not None else None
    listings = Listings(settings.dump, keep=options.json, native=True)
    needs_source = ["--check-arrays"] if settings.check_arrays else []
    module = load_module(target, options, settings.scheme, listings, needs_source)
    launcher = PlainLauncher(
        module,
        engine=engine,
        scheme=settings.scheme.name,
        knobs=settings.scheme.knobs,
        warp=settings.warp,
        budget=options.budget,
        stats=is_counted,
        exited_arrive=options.exited_arrive,
        threads=settings.threads,
        executor=checker.run if checker is not None else executor,
        before_launch=listings.show if listings.native else None,
    )
    outcome = Outcome(
        launcher,
        module.for_scheme(settings.scheme),
        settings.engine or DEFAULT_ENGINE,
        listings,
        coverage=checks.coverage if checks is not None else None,
        checker=checker,
        wants_counts=settings.stats,
        wants_lines=settings.lines,
    )
    recorder = None
    if settings.record is not None:
        title = f"{target.name} under {settings.scheme.name}"
        recorder = FunctionalRecorder(title, **settings.record.options())
        launcher.executor = recorder.run
    with recording(recorder, recorded):
        return launch_and_report(target, options, outcome)


def _checks(settings: RunSettings) -> Checks | None:
    """Return the checks that the interpreter makes; None for none. Raises UsageError."""
    given = {
        "--check": settings.check,
        "--check-unread": settings.check_unread,
        "--check-arrays": settings.check_arrays,
        "--check-coverage": settings.check_coverage,
    }
    checks = [option for option, is_given in given.items() if is_given]
    if checks and settings.engine == "oracle":
        raise UsageError(
            f"{checks[0]} needs the interpreter, and --engine oracle excludes it",
            code="SIM517",
            hint="leave out --engine",
        )
    if not settings.check_arrays and not settings.check_coverage:
        return None
    return Checks(settings.check_arrays, Coverage() if settings.check_coverage else None)


def launch_and_report(target: Target, options: LaunchOptions, outcome: Outcome) -> int:
    """Launch what the outcome has prepared and print the results; return the exit status."""
    print_announcement(target)
    return _report(outcome, options, execute(target, options, outcome))


def print_announcement(target: Target) -> None:
    """Print what a user of a program should know before it runs."""
    if target.entry is not None and target.entry.remark:
        print_remark(target.entry.remark)


def execute(target: Target, options: LaunchOptions, outcome: Outcome) -> SimtError | None:
    """Launch what the outcome has prepared; return the error of its result, or that ended it.

    Raises the error if it leaves nothing to report.
    """
    try:
        if target.entry is not None:
            return _run_program(target.entry, options, outcome)
        _run_file(options, outcome)
    except SimtError as stop:
        if not outcome.keeps(stop):
            raise
        outcome.stop = stop
        return stop
    return None


def _with_progress(title: str, outcome: Outcome, work: Callable[[], T]) -> T:
    with Progress(title) as progress:
        outcome.watch(progress)

        def launched(result: Result) -> None:
            counted = result.statistics
            progress.launched(counted.warp_instructions if counted else None)

        outcome.launcher.after_launch = launched
        return work()


def _parameters(words: Sequence[str]) -> dict[str, float]:
    """Return the numbers of words such as miss_every=5. Raises UsageError."""
    found: dict[str, float] = {}
    for word in words:
        name, equals, text = word.partition("=")
        value = parse_number(text, U64)
        value = parse_number(text, F64) if value is None else value
        if not name or not equals or value is None:
            raise UsageError(
                f"--param takes NAME=VALUE with a number, not {word!r}",
                code="SIM515",
                hint="as --param miss_every=5",
            )
        if name in found:
            raise UsageError(f"--param {name} is given twice", code="SIM515")
        found[name] = value
    return found


def _run_program(entry: Entry, options: LaunchOptions, outcome: Outcome) -> CheckFailed | None:
    """Run a program; return the error if its result is wrong."""
    size = options.size or "small"
    entry = entry.with_parameters(**_parameters(options.params))
    size_of(entry, size)
    picture = entry.workload.picture
    if options.picture is not None:
        if picture is None:
            raise UsageError(
                f"{entry.name} has no picture",
                code="SIM519",
                hint=f"these have one: {', '.join(_with_picture())}",
            )
        check_picture(options.picture)
    outcome.kernel = outcome.program.kernels[0].name
    chosen = {"mapping": options.mapping, "data": options.data}
    chosen = {option: name for option, name in chosen.items() if name is not None}
    outcome.facts = {
        "program": entry.name, "size": size, "parameters": dict(entry.parameters),
        "seed": options.seed, **chosen, "picture": None,
    }  # fmt: skip
    words = (
        f"size {size}",
        *options.params,
        *(f"{option} {name}" for option, name in chosen.items()),
    )
    outcome.rows.append(("program", ", ".join((entry.name, *words, f"seed {options.seed}"))))

    def work() -> ProgramRun:
        run = run_program(entry, outcome.launcher, size=size, seed=options.seed)
        if options.picture is not None and picture is not None:
            from ...programs.png import png

            write_bytes(options.picture, png(picture(run.data)))
            outcome.facts["picture"] = options.picture
        return run

    run = _with_progress(entry.name, outcome, work)
    outcome.checked = True
    outcome.rows.append(("checked", "wrong" if run.mismatches else "equal to the reference"))
    if options.picture is not None:
        outcome.rows.append(("picture", options.picture))
    return run.error


def _with_picture() -> list[str]:
    from ...programs.index import catalogue

    entries = catalogue()
    shorts = [e.short for e in entries]
    return [
        e.short if shorts.count(e.short) == 1 else e.name
        for e in entries
        if e.workload.picture is not None
    ]


def _run_file(options: LaunchOptions, outcome: Outcome) -> None:
    """Launch one kernel of a file on the arrays of the command line."""
    launcher = outcome.launcher
    kernel = kernel_of(launcher.module.program, options.kernel)
    outcome.kernel = kernel.name
    if (options.grid is None) == (options.items is None):
        both = options.grid is not None
        raise UsageError(
            "a launch takes --grid or --items, not both"
            if both
            else f"launching {kernel.name} takes --grid (workgroups) or --items (work-items)",
            code="SIM304",
            hint="--items 1024 is the same as --grid 4 --block 256",
        )
    outputs = check_outputs(kernel, options.outs)
    start = launcher(
        kernel.name,
        groups=options.grid,
        items=options.items,
        group_size=options.block or outcome.default_block,
    )
    arguments = kernel_arguments(kernel, options.args, options.seed)
    arrays = {
        param.name: value
        for param, value in zip(kernel.params, arguments, strict=True)
        if isinstance(value, np.ndarray)
    }
    before = {name: _content(array) for name, array in arrays.items()}
    _with_progress(kernel.name, outcome, lambda: start(*arguments))
    changed = [name for name, array in arrays.items() if _content(array) != before[name]]
    for name, path in outputs.items():
        save_array(path, arrays[name])
    geometry = launcher.results[0].geometry
    outcome.facts = {
        "items": list(geometry.items),
        "group_size": list(geometry.group_size),
        "changed": changed,
        "outputs": outputs,
    }
    types = {p.name: p.type for p in kernel.params}
    for name, array in arrays.items():
        if name in outputs:
            outcome.rows.append((name, f"written to {outputs[name]}"))
        elif name in changed:
            shape = "x".join(map(str, array.shape))
            outcome.rows.append((name, f"{types[name]}[{shape}] {_preview(array)}"))
    if not changed:
        outcome.rows.append(("arrays", "none was changed"))


def _content(array: np.ndarray) -> int:
    return zlib.crc32(array.reshape(-1).view(np.uint8).data) if array.size else 0


def _preview(array: np.ndarray) -> str:
    return np.array2string(array, threshold=16, edgeitems=4, max_line_width=100)


def _report(outcome: Outcome, options: LaunchOptions, error: SimtError | None) -> int:
    if outcome.report is not None:
        error = with_findings(error, outcome.report)
    if options.json:
        print_json({**outcome.to_dict(), **(error_dict(error) if error is not None else {})})
    elif error is not None and outcome.voids(error):
        print_error(error)
    else:
        print_rows(outcome.text_rows())
        if text := outcome.listing():
            print(text)
        sys.stdout.flush()
        if error is not None:
            print_error(error)
        elif outcome.report is not None and outcome.report.findings:
            print_diagnostics(finding.diagnostic() for finding in outcome.report.findings)
    if error is None:
        return status.DONE
    return status.of(error)
