"""MLP-aware warp subdivision, the earlier form of dynamic warp subdivision, as in its Figure 7."""

from __future__ import annotations

from .policy import Policy

_PATH = (
    "Splits of a warp stay on one path: they wait for each other at re-convergence points and "
    "conditional branches, but pass the branch of a loop that all of them are in; threads that "
    "leave it wait outside. Splits that are ready at the same access merge, and the one that has "
    "executed least goes first."
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
            "first-latency": 0,
            "long-latency": 0,
            "count-split": False,
        },
        choices={
            "memory-split": ("never", "aggressive", "lazy", "revive", "latency"),
            "loop-test": ("branch", "rpc-only"),
        },
        scheduler=scheduler,
    )  # fmt: skip


POLICIES = (
    _maws(
        "aggress",
        "MAWS-02..07; Figure 7",
        "Every access of which some threads hit and some miss splits its group: those that hit "
        "run ahead.",
        "aggressive",
    ),
    _maws(
        "lazy-split",
        "MAWS-02..06, MAWS-08, MAWS-11; Figure 7",
        "An access of which some threads hit and some miss splits its group if no other group can "
        "hide the latency; when the WPU stalls later, a group that was suspended whole is split "
        "by the hit mask of its access. The scheduler is round-robin unless one is chosen.",
        "revive",
        "rr",
    ),
    _maws(
        "lat-spec",
        "MAWS-02..06, MAWS-09, MAWS-10, MAWS-12; Figure 7",
        "An access of which some threads hit and some miss splits its group if those that hit "
        "are expected to miss again before the others have their data: counters of miss-free "
        "cycles and latencies predict it. The scheduler prefers the group that is expected to "
        "miss soonest unless one is chosen.",
        "latency",
        "swf",
    ),
)
