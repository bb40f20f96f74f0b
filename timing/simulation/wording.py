"""Names of warp contexts in messages and recordings."""

from __future__ import annotations


def context_name(v: int, warps: int) -> str:
    """Return the name of warp context v of a machine with `warps` of them on each WPU."""
    return f"WPU {v // warps}, warp context {v % warps}"


def with_owner(name: str, group: int, warp: int) -> str:
    """Return the name of a warp context that holds a warp of a workgroup."""
    return f"{name} (workgroup {group}, warp {warp})"
