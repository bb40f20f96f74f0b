"""Paired-path comparison, its baselines, and the dual-path stack that it builds on."""

from __future__ import annotations

from .policy import MOST, Policy

_NO_JOIN = (
    "A divergent branch pushes an entry with the PCs and masks of both sides. The side with the "
    "smaller PC runs, and sides merge when their PCs are equal"
)

POLICIES = (
    Policy(
        "ppc",
        ("policy/dual_path", "policy/ppc", "policy/ppc_implicit"),
        f"{_NO_JOIN}, even before the post-dominator; no join has to be known. "
        "`cascade=false` compares the entry below one instruction later, as the paper's "
        "pseudo-code does. With `interleave` the other side issues while the first waits for "
        "memory; with `run-ahead` lanes whose data have arrived also run ahead of those that "
        "still wait.",
        "PPC-04..08, PPC-10, PPC-12",
        settings={"cascade": True, "interleave": False, "run-ahead": False},
        finer={
            "cascade": (False, "instruction"),
            "interleave": (True, "instruction"),
            "run-ahead": (True, "instruction"),
        },
        scheme="ppc",
    ),
    Policy(
        "ppc-explicit",
        ("policy/dual_path", "policy/ppc", "policy/ppc_explicit"),
        f"{_NO_JOIN}, but PCs are compared only where a `reconverge` instruction was issued. "
        "The assembler inserts one at the join of every branch that may diverge.",
        "PPC-09",
        settings={"cascade": True},
        scheme="ppc-explicit",
    ),
    Policy(
        "dps",
        ("policy/dual_path", "policy/dps"),
        "The dual-path stack: both sides of the last divergent branch can issue, so that one hides "
        "the latency of the other. They join at the branch's immediate post-dominator.",
        "PPC-04, Q-PPC-3; M. Rhu and M. Erez, The dual-path execution model, HPCA 2013",
    ),
    Policy(
        "per-thread",
        ("policy/per_thread",),
        "Every lane has a PC; the lanes at the smallest PC of the warp run.",
        "PPC-03, Q-PPC-2",
        scheme="per-thread",
    ),
    Policy(
        "conv-explicit",
        ("policy/lockstep", "policy/conv_explicit"),
        "As conv, but paths join only where each has issued a `reconverge` instruction. The "
        "assembler inserts one at the join of every branch that may diverge.",
        "PPC-02",
        scheme="ipdom-explicit",
    ),
    Policy(
        "predication",
        ("policy/lockstep", "policy/predication"),
        "As conv, but a forward branch with at most `predicate-up-to` instructions up to its join "
        "is predicated: both sides always issue, even if no lane is active.",
        "a baseline that the papers do not measure",
        settings={"predicate-up-to": 8},
    ),
    Policy(
        "density-time",
        ("policy/lockstep", "policy/conv", "policy/density_time"),
        "As conv on `units` execution units: an instruction takes a slot for each `units` active "
        "lanes, and inactive ones are skipped (`skip-masked`).",
        "a baseline that the papers do not measure",
        settings={"units": 4, "skip-masked": True},
        ranges={"units": (1, MOST)},
    ),
)
