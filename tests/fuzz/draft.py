"""A kernel under construction by a generator: its lines so far, labels, and chances."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from .launches import KEPT


@dataclass
class Draft:
    """Lines of a kernel that are appended one after the other."""

    rng: random.Random
    lines: list[str] = field(default_factory=list, kw_only=True)
    labels: int = field(default=0, kw_only=True)

    def emit(self, text: str, *, kept: bool = False) -> None:
        """Append an instruction."""
        self.lines.append(f"    {text}" + f" {KEPT}" * kept)

    def label(self) -> str:
        """Return a new label."""
        self.labels += 1
        return f"@l{self.labels}"

    def place(self, label: str) -> None:
        """Append a label."""
        self.lines.append(f"{label}:")

    def chance(self, share: float) -> bool:
        """Return true as often as that."""
        return self.rng.random() < share
