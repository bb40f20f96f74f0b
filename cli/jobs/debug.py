"""The work of `simtlab debug`: a recorded run, and the face through which it is looked at."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ...debugger.commands.run import Commands, Quit
from ...debugger.edits import DebugRecorder, Full
from ...debugger.session import Session
from ...emu.engine import SchemeSpec
from ...emu.geometry import DEFAULT_WIDTH
from ...isa.errors import SimtError, Span, UsageError
from ...programs.runner import PlainLauncher
from ...recording.recorder import MOST, Recorder
from ...recording.recording import Recording
from ...timing.compiler.files import find
from ...timing.machines.machine import load
from .. import status
from ..inputs.files import STDIN, cannot, read_bytes
from ..inputs.sources import Listings
from ..inputs.target import Target, chosen_target, load_module
from ..options.launch import LaunchOptions
from ..options.settings import parse_scheme
from ..output.output import on_terminal, print_error, print_remark
from .outcome import Outcome
from .run import execute
from .time import build_simulator, parse_sets, prepare

DEFAULT_SIZE = "tiny"
"""A program's size unless given: a run that one can look at."""


@dataclass(frozen=True)
class DebugSettings:
    """What is recorded, and how; None for options that were not given."""

    launch: LaunchOptions
    scheme: str | None = None
    warp: int | None = None
    policy: str | None = None
    machine: str | None = None
    sets: Sequence[str] = ()
    most: int | None = None

    @property
    def is_timing(self) -> bool:
        """Whether the run is simulated on a machine."""
        return self.policy is not None or self.machine is not None


@dataclass(frozen=True)
class Recorded:
    """A recorded run, the folder of its sources, and what there is to say about it."""

    recording: Recording
    folder: Path
    remarks: tuple[str, ...] = ()


def record(name: str, settings: DebugSettings) -> Recorded:
    """Run a target and record it, or read a recording. Raises SimtError where nothing ran."""
    if name.endswith(".npz"):
        _refuse_options(name, settings)
        return Recorded(Recording.load(name), Path(name).resolve().parent)
    _check_kind(settings)
    target = chosen_target(name, settings.launch)
    if target.is_program and settings.launch.size is None:
        settings = replace(settings, launch=replace(settings.launch, size=DEFAULT_SIZE))
    recorder, outcome = _timed(target, settings) if settings.is_timing else _plain(target, settings)
    outcome.launcher.executor = recorder.run
    remarks: list[str] = []
    try:
        error = execute(target, settings.launch, outcome)
    except SimtError as stop:
        if not recorder.has_begun:
            raise
        error = stop
    if error is not None:
        remarks.append(str(error))
    found = recorder.finish()
    if found.facts["lost"] and not isinstance(error, Full):
        remarks.append(
            f"the recording ends before the run: it is full after {len(found.issues):,} issues "
            "(--record-issues allows more)"
        )
    path = target.entry.path if target.entry is not None else Path(target.name)
    return Recorded(found, path.resolve().parent, tuple(remarks))


def _plain(target: Target, settings: DebugSettings) -> tuple[Recorder, Outcome]:
    launch = settings.launch
    spec = parse_scheme(settings.scheme, settings.sets, None)
    module = load_module(target, launch, spec, Listings(None, keep=True))
    launcher = PlainLauncher(
        module, engine="interp", scheme=spec.name, knobs=spec.knobs, budget=launch.budget,
        stats=True, exited_arrive=launch.exited_arrive,
        warp=DEFAULT_WIDTH if settings.warp is None else settings.warp,
    )  # fmt: skip
    outcome = Outcome(launcher, module.for_scheme(spec), "interp", Listings(None, keep=True))
    title = f"{target.name} under {spec.name}"
    return DebugRecorder(title, most=MOST if settings.most is None else settings.most), outcome


def _timed(target: Target, settings: DebugSettings) -> tuple[Recorder, Outcome]:
    from ...recording.timed import TimedRecorder

    sets = parse_sets(settings.sets)
    machine, policy = load(settings.machine or "dws", sets), find(settings.policy or "conv")
    listings = Listings(None, keep=True)
    module = load_module(target, settings.launch, SchemeSpec(policy.scheme), listings)
    simulator = build_simulator(machine, policy, listens=True)
    outcome = prepare(simulator, module, settings.launch, sets, listings)
    title = f"{target.name} on {machine.name} with {policy.name}"
    return TimedRecorder(
        simulator, title, most=MOST if settings.most is None else settings.most
    ), outcome


def _check_kind(settings: DebugSettings) -> None:
    if settings.is_timing and (settings.scheme is not None or settings.warp is not None):
        option = "--scheme" if settings.scheme is not None else "--warp"
        raise UsageError(
            f"{option} is for runs without a machine; --policy and --machine exclude it",
            code="SIM517",
            hint="a policy brings its scheme, a machine its width: --set width=8",
        )


def _refuse_options(name: str, settings: DebugSettings) -> None:
    launch = settings.launch
    given = {
        "--scheme": settings.scheme, "--warp": settings.warp, "--policy": settings.policy,
        "--machine": settings.machine, "--set": settings.sets or None,
        "--record-issues": settings.most, "--kernel": launch.kernel, "--grid": launch.grid,
        "--block": launch.block, "--items": launch.items, "--arg": launch.args or None,
        "--size": launch.size, "--param": launch.params or None, "--mapping": launch.mapping,
        "--data": launch.data, "--markers": launch.markers,
    }  # fmt: skip
    for option, value in given.items():
        if value is not None:
            raise UsageError(
                f"{option} has no effect: {name} is a recording of a run", code="SIM517"
            )


# --- faces


def debug(name: str, settings: DebugSettings, script: str | None, *, plain: bool) -> int:
    """Debug a target in the terminal, or run a script of commands; return the exit status."""
    lines = None
    if script is not None:
        lines = read_bytes(script).decode("utf-8", "replace").splitlines()
    recorded = record(name, settings)
    for remark in recorded.remarks:
        print_remark(remark)
    session = Session(recorded.recording)
    if lines is not None:
        return run_script(session, lines, "standard input" if script == STDIN else str(script))
    if plain or not (on_terminal(sys.stdin) and on_terminal(sys.stdout)):
        return run_prompt(session)
    return _terminal()(session)


def _terminal() -> Callable[[Session], int]:
    """Return the terminal interface. Raises UsageError where Textual is missing."""
    try:
        from ...debugger.tui.app import run
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("textual", "rich"):
            raise
        raise UsageError(
            "the terminal interface needs the package textual",
            code="SIM520",
            hint="pip install 'simtlab[tui]', or use --plain for a prompt",
        ) from None
    return run


@contextmanager
def interruptible(session: Session) -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end a move where it is; a second one is a KeyboardInterrupt.

    Yield a function that returns whether there was one.
    """
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1
        if count > 1:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    usual = signal.signal(signal.SIGINT, note)
    session.asked = lambda: count > 0
    try:
        yield session.asked
    finally:
        session.asked = lambda: False
        signal.signal(signal.SIGINT, usual)


def run_script(session: Session, lines: Sequence[str], name: str) -> int:
    """Run commands, one a line; return the exit status. The first error ends it."""
    commands = Commands(session)
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        print(f"> {line.strip()}")
        try:
            with interruptible(session) as interrupted:
                for text in commands.run(line):
                    print(text)
                if interrupted():
                    return status.INTERRUPTED
        except Quit:
            break
        except SimtError as error:
            sys.stdout.flush()
            first = error.diagnostics[0]
            span = Span(name, number, 1, len(line.strip()), line)
            print_error(SimtError(diagnostics=(first.at(span), *error.diagnostics[1:])))
            return status.of(error)
    return status.DONE


def run_prompt(session: Session) -> int:
    """Read commands from a prompt until `quit` or the end of the input."""
    commands = Commands(session)
    is_terminal = on_terminal(sys.stdin)
    if is_terminal:
        import readline  # noqa: F401 (editing and history of the line)
    for text in commands.run("where"):
        print(text)
    failed = status.DONE
    while True:
        try:
            line = input("(simtlab) " if is_terminal else "")
        except EOFError:
            return failed
        try:
            with interruptible(session):
                for text in commands.run(line):
                    print(text)
        except Quit:
            return failed
        except SimtError as error:
            sys.stdout.flush()
            print_error(error)
            # A prompt continues after an error; input from a file ends with a status.
            failed = status.DONE if is_terminal else max(failed, status.of(error))


def serve(port: int | None) -> int:
    """Serve the Debug Adapter Protocol on stdin and stdout, or to one client of a port."""
    from ...debugger.dap.serve import on_port, on_streams

    if port is None:
        on_streams(start_from)
    else:
        try:
            on_port(port, start_from, lambda chosen: print_remark(f"listening on port {chosen}"))
        except OSError as problem:
            raise cannot("read", f"port {port}", problem) from None
    return status.DONE


def start_from(arguments: Mapping[str, object]) -> tuple[Recording, Path, tuple[str, ...]]:
    """Record what the arguments of a `launch` request name. Raises SimtError."""
    from ..options.launch import launch_options
    from ..options.options import whole_number

    def word(name: str) -> str | None:
        value = arguments.get(name)
        if value is None:
            return None
        if isinstance(value, list):
            return ",".join(str(v) for v in value)
        return str(value)

    def words(name: str) -> list[str]:
        value = arguments.get(name)
        if isinstance(value, Mapping):
            return [f"{k}={v}" for k, v in value.items()]
        if isinstance(value, list):
            return [str(v) for v in value]
        if value is not None:
            raise UsageError(
                f"`{name}` is a list of NAME=VALUE, or an object of them, not {value!r}",
                code="SIM515",
            )
        return []

    program = word("program")
    if not program or program == STDIN:
        raise UsageError(
            "`program` is missing: a .sasm file, an object file, a recording, or the name of a "
            "program",
            code="SIM515",
        )
    exited = arguments.get("exitedArrive", False)
    launch = launch_options(
        kernel=word("kernel"), grid=word("grid"), block=word("block"), items=word("items"),
        arg=words("args"), size=word("size"), mapping=word("mapping"), data=word("data"),
        seed=word("seed") or "0", budget=word("budget"),
        exited_arrive=exited is True, markers=word("markers"),
    )  # fmt: skip
    warp, most = word("warp"), word("recordIssues")
    settings = DebugSettings(
        launch,
        scheme=word("scheme"),
        warp=None if warp is None else whole_number(warp, "warp"),
        policy=word("policy"),
        machine=word("machine"),
        sets=words("set"),
        most=None if most is None else whole_number(most, "recordIssues"),
    )
    found = record(program, settings)
    return found.recording, found.folder, found.remarks
