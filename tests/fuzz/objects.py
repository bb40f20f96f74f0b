"""Damaged object files: the loader gives a valid program or an error, and the program runs."""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.asm.disassemble import disassemble
from simtlab.asm.load import load
from simtlab.emu.module import Module
from simtlab.isa.errors import ObjectFileError, SimtError
from simtlab.isa.objectfile import dumps
from simtlab.isa.program import Kernel, Program

from .example import Draw, Example, Files, Generator
from .sources import VALID, told

HEADER = 16
RUNS = {"interp": 0.25, "oracle": 0.05, "jit": 0.02}
"""The part of the programs that run, by engine: native code takes long to make."""

BUDGET = 2_000

NUMBERS = (0, 1, 1 << 16, 0x7FFFFFFF, 0xFFFFFFFF)
"""What takes the place of four bytes: counts and sizes that are too small or too large."""


def mutated(rng: random.Random, data: bytes) -> bytes:
    """A few bytes changed, put in, taken out or copied from elsewhere."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(out)) if out else 0
        match rng.randrange(6):
            case 0 if out:
                out[at] ^= 1 << rng.randrange(8)
            case 1 if out:
                out[at] = rng.choice((0, 1, 2, 127, 128, 255))
            case 2:
                out[at:at] = rng.randbytes(rng.choice((1, 1, 2, 4, 8)))
            case 3:
                del out[at : at + rng.choice((1, 1, 2, 4, 8))]
            case 4 if len(out) > 4:
                at = rng.randrange(len(out) - 4)
                out[at : at + 4] = struct.pack("<I", rng.choice(NUMBERS))
            case _ if out:
                size, other = rng.randint(1, 16), rng.randrange(len(out))
                out[at : at + size] = out[other : other + size]
    return bytes(out)


def sealed(data: bytes) -> bytes:
    """The same with the checksum that its body has."""
    if len(data) < HEADER:
        return data
    return data[: HEADER - 4] + struct.pack("<I", zlib.crc32(data[HEADER:])) + data[HEADER:]


@dataclass
class Object:
    """The bytes of an object file, and the engine that runs what it holds."""

    data: bytes
    engine: str | None
    seed: int

    def run(self) -> str:
        try:
            program = load(self.data)
        except ObjectFileError as error:
            return told(error)
        assert dumps(program) == self.data, "the program has another object file"
        again = assemble(disassemble(program))
        assert dumps(again) == self.data, "the disassembly assembles to another program"
        if self.engine is None:
            return "programs"
        for kernel in program.kernels:
            launch(program, kernel, self.engine, random.Random(self.seed))
        return f"run by {self.engine}"

    def files(self) -> Files:
        script = REPRODUCE.format(engine=self.engine or "interp", seed=self.seed)
        return {"object.sbc": self.data, "reproduce.py": script}

    def smaller(self) -> list[Example]:
        return []


def launch(program: Program, kernel: Kernel, engine: str, rng: random.Random) -> None:
    """Run a kernel on some arguments; it may end by a trap."""
    arguments: list[object] = []
    for parameter in kernel.params:
        if parameter.is_pointer:
            arguments.append(np.zeros(rng.choice((0, 1, 16, 64)), parameter.type.numpy))
        else:
            arguments.append(rng.randrange(2))
    function = Module(program)[kernel.name]
    try:
        function.launch(
            items=rng.choice((1, 3, 16)), group_size=rng.choice((1, 8)),
            warp=rng.choice((1, 4, 32)),
            engine=engine, budget=BUDGET,
        )(*arguments)  # fmt: skip
    except SimtError as error:
        told(error)


REPRODUCE = """\
import random
from pathlib import Path
from simtlab.asm.load import load
from tests.fuzz.objects import launch

program = load(Path(__file__).with_name("object.sbc"))
for kernel in program.kernels:
    launch(program, kernel, {engine!r}, random.Random({seed}))
"""


def _open(scratch: Path, rng: random.Random) -> Draw:
    valid = [dumps(assemble(text)) for text in VALID]

    def draw(rng: random.Random) -> Object:
        data = mutated(rng, rng.choice(valid))
        if rng.randrange(20):
            data = sealed(data)
        chance = rng.random()
        engine = None
        for name, part in RUNS.items():
            chance -= part
            if chance < 0 and engine is None:
                engine = name
        return Object(data, engine, rng.randrange(1 << 30))

    return draw


GENERATOR = Generator("objects", _open, 30.0, 1.0)
