"""Large warps, two-level scheduling, and dynamic warp formation as their baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...isa.errors import UsageError
from .conv import CONV
from .policy import MOST, Policy

if TYPE_CHECKING:
    from ..machines.machine import Machine

_LARGE = (
    "Consecutive warps of a workgroup are the rows of one large warp with one PC and one stack. "
    "Each instruction is issued as sub-warps of the SIMD width; a sub-warp takes one active lane "
    "from each column, whatever its row. Accesses of global memory go row by row (`memory-rows`), "
    "and a jump takes one cycle for all rows (`jump-once`)."
)
_TWO_LEVEL = (
    "Only the warps of one fetch group issue, in turns, until none of them can; then the next "
    "group issues. Fetch groups reach long-latency accesses at different times, so that one hides "
    "the latency of another."
)
_PACKED = {"barrel": "issue/packed"}
_MEMORY = ("never", "aggressive", "lazy", "revive")
_SPLIT = ("policy/memory_split", "policy/pack_split")


def _whole_rows(machine: Machine) -> None:
    """Check that a large warp has whole rows and fits on a WPU. Raises UsageError."""
    size, width, most = machine.policy["warp"], machine.width, machine.core_contexts
    assert isinstance(size, int)
    if size % width or not width <= size <= most:
        raise UsageError(
            f"policy.warp = {size}: a large warp on {machine.name!r} has a multiple of {width} "
            f"work-items (the lanes of a row), and at most {most:,} (the contexts of a WPU)",
            code="SIM602",
            hint=f"--set policy.warp={min(most, 8 * width)}",
        )


def _large(
    name: str,
    source: str,
    text: str,
    scheduler: str | None = None,
    fetch_group: int | None = None,
) -> Policy:
    return Policy(
        name,
        ("policy/packs", "policy/large"),
        text,
        source,
        settings={
            "warp": 256,
            "memory-rows": True,
            "jump-once": True,
            "memory-split": "never",
            "pc-merge": True,
        },
        choices={"memory-split": _MEMORY},
        ranges={"warp": (1, MOST)},
        scheduler=scheduler,
        fetch_group=fetch_group,
        issue=_PACKED,
        check=_whole_rows,
        extra={"memory-split": (*_SPLIT, "policy/large_split")},
    )


def _formed(name: str, priority: str, source: str, text: str) -> Policy:
    return Policy(
        name,
        ("policy/packs", "policy/dwf"),
        "Warps have no stack: after a divergent branch each path is a warp of its own. A warp that "
        "leaves the pipeline merges with the youngest warp at the same PC, as far as its lanes "
        f"are free there. {text}",
        source,
        settings={"priority": priority, "memory-split": "never"},
        choices={"priority": ("majority", "pdom"), "memory-split": _MEMORY},
        scheduler="dwf",
        issue=_PACKED,
        extra={"memory-split": (*_SPLIT, "policy/dwf_split")},
    )


POLICIES = (
    _large("lwm", "LWM-06..12; Figures 9 and 11", _LARGE),
    Policy(
        "two-level",
        CONV.files,
        f"{_TWO_LEVEL} The paths of a divergent branch run one after the other, as under conv.",
        "LWM-13, LWM-14; Figures 9 and 13",
        scheduler="two-level",
    ),
    _large(
        "lwm+two-level",
        "LWM-16; Figures 9 and 14",
        f"{_LARGE} {_TWO_LEVEL} A fetch group has two large warps.",
        scheduler="two-level",
        fetch_group=2,
    ),
    _formed(
        "dwf.majority",
        "majority",
        "LWM-17, LWM-18; Figure 9",
        "Warps at the PC with the most threads go first.",
    ),
    _formed(
        "dwf.pdom",
        "pdom",
        "LWM-17, LWM-19; Figure 9",
        "Warps that have passed the fewest re-convergence points go first.",
    ),
)
