"""A comparison as a picture: speedups, and where the issue slots went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...isa import expect
from ...isa.errors import UsageError
from .report import COLOURS

if TYPE_CHECKING:
    from .comparison import Comparison


def check_picture(path: str | Path) -> None:
    """Raise UsageError for a name without .png, or if matplotlib is missing."""
    if not expect.path(path, "a picture").endswith(".png"):
        raise UsageError(f"a picture is a file that ends in .png, not {path}", code="SIM515")
    _matplotlib()


def _matplotlib() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError(
            "pictures of comparisons need matplotlib, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[plot]'",
        ) from None
    return Figure


def draw(comparison: Comparison, path: str | Path, title: str) -> None:
    """Write a PNG: a bar for each speedup, and beside it the issue slots by cause.

    Slots are in units of the baseline's total, so that a bar is as long as the policy's time.
    Policies that failed have no bar. Raises UsageError and OSError.
    """
    check_picture(path)
    names = [c.policy for c in comparison.finished]
    figure = _matplotlib()(figsize=(11, 1.9 + 0.36 * len(names)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 3))
    _draw_speedups(left, comparison, names)
    _draw_slots(right, comparison)
    left.set_ylim(len(names) - 0.4, -0.6)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    figure.legend(
        *right.get_legend_handles_labels(), loc="outside lower center", ncols=8, frameon=False
    )
    figure.savefig(path, dpi=150)


def _draw_speedups(axes: Any, comparison: Comparison, names: list[str]) -> None:
    ratios = [comparison.speedup(name) or 0.0 for name in names]
    axes.barh(names, ratios, color="#4c78a8")
    # In a column to the right of the axes: beside a bar they would cover the line at 1.
    for place, ratio in enumerate(ratios):
        label = f"{ratio:.3f}" if ratio else "-"
        axes.text(1.02, place, label, transform=axes.get_yaxis_transform(), va="center")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlim(0, max([1.0, *ratios]) * 1.04)
    axes.set_title(f"speedup over {comparison.baseline}", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_slots(axes: Any, comparison: Comparison) -> None:
    found = [(c.policy, c.stats.issue_slots) for c in comparison.finished if c.stats]
    base = next((slots for name, slots in found if name == comparison.baseline), None)
    unit = sum((base or found[0][1]).values()) or 1 if found else 1
    begins = dict.fromkeys((name for name, _ in found), 0.0)
    for cause, colour in COLOURS.items():
        shares = {name: slots[cause] / unit for name, slots in found}
        if not any(share >= 0.001 for share in shares.values()):
            continue
        axes.barh(
            list(shares), list(shares.values()), left=list(begins.values()), color=colour,
            label=cause,
        )  # fmt: skip
        begins = {name: begins[name] + share for name, share in shares.items()}
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_title("issue slots by cause, in units of the baseline's", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
