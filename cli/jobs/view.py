"""The work of `simtlab view`: runs that are recorded, or recordings that are read, and a page."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...emu.engine import SchemeSpec, chosen
from ...emu.geometry import DEFAULT_WIDTH
from ...emu.schemes import SCHEMES, resolve
from ...isa.errors import SimtError, UsageError
from ...programs.runner import PlainLauncher
from ...recording.functional import FunctionalRecorder
from ...recording.recorder import Recorder
from ...recording.recording import Recording
from ...recording.timed import TimedRecorder
from ...timing.compiler.choice import machine_for, sets_for
from ...timing.compiler.files import find
from ...timing.policies import ALIASES, POLICIES
from ...viewer.page import page_of, page_path
from .. import status
from ..inputs.files import STDIN, cannot, check_writable, write_bytes
from ..inputs.sources import Listings
from ..inputs.target import Target, chosen_target, load_module
from ..options.launch import LaunchOptions
from ..options.recording import RecordSettings
from ..options.settings import parse_scheme
from ..output.output import error_dict, print_error, print_json, print_remark, print_rows
from .outcome import Outcome
from .record import recording
from .run import execute, print_announcement
from .time import build_simulator, machine_text, prepare


@dataclass(frozen=True)
class ViewSettings:
    """The options of one page, with None for those that were not given."""

    launch: LaunchOptions
    output: str | None
    title: str | None
    opens: bool
    scheme: str | None
    warp: int | None
    machine: str | None
    policy: str | None
    sets: Mapping[str, str]
    compare: str | None
    window: str | None
    issues: str | None
    record: RecordSettings


@dataclass
class Recorded:
    """A recording, and the error that ended its run."""

    recording: Recording
    error: SimtError | None = None


def make_page(names: Sequence[str], settings: ViewSettings) -> int:
    """Write the page of recordings, or of a target that is run; return the exit status."""
    output = settings.output or f"{'view' if names[0] == STDIN else Path(names[0]).stem}.html"
    page_path(output)
    check_writable(output, "-o")
    if all(name.endswith(".npz") for name in names):
        recorded = _read(names, settings)
    elif len(names) == 1:
        recorded = _record(names[0], settings)
    else:
        raise UsageError(
            f"a page is of one target or of recordings (.npz), not of {' and '.join(names)}",
            code="SIM517",
            hint="`--compare A,B` compares two policies or schemes on one target",
        )
    page = page_of([r.recording for r in recorded], settings.title)
    write_bytes(output, page.text.encode())
    error = next((r.error for r in recorded if r.error is not None), None)
    _report(output, recorded, error, settings.launch.json)
    for remark in page.remarks:
        print_remark(remark)
    if settings.opens:
        webbrowser.open(Path(output).resolve().as_uri())
    return status.DONE if error is None else status.of(error)


def _report(
    output: str, recorded: Sequence[Recorded], error: SimtError | None, as_json: bool
) -> None:
    size = Path(output).stat().st_size
    if as_json:
        found = [
            {key: r.recording.facts[key] for key in ("title", "kind", "begin", "end", "lost")}
            | {"issues": len(r.recording.issues)}
            for r in recorded
        ]
        ended = error_dict(error) if error is not None else {}
        print_json({"page": output, "bytes": size, "recordings": found, **ended})
        return
    rows = [("page", f"{output}, {size / 1000:,.0f} kB")]
    for each in recorded:
        facts, n = each.recording.facts, len(each.recording.issues)
        span = f"{facts['unit']}s {facts['begin']:,} to {facts['end'] - 1:,}, {n:,} issues"
        rows.append(("shows", f"{facts['title']}: {span}"))
    print_rows(rows)
    if error is not None:
        print_error(error)


def _read(names: Sequence[str], settings: ViewSettings) -> list[Recorded]:
    """Return recordings from files. Raises UsageError."""
    launch = settings.launch
    given = {
        "--kernel": launch.kernel, "--grid": launch.grid, "--block": launch.block,
        "--items": launch.items, "--arg": launch.args or None, "--size": launch.size,
        "--param": launch.params or None,
        "--mapping": launch.mapping, "--data": launch.data,
        "--scheme": settings.scheme, "--warp": settings.warp, "--machine": settings.machine,
        "--policy": settings.policy, "--set": settings.sets or None,
        "--record-window": settings.window, "--record-issues": settings.issues,
        "--compare": settings.compare, "--seed": launch.seed or None,
        "--markers": launch.markers, "--exited-arrive": launch.exited_arrive or None,
    }  # fmt: skip
    for option, value in given.items():
        if value is not None:
            raise UsageError(
                f"{option} is for what is run, and {names[0]} is a recording",
                code="SIM517",
                hint=f"two recordings are compared by naming both: {names[0]} OTHER.npz"
                if option == "--compare"
                else f"leave out {option}",
            )
    if len(names) > 2:
        raise UsageError(
            f"a page compares two recordings, not {len(names)}",
            code="SIM517",
            hint="name two of them",
        )
    try:
        return [Recorded(Recording.load(name)) for name in names]
    except OSError as problem:
        raise cannot("read", str(problem.filename or names[0]), problem) from None


def _record(name: str, settings: ViewSettings) -> list[Recorded]:
    """Run a target and record it, once for each contender. Raises SimtError."""
    target = chosen_target(name, settings.launch)
    make, contenders = _contenders(settings)
    print_announcement(target)
    return [make(target, settings, contender) for contender in contenders]


Maker = Callable[[Target, ViewSettings, str], Recorded]


def _contenders(settings: ViewSettings) -> tuple[Maker, list[str]]:
    """Return how to record, and the policies or schemes to do it under. Raises UsageError."""
    simulated = {"--policy": settings.policy, "--machine": settings.machine}
    executed = {"--scheme": settings.scheme, "--warp": settings.warp}
    timed = [option for option, value in simulated.items() if value is not None]
    stepped = [option for option, value in executed.items() if value is not None]
    if timed and stepped:
        raise UsageError(
            f"{timed[0]} asks for a simulation, and {stepped[0]} for an execution in steps",
            code="SIM517",
            hint="leave one of them out",
        )
    compared = [word for word in (settings.compare or "").split(",") if word]
    first = settings.policy or settings.scheme
    if settings.compare is None:
        names = [first] if first else []
    else:
        names = [*([first] if first else []), *compared]
        if len(names) != 2:
            raise UsageError(
                f"--compare takes two names, or one beside --policy or --scheme, not "
                f"{settings.compare!r}",
                code="SIM515",
                hint="as --compare conv,dws.revive-split",
            )
    known = {*POLICIES, *ALIASES}
    is_timed = bool(timed) or (
        not stepped
        and len(names) == 2
        and not (set(names) <= set(SCHEMES) and not set(names) <= known)
    )
    if is_timed:
        return _simulated, names or ["conv"]
    return _executed, names or [SchemeSpec().name]


def _executed(target: Target, settings: ViewSettings, name: str) -> Recorded:
    """Run a target on the interpreter under a scheme, and record it."""
    options = settings.launch
    sets = [f"{key}={value}" for key, value in settings.sets.items()]
    cls, _ = resolve(SchemeSpec(name))
    own = [s for s in sets if s.split("=")[0].removeprefix("scheme.") in cls.knobs]
    spec = parse_scheme(name, own if settings.compare else sets, None)
    listings = Listings(None, keep=False)
    module = load_module(target, options, spec, listings)
    launcher = PlainLauncher(
        module,
        engine=chosen(None, usual=False, stats=True),
        scheme=spec.name,
        knobs=spec.knobs,
        budget=options.budget,
        exited_arrive=options.exited_arrive,
        warp=DEFAULT_WIDTH if settings.warp is None else settings.warp,
    )
    outcome = Outcome(launcher, module.for_scheme(spec), "interp", listings)
    title = f"{target.name} under {spec.name}"
    recorder = FunctionalRecorder(title, **settings.record.options())
    launcher.executor = recorder.run
    return _carried_out(target, options, outcome, recorder)


def _simulated(target: Target, settings: ViewSettings, name: str) -> Recorded:
    """Simulate a target under a policy, and record it."""
    options, policy = settings.launch, find(name)
    sets = sets_for(policy, settings.sets) if settings.compare else dict(settings.sets)
    machine = machine_for(policy, settings.machine or "dws", sets)
    listings = Listings(None, keep=False)
    module = load_module(target, options, SchemeSpec(policy.scheme), listings)
    simulator = build_simulator(machine, policy, listens=True)
    outcome = prepare(simulator, module, options, sets, listings)
    title = f"{target.name} on {machine_text(machine, sets)} with {policy.name}"
    recorder = TimedRecorder(simulator, title, **settings.record.options())
    outcome.launcher.executor = recorder.run
    return _carried_out(target, options, outcome, recorder)


def _carried_out(
    target: Target, options: LaunchOptions, outcome: Outcome, recorder: Recorder
) -> Recorded:
    """Run what is prepared; return its recording, also where an error ended the run."""
    found: list[Recording] = []
    error: SimtError | None = None
    try:
        with recording(recorder, found.append):
            error = execute(target, options, outcome)
    except SimtError as problem:
        if not found:
            raise
        error = problem
    return Recorded(found[0], error)
