"""Statistics for people: a text for the terminal, a fragment for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...emu.text.tables import labelled, labelled_html
from ..engine.causes import NAMES
from .occupancy import Occupancy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .statistics import Statistics


def hooks_text(checked: Mapping[str, bool]) -> str:
    """Return whether the hooks of the user's files were checked, by name; empty without any."""
    yes = [name for name, is_checked in checked.items() if is_checked]
    no = [name for name, is_checked in checked.items() if not is_checked]
    parts = [f"checked lane by lane: {', '.join(yes)}"] if yes else []
    if no:
        parts.append(
            f"not checked: {', '.join(no)} (--checked reports lanes that are woken before their "
            "data arrive, which look faster)"
        )
    return "\n".join(parts)


def rows(s: Statistics) -> list[tuple[str, str]]:
    """Return label and value of the rows that a person wants to see first."""
    found = [
        ("cycles", f"{s.cycles:,}"),
        ("warp-instructions", f"{s.warp_instructions:,}, {s.warp_ipc:.3f} a cycle and WPU"),
        ("thread-instructions", f"{s.thread_instructions:,}, {s.ipc:.2f} a cycle"),
        ("mean SIMD width", f"{s.mean_width:.2f} of {s.width}"),
        ("issue slots", _shares(s.issue_slots)),
        ("warp-cycles", _shares(s.warp_cycles)),
    ]
    if s.branches:
        found.append(
            ("branches", f"{s.branches:,}, {s.divergent_branch_share:.1%} divergent; one in "
             f"{s.instructions_between_branches:.1f} instructions")
        )  # fmt: skip
    if s.accesses:
        found.append(("accesses", f"{s.accesses:,}, {s.miss_accesses:,} with a miss, "
                      f"{s.divergent_access_share:.1%} of these divergent"))  # fmt: skip
    if s.l1_hits or s.l1_misses:
        found.append(("L1", f"{s.l1_hit_rate:.1%} of lines there; {s.l1_misses:,} requested"))
    if s.l2_hits or s.l2_misses:
        found.append(("L2", f"{s.l2_hit_rate:.1%} of lines there; {s.l2_misses:,} requested"))
    if s.miss_busy:
        found.append(("MLP", f"{s.mlp:.2f} misses at once, where there is one"))
    if s.row_hits or s.row_conflicts:
        found.append(("rows", f"{s.row_hit_rate:.1%} of accesses find theirs open"))
    if s.bus_bytes:
        found.append(("memory bus", f"{s.bus_bytes:,} bytes, {s.bus_bandwidth:.2f} a cycle"))
    if s.splits:
        found.append(
            ("splits", f"{s.splits_branch:,} at branches, {s.splits_memory:,} at accesses, "
             f"{s.revivals:,} in stalls; at most "
             f"{s.most_groups} groups on a WPU, {s.mean_groups:.1f} in the mean")
        )  # fmt: skip
        merged = f"{s.merges_pc:,} at an equal PC, {s.merges_stack:,} at a join"
        found.append(("merges", merged))
        for name, tables, mean, full in (
            ("warp-split table", s.wst_entries, s.mean_wst_entries, s.wst_full_share),
            ("scheduler slots", s.scheduler_slots, s.mean_scheduled, s.scheduler_full),
        ):
            if tables and tables[0].size:
                found.append((name, Occupancy.text(tables, mean, full)))
    if s.stale_reads:
        found.append(("stale reads", f"{s.stale_reads:,} words would be, {s.races[0]}"))
    if s.barriers:
        found.append(("barriers", f"{s.barriers:,}"))
    return found


def _shares(cycles: object) -> str:
    """Return the causes in descending order, without those of half a percent or less."""
    assert isinstance(cycles, dict)
    total = sum(cycles.values())
    named = sorted(cycles.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {n / total:.1%}" for name, n in named if n * 200 > total) or "none"


def text(s: Statistics) -> str:
    """Return the rows as text in two columns."""
    return labelled(rows(s), least=19)


COLOURS: dict[str, str] = dict(zip(NAMES, (
    "#4c78a8", "#9ecae9", "#59a14f", "#8cd17d", "#f28e2b", "#ffbe7d", "#e15759", "#b07aa1",
    "#d4a6c8", "#edc948", "#b6992d", "#499894", "#79706e", "#e0e0e0",
), strict=True))  # fmt: skip
"""Cause -> its colour in every picture."""


def page(s: Statistics) -> str:
    """Return an HTML fragment: a bar of all issue slots, and the rows."""
    total = sum(s.issue_slots.values()) or 1
    shares = {name: (n, f"{n / total:.1%}") for name, n in s.issue_slots.items() if n}
    parts = "".join(
        f"<span title='{name}: {n:,} ({share})' style='width:{100 * n / total:.3f}%;"
        f"background:{COLOURS[name]}'></span>"
        for name, (n, share) in shares.items()
    )
    words = ", ".join(f"{name} {share}" for name, (_, share) in shares.items())
    return (
        f"<div role='img' aria-label='issue slots: {words}' "
        f"style='display:flex;height:1em;width:40em;max-width:100%'>{parts}</div>"
        f"{labelled_html(rows(s))}"
    )
