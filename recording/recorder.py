"""What both recorders share: launches, memory, occupants of warps, and the facts of the run."""

from __future__ import annotations

import platform
import zlib
from importlib import metadata
from typing import Any

import numpy as np

from ..emu.engine import Work
from ..isa import expect
from ..isa.errors import SimtError, UsageError
from ..isa.objectfile import dumps
from ..isa.version import __version__
from .kernels import described
from .recording import FORMAT, MARK, Recording
from .tables import EVERYTHING, INSTANTS, Rows

MOST = 100_000
"""Issues that are kept by default: as many as the page shows without delay."""

NEVER = (1 << 62) - 1

MOST_MEMORY = 256 << 20
"""Bytes of buffers that a recording keeps; those of a larger run cannot be replayed."""


class Recorder:
    """Collects one run; `finish` returns the recording.

    It covers the times from `begin` up to `end`, and at most `most` issues.
    """

    unit = "step"

    def __init__(self, title: str = "", begin: int = 0, end: int = NEVER, most: int = MOST) -> None:
        if not 0 <= begin < end:
            raise UsageError(
                f"the window of the recording is empty: {self.unit} {begin} up to {end}",
                code="SIM515",
                hint="give the first one, then one after the last, as in --record-window 100:200",
            )
        self.title, self.begin, self.end = title, begin, end
        self.most = expect.whole(most, "the most issues of a recording", 1, 1 << 26)
        self.rows = Rows()
        self.lost = 0
        self.facts: dict[str, Any] = {}
        self.width = 0
        self._kernels: list[dict[str, Any]] = []
        self._keys: dict[tuple[Any, ...], int] = {}
        self._programs: list[bytes] = []
        self._launches: list[dict[str, Any]] = []
        self._buffers: dict[int, dict[str, Any]] = {}
        self._contents: dict[int, np.ndarray] = {}
        """Base address -> content at the end of the launch before."""
        self._memory: list[np.ndarray] = []
        self._kept = 0
        self._outcome: dict[str, str] | None = None

    @property
    def has_begun(self) -> bool:
        """Whether a launch has begun."""
        return bool(self._launches)

    def run(self, work: Work) -> Any:
        """Run and record one launch, in place of an engine."""
        raise NotImplementedError

    def put_issue(self, t: int, warp: int, group: int, pc: int, n: int, mask: int) -> bool:
        """Add an issue of the current launch; return whether it is kept."""
        if not self.begin <= t < self.end:
            return False
        if len(self.rows.issue) >= self.most:
            self.lost += 1
            return False
        launch = len(self._launches) - 1
        self.rows.issue.append((t, warp, group, launch, pc, n, mask & EVERYTHING))
        return True

    # --- launches

    def begin_launch(self, work: Work, t: int) -> None:
        """Note a launch that begins at `t`: its kernel, shape, arguments and memory."""
        self.width = work.geometry.width
        self._launches.append(
            {
                "kernel": self._kernel(work),
                "t": t,
                "groups": list(work.geometry.groups),
                "group_size": list(work.geometry.group_size),
                "items": list(work.geometry.items),
                "arguments": _arguments(work),
                "kernargs": work.kernargs.hex(),
                "budget": work.budget,
                "exited_arrive": work.exited_arrive,
                "buffers": self._changed(work),
            }
        )

    def end_launch(self, work: Work, error: BaseException | None = None) -> None:
        """Note the end of a launch, and the error that ended it."""
        self._contents = {b.base: b.host[: b.size].copy() for b in work.memory.buffers if b.alive}
        if isinstance(error, SimtError):
            self._outcome = {"code": error.diagnostics[0].code, "text": str(error)}

    def _kernel(self, work: Work) -> int:
        key = (work.program.digest, work.kernel.name)
        number = self._keys.get(key)
        if number is None:
            number = self._keys[key] = len(self._kernels)
            text = dumps(work.program)
            if text not in self._programs:
                self._programs.append(text)
            described_kernel = described(work.program, work.kernel)
            described_kernel["program"] = self._programs.index(text)
            self._kernels.append(described_kernel)
            self.facts.setdefault("sources", {}).update(work.program.sources)
        return number

    def _changed(self, work: Work) -> list[dict[str, int]]:
        """Return the buffers that the host has changed since the launch before, or made."""
        found: list[dict[str, int]] = []
        types = {int(a["value"]): a["type"] for a in _arguments(work) if a["pointer"]}
        for buffer in work.memory.buffers:
            if not buffer.alive:
                continue
            if buffer.base not in self._buffers:
                self._buffers[buffer.base] = {
                    "name": buffer.name, "address": buffer.base, "size": int(buffer.size),
                    "type": types.get(buffer.base, "u8"),
                }  # fmt: skip
            elif self._buffers[buffer.base]["type"] == "u8" and buffer.base in types:
                self._buffers[buffer.base]["type"] = types[buffer.base]
            before = self._contents.get(buffer.base)
            if before is not None and np.array_equal(before, buffer.host[: buffer.size]):
                continue
            if self._kept + buffer.size > MOST_MEMORY:
                self.facts["memory_is_kept"] = False
                continue
            number = list(self._buffers).index(buffer.base)
            size = int(buffer.size)
            found.append({"buffer": number, "offset": self._kept, "size": size})
            self._memory.append(buffer.host[:size].copy())
            self._kept += size
        return found

    # --- the end

    def finish(self, **facts: Any) -> Recording:
        """Return the recording. `facts` are further entries."""
        tables = self.rows.arrays()
        issues = tables["issue"]
        last = int((issues["t"] + issues["n"]).max()) if len(issues) else self.begin
        is_cut = self.lost > 0 or self.end < NEVER
        every = {
            "format": MARK,
            "version": FORMAT,
            "unit": self.unit,
            "title": self.title,
            "begin": self.begin,
            "end": min(self.end, last) if is_cut else last,
            "lost": self.lost,
            "width": self.width,
            "outcome": self._outcome,
            "versions": versions(),
            "sources": {},
            "kernels": self._kernels,
            "launches": self._launches,
            "buffers": list(self._buffers.values()),
            "instants": list(INSTANTS),
            "causes": [],
            "memory_is_kept": True,
            "final": {str(base): zlib.crc32(data.data) for base, data in self._contents.items()},
            **self.facts,
            **facts,
            "states": self.rows.states,
        }
        memory = np.concatenate(self._memory) if self._memory else np.zeros(0, np.uint8)
        return Recording(every, tables, memory, list(self._programs))


def versions() -> dict[str, str]:
    """Return the versions of what makes a recording."""
    return {
        "simtlab": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvmlite": metadata.version("llvmlite"),
    }


def _arguments(work: Work) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for param in work.kernel.params:
        raw = work.kernargs[param.offset : param.offset + param.size]
        if param.is_pointer:
            value: int | float = int.from_bytes(raw, "little")
        else:
            value = np.frombuffer(raw, param.type.numpy)[0].item()
        found.append({"name": param.name, "type": str(param.type), "value": _plain(value),
                      "pointer": param.is_pointer})  # fmt: skip
    return found


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: numbers without one become texts."""
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value
