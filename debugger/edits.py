"""Edits of a run: a value is changed at a position, and the run is executed anew from there.

A functional run is repeated by the interpreter under its own scheme from the recorded inputs, and
the values are changed on the way: up to the edit the run is the recorded one, after it lanes may
take other branches. What the host does between launches is not repeated: it gives what it gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..asm.load import load
from ..emu.engine import SchemeSpec, Work
from ..emu.geometry import Geometry
from ..emu.interp.interpreter import Interpreter
from ..emu.interp.resident import Resident
from ..emu.memory import Buffer, Memory
from ..isa.errors import SimtError, UsageError
from ..recording.functional import FunctionalRecorder
from ..recording.recorder import MOST
from ..recording.recording import Recording


@dataclass(frozen=True)
class Edit:
    """A change of `size` bytes at a position, in the step `t` of the interpreter.

    `where` is a register ("$s3"), or "global", "group" or "private". `place` is a flat lane of the
    launch (registers, private memory), a workgroup (group memory) or 0; `address` an address or
    an offset. `content` is little-endian.
    """

    position: int
    t: int
    where: str
    place: int
    address: int
    content: bytes

    def apply(self, resident: Resident, memory: Memory) -> None:
        """Change the value. `resident` holds workgroups from `first_group` on."""
        lanes, width = resident.lanes_per_group, len(self.content)
        workgroup = self.place if self.where == "group" else self.place // lanes
        if self.where != "global" and not (
            resident.first_group <= workgroup < resident.first_group + resident.n_groups
        ):
            raise UsageError(
                f"workgroup {workgroup} is not running now: the interpreter runs "
                f"{resident.slots:,} workgroups at a time",
                code="SIM530",
            )
        if self.where.startswith("$"):
            bits = resident.registers[self.where[1]].bits
            lane = self.place - resident.first_group * lanes
            bits[int(self.where[2:]), lane] = np.frombuffer(self.content, bits.dtype)[0]
            return
        if self.where == "global":
            buffer = memory.find(self.address, width)
            assert buffer is not None
            start, host = self.address - buffer.base, buffer.host
        elif self.where == "group":
            group_size = resident.work.kernel.group_size
            start = (self.place - resident.first_group) * group_size + self.address
            host = resident.group_memory
        else:
            lane = self.place - resident.first_group * lanes
            start = lane * resident.work.kernel.private_size + self.address
            host = resident.private_memory
        host[start : start + width] = np.frombuffer(self.content, np.uint8)


class Full(SimtError):
    """A run was ended because its recording is full."""

    code = "SIM535"


class DebugRecorder(FunctionalRecorder):
    """A recorder that changes values on the way, and ends the run where it is full."""

    def __init__(self, title: str, edits: Sequence[Edit] = (), most: int = MOST) -> None:
        super().__init__(title, most=most)
        self._left = sorted(edits, key=lambda edit: edit.t)

    def before_step(self, t: int, interpreter: Interpreter) -> None:
        """Apply the edits that are due. Raises Full."""
        if self.lost:
            raise Full(
                f"the recording is full after {self.most:,} instructions of warps",
                hint="choose a smaller size, or allow more with --record-issues",
            )
        while self._left and self._left[0].t <= t:
            self._left.pop(0).apply(interpreter.resident, interpreter.work.memory)
            interpreter.hang.restart()


def check_repeatable(recording: Recording) -> None:
    """Raise UsageError for a run that cannot be executed anew."""
    facts = recording.facts
    if recording.is_timing:
        raise UsageError(
            "values of a simulation cannot be changed: its clock would have to run again from "
            "the start, with caches and queues as they were",
            code="SIM530",
            hint="debug the same kernel under a divergence scheme (--scheme) and change it there",
        )
    if facts["scheme"].get("own"):
        raise UsageError(
            f"this run cannot be executed anew: its scheme {facts['scheme']['name']} is a class "
            "that the recording does not contain",
            code="SIM530",
            hint="give the scheme as a file: --scheme F.py",
        )


def repeat(recording: Recording, edits: Sequence[Edit], most: int) -> Recording:
    """Return the recording of the same launches with some values changed on the way.

    A run that now traps or hangs is recorded up to there.
    """
    check_repeatable(recording)
    facts = recording.facts
    recorder = DebugRecorder(facts["title"], edits, most)
    memory = Memory()
    for b in facts["buffers"]:
        memory.buffers.append(Buffer(b["name"], b["address"], np.zeros(b["size"], np.uint8)))
    memory.buffers.sort(key=lambda b: b.base)
    programs = [load(text) for text in recording.programs]
    scheme = SchemeSpec(facts["scheme"]["name"], dict(facts["scheme"]["knobs"]))
    try:
        for launch in facts["launches"]:
            for part in launch["buffers"]:
                buffer = memory.find(facts["buffers"][part["buffer"]]["address"])
                assert buffer is not None
                end_of_part = part["offset"] + part["size"]
                buffer.host[: part["size"]] = recording.memory[part["offset"] : end_of_part]
            described = facts["kernels"][launch["kernel"]]
            program = programs[described["program"]]
            geometry = Geometry(
                tuple(launch["items"]), tuple(launch["group_size"]), recording.width
            )
            recorder.run(
                Work(
                    program, program.kernel(described["name"]), geometry,
                    bytes.fromhex(launch["kernargs"]), memory, scheme,
                    budget=launch["budget"], exited_arrive=launch["exited_arrive"],
                )
            )  # fmt: skip
    except UsageError:
        raise
    except SimtError:
        pass  # a trap: the recording has its text, and ends there
    found = recorder.finish()
    # What an object file does not have.
    types = {b["address"]: b["type"] for b in facts["buffers"]}
    for b in found.facts["buffers"]:
        b["type"] = types[b["address"]]
    for described, original in zip(found.facts["kernels"], facts["kernels"], strict=False):
        described["instructions"] = original["instructions"]
    found.facts["sources"] = facts["sources"]
    return found
