"""Traces of simulations: collected from the engine, stored in one file, shown in other tools.

A `.npz` file is the trace itself, with everything needed to read it years later: program text,
machine, policy, versions, seed and command line. `.json.gz` is for Perfetto and Chrome, one track
for each warp-split; `.kanata` for Konata.
"""

from __future__ import annotations

import gzip
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...isa import expect
from ...isa.errors import UsageError, either
from ..engine.causes import BARRIER, NAMES
from ..engine.intrinsics import NEVER
from ..engine.trace_events import EVENT

if TYPE_CHECKING:
    from ..compiler.engine_state import EngineState
    from ..compiler.files import Policy
    from ..compiler.launched import Code
    from ..machines.machine import Machine

EV_ISSUE, EV_ACCESS, EV_DISPATCH = range(3)  # as in account.py, which is engine code

FORMAT = 1
"""Version of the .npz file."""

MOST = 1 << 24
"""Most events that are kept (about 0.9 GB); later ones are counted as lost."""

SUFFIXES = (".npz", ".json.gz", ".json", ".kanata")

SEGMENT_FIELDS = ("n_instr", "kind", "first_pc", "last_pc", "space")


@dataclass
class Trace:
    """Events of a run, or of the cycles from `begin` up to `end` of it.

    `events` is an array of records (trace_events.EVENT) in the order of simulation; `kernels` maps
    the number of a launch, from 1, to its kernel in `codes`; `facts` are the file's other entries.
    """

    begin: int = 0
    end: int = NEVER
    most: int = MOST
    lost: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    codes: list[dict[str, Any]] = field(default_factory=list)
    kernels: dict[int, int] = field(default_factory=dict)
    _parts: list[np.ndarray] = field(default_factory=list)
    _length: int = 0

    def __post_init__(self) -> None:
        """Raise UsageError where no cycle is in the window."""
        if self.begin >= self.end:
            raise UsageError(
                f"a trace from cycle {self.begin} up to cycle {self.end} has no cycle",
                code="SIM515",
                hint="give a first cycle below the last, for example --trace-window 100:200 (or "
                "trace=(100, 200))",
            )

    @property
    def events(self) -> np.ndarray:
        """All events."""
        if len(self._parts) != 1:
            data = b"".join(part.tobytes() for part in self._parts)
            self._parts = [np.frombuffer(data, EVENT)]
        return self._parts[0]

    # --- collecting

    def open(self, state: EngineState) -> None:
        """Set the cycles that the engine records."""
        state.S.trace_begin, state.S.trace_end = self.begin, self.end

    def launched(self, number: int, code: Code) -> None:
        """Note that a launch of a kernel begins."""
        text = _described(code)
        if text not in self.codes:
            self.codes.append(text)
        self.kernels[number] = self.codes.index(text)

    def drain(self, state: EngineState) -> None:
        """Take the events that the engine has recorded."""
        n = min(int(state.S.trace_length), max(0, self.most - self._length))
        self.lost += int(state.S.trace_length) - n + int(state.S.trace_lost)
        state.S.trace_length = state.S.trace_lost = 0
        self._length += n
        # As bytes: NumPy copies records field by field.
        records = state.rows["trace"][:n]
        self._parts.append(np.frombuffer(records.tobytes(), records.dtype))

    # --- files

    def save(self, path: str | Path) -> None:
        """Write the trace; the name's end chooses the form. Raises UsageError and OSError."""
        name = str(path)
        check_name(name)
        if name.endswith(".npz"):
            facts = {**self.facts, "format": FORMAT, "begin": self.begin, "end": self.end,
                     "lost": self.lost, "codes": self.codes, "causes": NAMES,
                     "kernels": sorted(self.kernels.items())}  # fmt: skip
            columns = {n: self.events[n] for n in EVENT.names or ()}
            with open(path, "wb") as file:
                arrays: dict[str, Any] = {"facts": np.array(json.dumps(facts)), **columns}
                np.savez_compressed(file, **arrays)
        elif name.endswith(".kanata"):
            Path(path).write_text("\n".join(self.kanata()) + "\n", encoding="utf-8")
        else:
            data = json.dumps(self.perfetto()).encode()
            # No time stamp in the file: equal traces are equal bytes.
            Path(path).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)

    @staticmethod
    def load(path: str | Path) -> Trace:
        """Read a .npz file. Raises UsageError where it is not a trace, and OSError."""
        name = expect.path(path, "a trace")
        try:
            return Trace._read(name)
        except (OSError, UsageError):
            raise
        except Exception as problem:  # there are many ways in which a file can be damaged
            raise UsageError(f"{name} is not a trace: {problem}", code="SIM510") from None

    @staticmethod
    def _read(path: str) -> Trace:
        with np.load(path, allow_pickle=False) as file:
            facts = json.loads(str(file["facts"]))
            columns = {n: file[n] for n in file.files if n != "facts"}
        if facts["format"] != FORMAT:
            raise UsageError(f"{path} is a trace of format {facts['format']}", code="SIM510")
        events = np.zeros(len(columns["t"]), EVENT)
        for name, column in columns.items():
            events[name] = column
        own = ("begin", "end", "lost", "codes", "kernels", "causes", "format")
        return Trace(
            begin=facts["begin"],
            end=facts["end"],
            lost=facts["lost"],
            facts={k: v for k, v in facts.items() if k not in own},
            codes=facts["codes"],
            kernels=dict(facts["kernels"]),
            _parts=[events],
        )

    # --- spans of time

    def spans(self) -> Iterator[Span]:
        """Yield the spans of each group, in the order of their ends within a group."""
        last: dict[int, tuple[int, int]] = {}  # group -> (seq, end of its last span)
        for event in self.events:
            g, seq, t = int(event["g"]), int(event["seq"]), int(event["t"])
            code = self.codes[self.kernels[int(event["launch"])]]
            segment = code["segments"][int(event["seg"])]
            where = {
                "w": int(event["w"]), "g": g, "seq": seq, "mask": int(event["mask"]),
                "code": code, "segment": segment,
            }  # fmt: skip
            last_seq, end = last.get(g, (-1, 0))
            if event["kind"] == EV_ISSUE:
                end = t + segment["n_instr"]
                yield Span(t, end, "issued", **where)
            elif event["kind"] == EV_DISPATCH:
                ready = min(int(event["ready"]), t)
                if last_seq == seq and ready > end:
                    yield Span(end, ready, NAMES[int(event["cause"])], **where)
                if last_seq == seq and t > max(ready, end):
                    yield Span(max(ready, end), t, "ready", **where)
                end = t
            else:
                missed = int(event["mask"]) & ~int(event["hits"]) & (1 << 64) - 1
                if missed:
                    yield Span(t, t, "miss", **where, lanes=missed)
                end = max(end, t + 1)
            last[g] = seq, end

    def perfetto(self) -> dict[str, Any]:
        """Return the trace-event form of Chrome, which Perfetto reads; a cycle is a microsecond."""
        width = int(self.facts.get("width", 64))
        found: list[dict[str, Any]] = []
        tracks: set[tuple[int, int]] = set()
        for span in self.spans():
            tracks.add((span.w, span.g))
            place = {"pid": span.w, "tid": span.g, "ts": span.begin}
            if span.what == "miss":
                args = {"lanes": _lanes(span.lanes, width)}
                found.append({"ph": "i", "s": "t", "name": "miss", "args": args, **place})
                continue
            args = {"lanes": _lanes(span.mask, width), "line": span.line, "source": span.text}
            name = span.text if span.what == "issued" else span.what
            found.append({"ph": "X", "dur": span.end - span.begin, "name": name,
                          "cat": span.what, "args": args, **place})  # fmt: skip
            if span.what == "issued":
                lanes = {"active": (span.mask & (1 << 64) - 1).bit_count()}
                found.append({"ph": "C", "name": "lanes", "args": lanes, "pid": span.w,
                              "ts": span.begin})  # fmt: skip
        found.sort(key=lambda e: (e["ts"], e["pid"], e.get("tid", -1)))
        names = [
            {"ph": "M", "name": "process_name", "pid": w, "args": {"name": f"WPU {w}"}}
            for w in sorted({w for w, _ in tracks})
        ]
        for w, g in sorted(tracks):
            title = f"warp {g // width} split {g % width}"
            names.append({"ph": "M", "name": "thread_name", "pid": w, "tid": g,
                          "args": {"name": title}})  # fmt: skip
        return {"traceEvents": names + found, "otherData": self.facts}

    def kanata(self) -> Iterator[str]:
        """Yield the form of Konata: an instruction for each segment that was issued."""
        commands: list[tuple[int, int, str]] = []
        number = -1
        current: dict[int, tuple[int, int]] = {}  # group -> (its instruction, end)

        def retire(g: int) -> None:
            instruction, end = current.pop(g)
            commands.append((end, instruction, f"R\t{instruction}\t{instruction}\t0"))

        for span in self.spans():
            if span.what == "miss":
                continue
            if span.what == "issued":
                if span.g in current:
                    retire(span.g)
                number += 1
                commands += [
                    (span.begin, number, f"I\t{number}\t{number}\t{span.g}"),
                    (span.begin, number, f"L\t{number}\t0\t{span.line or '-'}: {span.text}"),
                ]
                instruction = number
            elif span.g in current:
                instruction = current[span.g][0]
            else:
                continue
            stage = _STAGES.get(span.what, span.what)
            commands.append((span.begin, instruction, f"S\t{instruction}\t0\t{stage}"))
            commands.append((span.end, instruction, f"E\t{instruction}\t0\t{stage}"))
            current[span.g] = instruction, span.end
        for g in list(current):
            retire(g)
        commands.sort(key=lambda c: c[0])
        yield "Kanata\t0004"
        now = commands[0][0] if commands else 0
        yield f"C=\t{now}"
        for t, _, command in commands:
            if t > now:
                yield f"C\t{t - now}"
                now = t
            yield command


_STAGES = {"issued": "Is", "ready": "Rd", "memory": "Me", "hit": "Hi", NAMES[BARRIER]: "Ba"}


@dataclass(frozen=True)
class Span:
    """What a group did from one cycle up to another."""

    begin: int
    end: int
    what: str
    """`issued`, `miss`, or a cause of waiting."""
    w: int
    g: int
    seq: int
    """The group's unique number; group ids are reused."""
    mask: int
    code: Mapping[str, Any] = field(repr=False)
    segment: Mapping[str, Any] = field(repr=False)
    lanes: int = 0
    """Those that missed."""

    @property
    def line(self) -> int | None:
        """The source line: of the first instruction, or of the access that is waited for."""
        return self._instruction["line"]

    @property
    def text(self) -> str:
        """That line's text."""
        return self._instruction["text"]

    @property
    def _instruction(self) -> Mapping[str, Any]:
        which = "first_pc" if self.what == "issued" else "last_pc"
        return self.code["instructions"][self.segment[which]]


def facts_of(machine: Machine, policy: Policy, **more: Any) -> dict[str, Any]:
    """Return what a file says of the run: machine, policy, versions, and the caller's additions."""
    return {
        "simtlab": _version(),
        "python": platform.python_version(),
        "numba": metadata.version("numba"),
        "machine": machine.model_dump(mode="json"),
        "policy": policy.name,
        "width": machine.width,
        **more,
    }


def _version() -> str:
    from ...isa.version import __version__

    return __version__


def check_name(path: str) -> None:
    """Raise UsageError for a name without the ending of a known form."""
    if not path.endswith(SUFFIXES):
        raise UsageError(
            f"a trace ends in {either(SUFFIXES)}, not {path!r}",
            code="SIM515",
            hint=".json.gz is for Perfetto, .kanata for Konata, .npz keeps everything",
        )


def _described(code: Code) -> dict[str, Any]:
    instructions: list[dict[str, Any]] = []
    for pc in range(len(code.kernel.instructions)):
        span = code.program.span(code.kernel, pc)
        text = code.program.line_of(code.kernel, pc)
        instructions.append(
            {"file": span.file if span else None, "line": span.line if span else None, "text": text}
        )
    segments = [{n: int(row[n]) for n in SEGMENT_FIELDS} for row in code.segments.table]
    return {
        "kernel": code.kernel.signature,
        "program": code.program.digest,
        "sources": dict(code.program.sources),
        "instructions": instructions,
        "segments": segments,
    }


def _lanes(mask: int, width: int) -> str:
    """Return a mask with lane 0 first."""
    return "".join("1" if mask >> lane & 1 else "0" for lane in range(width))
