"""The conventional policy: the baseline of all four papers."""

from __future__ import annotations

from .policy import Policy

CONV = Policy(
    "conv",
    ("policy/lockstep", "policy/conv"),
    "The baseline of all four papers: each warp has a stack of (PC, re-convergence PC, mask). A "
    "divergent branch runs one path, then the other; the lanes re-converge at the branch's "
    "immediate post-dominator. At a memory access the warp waits for its slowest lane.",
    "DWS-02, MAWS-01, PPC-01; LWM-03 keeps the same lanes together with another entry format",
)

POLICIES = (CONV,)
