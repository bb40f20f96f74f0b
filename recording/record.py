"""`simtlab.record(kernel, scheme="ppc", items=64)(x, y)`: a run, and what happened in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..emu.engine import DEFAULT_BUDGET
from ..emu.geometry import DEFAULT_WIDTH, dim3
from ..emu.launch import Launch
from ..emu.module import KernelFunction
from ..emu.schemes import Scheme
from ..isa.calls import options_by_name
from ..isa.errors import SimtError, UsageError
from ..timing.compiler.files import Policy, find
from ..timing.machines.machine import Machine, load
from ..timing.simulate import check_kernel
from ..timing.simulation.simulator import Simulator
from .functional import FunctionalRecorder
from .recorder import MOST, NEVER, Recorder
from .recording import Recording
from .timed import TimedRecorder


class RecordedLaunch:
    """A launch that is recorded; call it with the kernel's arguments, as often as you like.

    `recording` is the last one, also where the launch trapped or was interrupted.
    """

    def __init__(self, launch: Launch, make: Callable[[], Recorder]) -> None:
        self.launch = launch
        self.recording: Recording | None = None
        self._make = make

    def __call__(self, /, *args: object, **named: object) -> Recording:
        """Run on arguments by place or by name; arrays are changed in place.

        Raises ArgumentError, Trap, SimulationError.
        """
        self.recording = None
        recorder = self._make()
        try:
            self.launch.run_by(recorder.run, *args, **named)
        except SimtError:
            if recorder.has_begun:
                self.recording = recorder.finish()
            raise
        self.recording = recorder.finish()
        return self.recording


@options_by_name("simtlab.record", "simtlab.record(program.k, groups=2, group_size=32)(x, y)")
def record(
    kernel: KernelFunction,
    *,
    scheme: str | type[Scheme] = "stack",
    warp: int | None = None,
    machine: str | Path | Machine | None = None,
    policy: str | Policy | None = None,
    set: Mapping[str, object] | None = None,
    groups: int | Sequence[int] | None = None,
    items: int | Sequence[int] | None = None,
    group_size: int | Sequence[int] | None = None,
    window: tuple[int, int] = (0, NEVER),
    most: int = MOST,
    budget: int = DEFAULT_BUDGET,
    exited_arrive: bool = False,
) -> RecordedLaunch:
    """Return a launch that records a kernel; call it with the kernel's arguments.

    With a `machine` or a `policy` the kernel is simulated (see `simtlab.simulate`), and times are
    cycles; else the interpreter runs it in warps of `warp` lanes under a divergence `scheme`, and
    times are steps. The recording covers the times in `window`, its end excluded, and at most
    `most` issues. Raises UsageError.
    """
    check_kernel(kernel, "simtlab.record")
    shape: dict[str, Any] = {
        "groups": groups, "items": items, "budget": budget, "exited_arrive": exited_arrive,
    }  # fmt: skip
    begin, end = window
    options: dict[str, Any] = {"begin": begin, "end": end, "most": most}
    if machine is None and policy is None:
        if set is not None:
            raise UsageError("set= replaces fields of a machine; give machine=", code="SIM517")
        launch = kernel.launch(
            group_size=256 if group_size is None else group_size,
            engine="interp", scheme=scheme, warp=DEFAULT_WIDTH if warp is None else warp,
            stats=True, **shape,
        )  # fmt: skip
        name = launch.scheme.name
        title = f"{kernel.name} under {name}"
        return RecordedLaunch(launch, lambda: FunctionalRecorder(title, **options))
    if warp is not None or scheme != "stack":
        raise UsageError(
            "a simulation has the warps of its machine and the scheme of its policy",
            code="SIM517",
            hint='leave out warp= and scheme=, or give set={"width": 8}',
        )
    found = machine if isinstance(machine, Machine) else load("dws" if machine is None else machine)
    if set is not None:
        found = found.replaced(set)
    rules = policy if isinstance(policy, Policy) else find("conv" if policy is None else policy)
    size = dim3(min(256, found.core_contexts) if group_size is None else group_size, "group_size")
    launch = kernel.launch(group_size=size, warp=found.width, scheme=rules.scheme, **shape)
    title = f"{kernel.name} on {found.name} with {rules.name}"
    return RecordedLaunch(
        launch, lambda: TimedRecorder(Simulator(found, rules, listens=True), title, **options)
    )
