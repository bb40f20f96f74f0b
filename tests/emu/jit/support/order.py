"""Launches whose workgroups run in another order wherever the launcher thinks that none shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from unittest.mock import patch

from simtlab.emu.jit.launch.plan import Scratch

Function = Callable[[int, int, int], int]
LAUNCH = "simtlab.emu.jit.launch"


def backwards(
    function: Function, scratches: Sequence[Scratch], bounds: Sequence[int]
) -> Scratch | None:
    """Run the last part first, in the place of `slices.run_shared`."""
    lowest = None
    for first, last in reversed(list(pairwise(bounds))):
        scratch = next(s for s in scratches if s is not lowest)
        if function(scratch.address, first, last):
            lowest = scratch
    return lowest


@contextmanager
def shared_at_once(order: str = "threads", threads: int = 3) -> Iterator[None]:
    """Share out every launch that may be, however short: to `threads`, or `backwards` to one."""
    with ExitStack() as stack:
        stack.enter_context(patch(f"{LAUNCH}.slices.WORTH_A_THREAD", 0.0))
        stack.enter_context(patch(f"{LAUNCH}.engine.COPY_SHARE", 1e9))
        stack.enter_context(patch(f"{LAUNCH}.engine.host_threads", lambda: threads))
        if order == "backwards":
            stack.enter_context(patch(f"{LAUNCH}.engine.run_shared", backwards))
        yield
