"""Recordings of commands: made beside a run, and written where the command says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...isa.errors import UsageError
from ...recording.export.files import check_name, export
from ...recording.history import History
from ...recording.recorder import Recorder
from ...recording.recording import Recording
from ..inputs.files import check_writable
from ..options.settings import RunSettings
from ..output.output import print_remark


def saving(path: str | None) -> Callable[[Recording], None] | None:
    """Return what writes a recording to a file; None without one. Raises UsageError."""
    if path is None:
        return None
    if not path.endswith(".npz"):
        raise UsageError(f"cannot record to {path!r}: the name must end in .npz", code="SIM515")
    check_writable(path, "--record")

    def save(recording: Recording) -> None:
        recording.save(path)
        print_remark(f"recording written to {path}; simtlab view {path} shows it")

    return save


def exporting(path: str | None) -> Callable[[Recording], None] | None:
    """Return what exports a recording to a file; None without one. Raises UsageError."""
    if path is None:
        return None
    check_name(path)
    check_writable(path, "--trace")

    def write(recording: Recording) -> None:
        export(recording, path)
        print_remark(f"trace written to {path}")

    return write


def explaining(
    item: tuple[int | tuple[int, int], int] | None,
) -> Callable[[Recording], None] | None:
    """Return what prints where the time of a work-item of a launch went; None without one."""
    if item is None:
        return None

    def explain(recording: Recording) -> None:
        print(f"\n{recording.why(*item)}")
        count = len(recording.facts["launches"])
        if count > 1:
            print(f"launch {item[1]} of 0 to {count - 1}; --why ITEM@LAUNCH shows another one")

    return explain


def both(
    *actions: Callable[[Recording], None] | None,
) -> Callable[[Recording], None] | None:
    """Return what does all of the actions that are not None; None without any."""
    wanted = [action for action in actions if action is not None]
    if not wanted:
        return None

    def act(recording: Recording) -> None:
        for action in wanted:
            action(recording)

    return act


def refuse_engine(settings: RunSettings, checks: bool) -> None:
    """Raise UsageError for options that a recording excludes."""
    if settings.engine not in (None, "interp"):
        raise UsageError(
            f"a recording is made by the interpreter, and --engine {settings.engine} excludes it",
            code="SIM517",
            hint="leave out --engine",
        )
    if checks:
        raise UsageError("a run is either checked or recorded, not both", code="SIM517")


@contextmanager
def recording(
    recorder: Recorder | None,
    recorded: Callable[[Recording], None] | None,
    *,
    history: bool = False,
) -> Iterator[None]:
    """Record what runs inside, also if an error ends it, and hand on the recording."""
    try:
        yield
    finally:
        if recorder is not None and recorder.has_begun:
            found = recorder.finish()
            if recorded is not None:
                recorded(found)
            if history:
                print(History(found))
            if not len(found.issues):
                print_remark(f"the recording is empty: {found.coverage}")
            elif found.facts["lost"]:
                print_remark(
                    f"{found.facts['lost']:,} issues were not recorded; choose fewer "
                    f"{found.facts['unit']}s with --record-window, or more with --record-issues"
                )
