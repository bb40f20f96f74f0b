"""The command killed at a random moment: the caches that it leaves are good for the next one."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

from .commands import COMMANDS, Shelf
from .example import Draw, Example, Files, Generator


@dataclass
class Kill:
    """A command that is killed after some seconds, a few times; then it may end."""

    shelf: Shelf
    command: tuple[str, ...]
    moments: tuple[float, ...]
    fresh: bool
    """Begin without caches."""

    def run(self) -> str:
        if self.command not in self.shelf.answers:
            self.shelf.check(self.command)
        if self.fresh:
            self.shelf.clear()
        for seconds in self.moments:
            with self.shelf.start(self.command) as process:
                time.sleep(seconds)
                process.kill()
                process.communicate()
        self.shelf.check(self.command)
        return self.command[0]

    def files(self) -> Files:
        return {"what.txt": f"{self.command} killed after {self.moments} s, fresh: {self.fresh}\n"}

    def smaller(self) -> list[Example]:
        return []


def _open(scratch: Path, rng: random.Random) -> Draw:
    shelf = Shelf(scratch / "shelf")
    shelf.clear()

    def draw(rng: random.Random) -> Kill:
        command = rng.choice(COMMANDS)
        moments = tuple(rng.uniform(0, 2.5) for _ in range(rng.randint(1, 3)))
        # What an engine takes to compile is too long to wait for again and again.
        return Kill(shelf, command, moments, command[0] == "run" and rng.random() < 0.3)

    return draw


GENERATOR = Generator("kills", _open, 600.0, 0.5)
