"""Examples that go wrong in every way, so that a test sees the fuzzer notice."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass

from .example import Example, Files, Generator


@dataclass
class Planted:
    """An example that does what its word says."""

    word: str
    lines: int = 8

    def run(self) -> str:
        match self.word:
            case "wrong":
                raise AssertionError(f"{self.lines} lines are wrong")
            case "raise":
                raise KeyError(self.word)
            case "leave":
                raise SystemExit(0)
            case "crash":
                os.abort()
            case "hang":
                time.sleep(1000)
        return "fine"

    def files(self) -> Files:
        return {"word.txt": f"{self.word} {self.lines}\n"}

    def smaller(self) -> list[Example]:
        return [Planted(self.word, self.lines // 2)] if self.lines > 1 else []


def draw(rng: random.Random) -> Planted:
    return Planted(rng.choice(("fine", "fine", "fine", "wrong", "raise", "leave", "crash", "hang")))


GENERATOR = Generator("planted", lambda scratch, rng: draw, 5.0, 1.0)
