"""Kernels that access memory anywhere: native code traps as the oracle does and hurts nothing.

The kernels and the fences around their memory are those of tests/emu/jit/support.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from simtlab.emu import fairness

from ..emu.jit.support import wild
from .example import Draw, Example, Files, Generator


@dataclass
class Wild:
    """A kernel of wild.py by its number."""

    number: int

    def run(self) -> str:
        wild.check(wild.sample(self.number))
        return "kernels"

    def files(self) -> Files:
        return {
            "kernel.sasm": str(wild.sample(self.number)),
            "reproduce.py": REPRODUCE.format(number=self.number),
        }

    def smaller(self) -> list[Example]:
        return []


REPRODUCE = """\
from tests.emu.jit.support import wild

wild.check(wild.sample({number}))
"""


def _open(scratch: Path, rng: random.Random) -> Draw:
    fairness.VERDICT_BUDGET = 500  # why a launch hangs is not the question here, and takes long
    return lambda rng: Wild(rng.randrange(1 << 40))


GENERATOR = Generator("wild", _open, 120.0, 1.0)
