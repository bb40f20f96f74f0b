"""Adaptive slip, a baseline of the DWS paper."""

from __future__ import annotations

from .dws import COMPARING, FULL, STALLED, WAITING, sides_never_wait, words_of
from .policy import Policy

_FILES = ("splits", "local_stack", "dws", "pc_merge", "loop_bypass", "slip", "slip_control")
_SLIP = (
    "At an access at which some lanes hit, the lanes that miss are left behind unless more lanes "
    "would be left behind than the WPU allows. They rejoin when the lanes that run ahead reach the "
    "same access again and the data have arrived, or continue alone when the lanes ahead have to "
    "wait for them"
)
_CONTROL = (
    "Every `interval` cycles, a WPU that waited for memory during most of them allows one lane "
    "more, and a WPU that was busy during most of them one lane less. It starts with `max-div` "
    "lanes (0)."
)


def _slip(name: str, source: str, text: str, *, bypass: bool) -> Policy:
    return Policy(
        name,
        tuple(f"policy/{f}" for f in _FILES),
        f"{_SLIP}{text} {_CONTROL}",
        source,
        settings={
            "branch-split": bypass,
            "pc-merge": True,
            "branch-limited": not bypass,
            "predicated": False,
            "max-div": 0,
            "raise-above": 70,
            "lower-above": 50,
            **COMPARING,
            **FULL,
        },
        finer=WAITING,
        choices=words_of({**COMPARING, **FULL}),
        check=sides_never_wait,
        extra=STALLED,
        ranges={"raise-above": (0, 100), "lower-above": (0, 100)},
    )


POLICIES = (
    _slip(
        "slip",
        "DWS-19, DWS-21; 5.7 and Figure 13, after D. Tarjan et al.",
        ": at every conditional branch that does not merely continue a loop.",
        bypass=False,
    ),
    _slip(
        "slip.branch-bypass",
        "DWS-20, DWS-21; 5.7 and Figures 13, 18, 19",
        ". Branches split a warp as under `dws.branch-only`, so that no lane waits at them.",
        bypass=True,
    ),
)
