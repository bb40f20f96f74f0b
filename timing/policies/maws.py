"""MLP-aware warp subdivision, in the combinations of its paper's Figure 7."""

from __future__ import annotations

from .dws import COMPARING, DIVIDING, words_of
from .policy import Policy

_PATH = (
    "Splits of a warp stay on one path: they wait for each other at re-convergence points and "
    "conditional branches. They pass the branch of a loop that all of them are in; threads that "
    "leave the loop wait after it. Splits that are ready at the same access merge, and the split "
    "that has executed the fewest instructions issues first."
)


def _maws(name: str, source: str, text: str, memory: str, scheduler: str | None = None) -> Policy:
    return Policy(
        f"maws.{name}",
        (
            "schedule/miss_free",
            *(
                f"policy/{f}"
                for f in (
                    "splits", "local_stack", "pc_merge", "memory_split", "run_ahead", "lat_spec",
                    "loop_bypass", "maws",
                )
            ),
        ),
        f"{text} {_PATH}",
        source,
        "branch",
        {
            "memory-split": memory,
            "pc-merge": True,
            "loop-bypass": True,
            "push-uniform": True,
            "loop-test": "branch",
            "laggard": "in-turn",
            "first-latency": 0,
            "long-latency": 0,
            "count-split": False,
            **COMPARING,
            **DIVIDING,
        },
        choices={
            **words_of({**COMPARING, **DIVIDING}),
            "memory-split": ("never", "aggressive", "lazy", "revive", "latency"),
            "loop-test": ("branch", "rpc-only"),
            "laggard": ("in-turn", "first"),
        },
        scheduler=scheduler,
    )  # fmt: skip


POLICIES = (
    _maws(
        "aggress",
        "MAWS-02..07; Figure 7",
        "A group is split at every access at which some of its threads hit and some miss; those "
        "that hit run ahead.",
        "aggressive",
    ),
    _maws(
        "lazy-split",
        "MAWS-02..06, MAWS-08, MAWS-11; Figure 7",
        "A group is split at an access at which some of its threads hit and some miss, if no "
        "other group can hide the latency. When the WPU stalls later, a group that was suspended "
        "as a whole is split by the hit mask of its access. The scheduler is round-robin unless "
        "one is chosen.",
        "revive",
        "rr",
    ),
    _maws(
        "lat-spec",
        "MAWS-02..06, MAWS-09, MAWS-10, MAWS-12; Figure 7",
        "A group is split at an access at which some of its threads hit and some miss, if those "
        "that hit are expected to miss again before the data of the others arrive. Counters of "
        "miss-free cycles and of latencies predict it. Unless a scheduler is chosen, the group "
        "that is expected to miss soonest issues first.",
        "latency",
        "swf",
    ),
)
