"""Damaged cache files: the command does without them and says nothing."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from .commands import COMMANDS, Shelf
from .example import Draw, Example, Files, Generator


@dataclass
class Damage:
    """Some files of the caches changed, each in one way, before a command."""

    shelf: Shelf
    command: tuple[str, ...]
    seed: int

    def run(self) -> str:
        if self.command not in self.shelf.answers:
            self.shelf.check(self.command)
        rng = random.Random(self.seed)
        files = sorted(p for p in self.shelf.folder.rglob("*") if p.is_file())
        how = "none"
        for path in rng.sample(files, min(len(files), rng.choice((1, 1, 2, len(files))))):
            how = damage(path, rng)
        self.shelf.check(self.command)
        return how

    def files(self) -> Files:
        caches = {
            f"cache-{number}-{path.name}": path.read_bytes()
            for number, path in enumerate(sorted(self.shelf.folder.rglob("*")))
            if path.is_file() and path.stat().st_size < 1 << 20
        }
        return {"what.txt": f"{self.command} after damage by seed {self.seed}\n", **caches}

    def smaller(self) -> list[Example]:
        return []


def damage(path: Path, rng: random.Random) -> str:
    """Change a file, and say how."""
    data = bytearray(path.read_bytes())
    how = rng.choice(("flip", "flip", "flip", "cut", "empty", "longer", "zeros", "noise", "folder"))
    match how:
        case "flip":
            for _ in range(rng.choice((1, 1, 8))):
                if data:
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case "cut":
            del data[rng.randrange(len(data) + 1) :]
        case "empty":
            data.clear()
        case "longer":
            data += rng.randbytes(rng.randint(1, 100))
        case "zeros":
            data[:] = bytes(len(data))
        case "noise":
            data[:] = rng.randbytes(len(data))
        case _:
            path.unlink()
            path.mkdir()
            return how
    path.write_bytes(data)
    return how


def _open(scratch: Path, rng: random.Random) -> Draw:
    shelf = Shelf(scratch / "shelf")
    shelf.clear()

    def draw(rng: random.Random) -> Damage:
        # Most without an engine, which takes long to compile anew.
        commands = COMMANDS if rng.random() < 0.1 else COMMANDS[:-1]
        return Damage(shelf, rng.choice(commands), rng.randrange(1 << 40))

    return draw


GENERATOR = Generator("caches", _open, 600.0, 0.5)
