"""Whether a recording that was read agrees with itself: shapes, numbers that name others, bounds.

The bytes of a file may be whole and its contents still impossible, where another program has
written or changed it. What reads recordings relies on what is checked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asm.load import load
from ..emu.geometry import MAX_WIDTH, Geometry
from ..isa.program import Kernel
from ..isa.types import TYPES
from .kernels import described
from .schema import (
    LATEST,
    Place,
    Unsound,
    anything,
    by_name,
    each,
    expected,
    flag,
    hexadecimal,
    maybe,
    number,
    one_of,
    record,
    row,
    text,
    whole,
)
from .tables import INSTANTS, TABLES

if TYPE_CHECKING:
    from .recording import Recording

_ANY = whole(-(1 << 63), (1 << 64) - 1)
_COUNT = whole(0, LATEST)
_TYPE = one_of([name for name, kind in TYPES.items() if kind.bits >= 8])
_DIMENSIONS = row(*[whole(1, (1 << 32) - 1)] * 3)

_FACTS = record(
    {
        "kind": one_of(["functional", "timing"]),
        "unit": one_of(["step", "cycle"]),
        "title": text,
        "begin": _COUNT,
        "end": _COUNT,
        "lost": _COUNT,
        "width": whole(1, MAX_WIDTH),
        "outcome": maybe(record({"code": text, "text": text})),
        "sources": by_name(text),
        "causes": each(text),
        "instants": each(text),
        "warps": each(text),
        "memory_is_kept": flag,
        "final": by_name(whole(0, (1 << 32) - 1)),
        "statistics": by_name(anything),
        "buffers": each(
            record({"name": text, "address": _COUNT, "size": _COUNT, "type": _TYPE})
        ),
    }
)  # fmt: skip
_SCHEME = record({"name": text, "knobs": by_name(anything)}, {"own": flag})

_STATUSES = ("run", "wait", "held", "slotless", "barrier-wait", "parked")
_REASONS = ("ready", "rpc-wait", "branch-wait", "barrier-wait", "parked")


def check(recording: Recording) -> None:
    """Raise Unsound unless the recording agrees with itself.

    Its kernels become what their object files say, with the file's lines of source.
    """
    facts = recording.facts
    _FACTS(facts, "")
    if facts["end"] < facts["begin"]:
        raise Unsound(f"its end, {facts['end']:,}, is before its begin, {facts['begin']:,}")
    if recording.is_timing:
        record({"machine": by_name(anything), "policy": text})(facts, "")
    else:
        record({"scheme": _SCHEME})(facts, "")
    if missing := [name for name in INSTANTS if name not in facts["instants"]]:
        raise Unsound(f"instants has no {missing[0]}")
    kernels = _kernels(recording)
    _buffers(recording)
    _launches(recording, kernels)
    _states(facts, max((len(k.instructions) for k in kernels), default=0))
    _tables(recording, kernels)


def _kernels(recording: Recording) -> list[Kernel]:
    """Describe the kernels anew by their object files; return them."""
    line = maybe(whole(1, 1 << 31))
    lines = each(record({"text": text, "file": maybe(text), "line": line, "column": line}))
    programs = [load(content) for content in recording.programs]
    each(
        record({"name": text, "program": whole(0, len(programs) - 1), "instructions": lines})
    )(recording.facts.get("kernels"), "kernels")  # fmt: skip
    found: list[Kernel] = []
    for at, facts in enumerate(recording.facts["kernels"]):
        program = programs[facts["program"]]
        try:
            kernel = program.kernel(facts["name"])
        except KeyError:
            raise Unsound(
                f"kernels[{at}] is called {facts['name']}, which is not in its object file"
            ) from None
        written = facts["instructions"]
        if len(written) != len(kernel.instructions):
            raise Unsound(
                f"kernels[{at}] has {len(written):,} instructions, and its object file has "
                f"{len(kernel.instructions):,}"
            )
        anew = described(program, kernel)
        for ins, old in zip(anew["instructions"], written, strict=True):
            ins.update({key: old[key] for key in ("text", "file", "line", "column")})
        facts.update(anew)
        found.append(kernel)
    return found


def _buffers(recording: Recording) -> None:
    """Check that buffers do not overlap, and are no larger than what the file has of them."""
    facts = recording.facts
    end = 0
    for b in sorted(facts["buffers"], key=lambda b: b["address"]):
        if b["address"] < end:
            raise Unsound(f"buffer {b['name']} overlaps the buffer before it")
        end = b["address"] + b["size"]
        if facts["memory_is_kept"] and b["size"] > recording.memory.size:
            raise Unsound(f"buffer {b['name']} has more bytes than the recording")


def _launches(recording: Recording, kernels: Sequence[Kernel]) -> None:
    facts = recording.facts
    buffers = facts["buffers"]
    argument = record({"name": text, "type": _TYPE, "value": number, "pointer": flag})
    each(
        record(
            {
                "kernel": whole(0, len(kernels) - 1), "t": _COUNT,
                "groups": _DIMENSIONS, "group_size": _DIMENSIONS, "items": _DIMENSIONS,
                "arguments": each(argument), "kernargs": text,
                "budget": whole(1, (1 << 64) - 1), "exited_arrive": flag,
                "buffers": each(
                    record(
                        {"buffer": whole(0, len(buffers) - 1), "offset": _COUNT, "size": _COUNT}
                    )
                ),
            }
        )
    )(facts.get("launches"), "launches")  # fmt: skip
    before = 0
    for at, launch in enumerate(facts["launches"]):
        place, kernel = f"launches[{at}]", kernels[launch["kernel"]]
        if launch["t"] < before:
            raise Unsound(f"{place}.t is before the launch before it")
        before = launch["t"]
        shape = Geometry(tuple(launch["items"]), tuple(launch["group_size"]), recording.width)
        if list(shape.groups) != launch["groups"]:
            raise expected(f"{list(shape.groups)}", launch["groups"], f"{place}.groups")
        _arguments(launch, kernel, place)
        for number_of_part, part in enumerate(launch["buffers"]):
            most = min(
                buffers[part["buffer"]]["size"], recording.memory.size - part["offset"]
            )  # fmt: skip
            if part["size"] > most:
                raise Unsound(f"{place}.buffers[{number_of_part}] is beyond its buffer")


def _arguments(launch: dict[str, Any], kernel: Kernel, place: str) -> None:
    """Check arguments against the parameters of their kernel."""
    given = [(a["name"], a["type"], a["pointer"]) for a in launch["arguments"]]
    if given != [(p.name, str(p.type), p.is_pointer) for p in kernel.params]:
        raise Unsound(f"{place}.arguments do not fit {kernel.signature}")
    for argument in launch["arguments"]:
        if argument["pointer"]:
            whole(0, (1 << 64) - 1)(argument["value"], f"{place}, argument {argument['name']}")
    try:
        size = len(bytes.fromhex(launch["kernargs"]))
    except ValueError:
        size = -1
    if size != kernel.kernarg_size:
        raise expected(
            f"{kernel.kernarg_size} bytes in hexadecimal", launch["kernargs"], f"{place}.kernargs"
        )


def _states(facts: dict[str, Any], instructions: int) -> None:
    pc, mask = maybe(whole(-1, instructions - 1)), hexadecimal((1 << facts["width"]) - 1)
    cause = one_of(facts["causes"])
    stack = each(row(pc, pc, mask))
    group = {"id": _ANY, "mask": mask, "pc": pc, "status": one_of(_STATUSES)}
    more = {"ready": _ANY, "cause": cause}
    rest = {"stack": stack, "parts": each(row(_ANY, cause)), "count": _ANY}
    running, waiting = record(group, {**more, **rest}), record({**group, **more}, rest)

    def any_group(value: Any, place: Place) -> None:
        waits = isinstance(value, dict) and value.get("status") == "wait"
        (waiting if waits else running)(value, place)

    each(
        record(
            {},
            {
                "stack": stack,
                "pairs": each(row(pc, mask, pc, mask)),
                "groups": each(any_group),
                "waiting": each(row(mask, pc, one_of(_REASONS))),
                "entries": _ANY,
            },
        )
    )(facts.get("states"), "states")


def _tables(recording: Recording, kernels: Sequence[Kernel]) -> None:
    facts, tables = recording.facts, recording.tables
    longest = max((len(k.instructions) for k in kernels), default=0)
    lengths = np.array(
        [len(kernels[launch["kernel"]].instructions) for launch in facts["launches"]], np.int64
    )
    counts = {
        "warp": len(facts["warps"]), "launch": len(facts["launches"]), "row": len(facts["states"]),
        "cause": len(facts["causes"]), "kind": len(facts["instants"]), "pc": longest,
    }  # fmt: skip
    lanes = (1 << recording.width) - 1
    for name, rows in tables.items():
        times = rows["t"]
        if (times < 0).any() or (times > LATEST).any() or (np.diff(times) < 0).any():
            raise Unsound(f"the times of table {name} are not in order")
        for column in TABLES[name].names or ():
            if column in counts:
                least = -1 if column == "pc" else 0
                _within(rows[column], name, column, least, counts[column] - 1)
            elif column in ("mask", "other", "hits"):
                _within(rows[column], name, column, 0, lanes)
    issues = tables["issue"]
    _within(issues["t"], "issue", "t", recording.begin, max(recording.begin, recording.end - 1))
    _within(issues["n"], "issue", "n", 1, longest)
    _within(issues["pc"], "issue", "pc", 0, longest - 1)
    ends = issues["pc"].astype(np.int64) + issues["n"]
    if (ends > lengths[issues["launch"]]).any() if len(issues) else False:
        at = int(np.flatnonzero(ends > lengths[issues["launch"]])[0])
        raise Unsound(f"issue {at:,} is beyond the end of its kernel")


def _within(values: np.ndarray, table: str, column: str, least: int, most: int) -> None:
    wrong = np.flatnonzero((values < least) | (values > most))
    if len(wrong):
        at = int(wrong[0])
        raise Unsound(
            f"row {at:,} of table {table} has {column} {int(values[at]):,}; expected "
            f"{least:,} to {most:,}"
        )
