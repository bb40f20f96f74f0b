"""What a session shows, as lines of text: for the prompt, scripts and the panes of the terminal."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..emu import wording
from ..isa.errors import UsageError, did_you_mean
from ..isa.types import TYPES
from .expressions import Element, Register, evaluate, parse
from .paths import Path, entries
from .places import Memory, memories, register_type
from .session import Session
from .values import decode, elements, readings, register_size, shown_element, shown_value
from .values import type_of as type_of_format

Array = np.ndarray

CONTEXT = 5
"""Source lines shown before and after the current one."""

MOST_ELEMENTS = 256
"""Elements of memory that one command prints."""


def mask_text(session: Session, mask: int) -> str:
    """Return a mask with lane 0 on the left, as the papers write it."""
    return wording.mask_text(mask, session.recording.width)


def lanes_text(mask: int) -> str:
    """Return the lanes of a mask as ranges: `0-3, 7`."""
    return wording.lane_list(mask).replace(",", ", ") or "none"


def place_text(kernel: dict[str, Any], pc: int | None) -> str:
    """Return `merge.sasm:93 @key+2 (pc 13)`: where an instruction is."""
    if pc is None or not 0 <= pc < len(kernel["instructions"]):
        return "-"
    ins = kernel["instructions"][pc]
    parts = [f"{ins['file']}:{ins['line']}"] if ins["file"] else []
    label = label_text(kernel, pc)
    return " ".join([*parts, *([label] if label else []), f"(pc {pc})"])


def label_text(kernel: dict[str, Any], pc: int | None) -> str:
    """Return `@key+2`: the label before an instruction, and how far it is from there."""
    labels = [(at, name) for name, at in kernel["labels"].items() if pc is not None and at <= pc]
    if pc is None or not labels:
        return ""
    at, name = max(labels)
    return f"@{name}" + (f"+{pc - at}" if pc > at else "")


def location(session: Session) -> list[str]:
    """Return where the session is: time, warp, lane, and the next instruction of the warp."""
    facts = session.recording.facts
    mark = "[edited] " if session.is_edited else ""
    kernel = session.kernel["name"] if session.timeline.n else "-"
    launches = len(facts["launches"])
    launch = f", launch {session.launch} of {launches}" if launches > 1 else ""
    head = (
        f"{mark}{facts['unit']} {session.t:,}, {kernel}{launch}, {facts['warps'][session.warp]}, "
        f"lane {session.lane}{_item(session)}"
    )
    pc = session.next_pc
    if pc is None:
        return [head, "   this warp issues nothing more" + _stuck(session)]
    ins = session.kernel["instructions"][pc]
    line = f"{ins['line']:>5} | " if ins["line"] else f"{pc:>5}: "
    mask = session.next_mask
    return [
        head,
        f"=> {line}{ins['text'].strip()}",
        f"   lanes {mask_text(session, mask)}, {mask.bit_count()} of {session.recording.width}, "
        f"at {place_text(session.kernel, pc)}",
    ]


def _stuck(session: Session) -> str:
    waiting = sum(
        p.mask.bit_count() for p in session.paths() if p.status not in ("ended", "no work-item")
    )
    return f"; {waiting} of its lanes have not returned" if waiting else " in this launch"


def _item(session: Session) -> str:
    try:
        return f" (work-item {session.value('item')})"
    except UsageError:
        return " (no work-item)"


def source(session: Session, around: int | None = None, context: int = CONTEXT) -> list[str]:
    """Return source lines, marked: `=>` next, `>` other paths, `*` breakpoints."""
    kernel, pc = session.kernel, session.next_pc
    rows = kernel["instructions"]
    file = rows[pc or 0]["file"]
    text = session.recording.facts["sources"].get(file) if file else None
    if text is None:
        return disassembly(session, pc, context)
    lines = text.splitlines()
    marks = line_marks(session, file)
    centre = around or (rows[pc]["line"] if pc is not None else None) or 1
    first, last = max(1, centre - context), min(len(lines), centre + context)
    return [
        f"{'*' if number in broken(session, file) else ' '}{marks.get(number, ''):>2} "
        f"{number:>5} | {lines[number - 1]}"
        for number in range(first, last + 1)
    ]


def line_marks(session: Session, file: str) -> dict[int, str]:
    """Return line -> `=>` for the next instruction of the warp in focus, `>` for other paths."""
    found: dict[int, str] = {}
    rows = session.kernel["instructions"]
    for path in session.paths():
        if path.pc is not None and path.pc < len(rows) and rows[path.pc]["file"] == file:
            line = rows[path.pc]["line"]
            if path.status == "next" or line not in found:
                found[line] = "=>" if path.status == "next" else ">"
    return found


def broken(session: Session, file: str) -> set[int]:
    """Return the lines of a file with an enabled breakpoint."""
    return {p.line for p in session.breakpoints if p.file == file and p.enabled}


def disassembly(session: Session, pc: int | None = None, context: int = CONTEXT) -> list[str]:
    """Return instructions around a pc (the next one), with labels."""
    kernel = session.kernel
    centre = pc if pc is not None else session.next_pc or 0
    rows = kernel["instructions"]
    labels: dict[int, list[str]] = {}
    for name, at in kernel["labels"].items():
        labels.setdefault(at, []).append(name)
    marks = {p.pc: "=>" if p.status == "next" else ">" for p in reversed(session.paths())}
    found: list[str] = []
    for at in range(max(0, centre - context), min(len(rows), centre + context + 1)):
        found += [f"          @{name}:" for name in labels.get(at, ())]
        join = rows[at]["join"]
        more = f"   // joins at pc {join}" if join is not None else ""
        found.append(f"{marks.get(at, ''):>3} {at:>5}: {rows[at]['text'].strip()}{more}")
    return found


# --- lanes and stacks


def paths_table(session: Session, warp: int | None = None) -> list[str]:
    """Return a line for each path of a warp: its lanes, what they do, and where."""
    return [_path(session, path) for path in session.paths(warp)]


def _path(session: Session, path: Path) -> str:
    place = place_text(session.kernel, path.pc) if path.pc is not None else ""
    mark = "=>" if path.status == "next" else "  "
    return f"{mark} {mask_text(session, path.mask)}  {path.status:<18} {place}".rstrip()


def warps_table(session: Session) -> list[str]:
    """Return a line for each warp: its next lanes and where they are."""
    timeline, facts = session.timeline, session.recording.facts
    found: list[str] = []
    for warp in timeline.warps:
        own = timeline.next_of(warp, session.position)
        mark = "*" if warp == session.warp else " "
        text = "issues nothing more"
        if own is not None and timeline.launch[own] == session.launch:
            place = place_text(session.kernel, int(timeline.pc[own]))
            text = f"{mask_text(session, int(timeline.mask[own]))}  {place}"
        found.append(f"{mark}{warp:>4}  {facts['warps'][warp]:<28} {text}")
    return found


def stack_table(session: Session) -> list[str]:
    """Return the stack, pairs and groups of the warp in focus, the top first."""
    state = session.state()
    found = [
        f"{mask_text(session, e.mask)}  {e.text:<32} {place_text(session.kernel, e.pc)}"
        for e in entries(state)
    ]
    if state.get("stack") or state.get("pairs"):
        found += [
            f"{mask_text(session, int(g['mask'], 16))}  group {g['id']}: {g['status']:<20} "
            f"{place_text(session.kernel, g['pc'])}"
            for g in state.get("groups", ())
        ]
    if n := state.get("entries"):
        found.append(f"{n} entries of the warp-split table")
    return found or ["nothing is recorded of this warp now"]


# --- values


def registers_table(session: Session) -> list[str]:
    """Return a line for each register of the lane in focus; `*` marks what has changed."""
    now = session.registers()
    if not now:
        return ["this warp context is empty"]
    rows: list[list[str]] = []
    for name, bits in now.items():
        changed = session.changed.get(name)
        mark = "*" if changed is not None and changed[session.lane] else " "
        rows.append([f"{mark}{name}", *readings(int(bits[session.lane]), name)])
    widths = [max((len(r[i]) for r in rows if len(r) == 5), default=0) for i in range(5)]
    return [
        "  ".join(f"{text:<{w}}" if i == 0 else f"{text:>{w}}"
                  for i, (text, w) in enumerate(zip(row, widths, strict=False)))
        for row in rows
    ] or ["the kernel uses no registers"]  # fmt: skip


def register_lanes(session: Session, name: str, fmt: str = "") -> list[str]:
    """Return one register in all lanes of the warp, eight to a line."""
    bits = session.registers().get(name)
    if bits is None:
        known = tuple(session.registers())
        raise UsageError(
            f"kernel {session.kernel['name']} has no register {name}",
            code="SIM532",
            hint=did_you_mean(name, known) or f"there are {', '.join(known)}",
        )
    size = register_size(name)
    type_ = type_of_format(fmt, size) if fmt else register_type(session.kernel, name)
    changed = session.changed.get(name, np.zeros(len(bits), bool))
    mask = session.next_mask
    texts = [
        ("*" if changed[lane] else "")
        + shown_value(decode(int(value), type_), fmt, size)
        + ("" if mask >> lane & 1 else "'")
        for lane, value in enumerate(bits)
    ]
    width = max(map(len, texts))
    return [f"{name} as {type_}, * changed, ' not active now"] + [
        f"{first:>4}: " + " ".join(f"{t:>{width}}" for t in texts[first : first + 8])
        for first in range(0, len(texts), 8)
    ]


def value_text(session: Session, text: str, lane: int | None = None) -> str:
    """Return an expression's value in every reading that makes sense for it."""
    node, names = parse(text), session.names(lane)
    if isinstance(node, Register) and not node.fmt:
        place = names.place(node)
        value = place.shown(place.read(session.machine))
        others = "  ".join(readings(place.bits(session.machine), node.name))
        return f"{value}  ({place.type}; {others})"
    if isinstance(node, (Register, Element)):
        place = names.place(node)
        return place.shown(place.read(session.machine))
    return shown_value(evaluate(node, names))


def memory_list(session: Session) -> list[str]:
    """Return a line for each array of memory: its name, size and place."""
    return [
        f"{m.name:<12} {m.segment:<8} {m.type}[{m.size // TYPES[m.type].size}]"
        + (f"  at 0x{m.start:x}" if m.segment == "global" else f"  at offset {m.start}")
        for m in memories(session.timeline, session.launch)
    ]


def find_memory(session: Session, name: str) -> Memory:
    """Return an array by its name. Raises UsageError."""
    known = {m.name: m for m in memories(session.timeline, session.launch)}
    if name not in known:
        raise UsageError(
            f"there is no array {name}",
            code="SIM532",
            hint=did_you_mean(name, known) or f"there are {', '.join(known) or 'none'}",
        )
    return known[name]


def memory_bytes(session: Session, memory: Memory) -> Array:
    """Return the bytes of an array now, as an array that shares memory."""
    if memory.segment == "global":
        found = session.machine.global_bytes(memory.start, memory.size)
        return np.zeros(0, np.uint8) if found is None else found
    names = session.names()
    place = 0
    if memory.segment == "group":
        place = session.machine.place(names.flat_lane())[0]
    elif memory.segment == "private":
        place = names.flat_lane()
    whole = session.machine.segment_bytes(memory.segment, place)
    return whole[memory.start : memory.start + memory.size]


def memory_table(
    session: Session, name: str, first: int = 0, count: int | None = None, fmt: str = ""
) -> list[str]:
    """Return elements of an array, eight to a line; the first 64 without a count."""
    memory = find_memory(session, name)
    content = memory_bytes(session, memory)
    usual = TYPES[memory.type]
    type_ = type_of_format(fmt, TYPES[fmt].size if fmt in TYPES else usual.size) if fmt else usual
    every = elements(content, type_)
    if not 0 <= first < max(1, len(every)):
        raise UsageError(
            f"{name}[{first}] does not exist: {name} has {len(every)} elements of {type_}",
            code="SIM532",
        )
    shown = every[first : first + (64 if count is None else min(count, MOST_ELEMENTS))]
    letter = fmt if fmt in ("x", "b") else ""
    texts = [shown_element(v, letter, type_.size) for v in shown]
    width = max(map(len, texts), default=1)
    wanted = len(every) - first if count is None else min(count, len(every) - first)
    rest = wanted - len(shown)
    lines = [
        f"{first + row:>6}: " + " ".join(f"{t:>{width}}" for t in texts[row : row + 8])
        for row in range(0, len(texts), 8)
    ]
    return lines + ([f"… {rest:,} more elements"] if rest > 0 else [])


def breakpoints_table(session: Session) -> list[str]:
    """Return a line for each breakpoint."""
    found: list[str] = []
    for point in session.breakpoints:
        parts = [f"{point.number:>3}  {'on ' if point.enabled else 'off'}  {point.text}"]
        parts += [f"if {point.condition}"] if point.condition else []
        parts += [f"hits {point.count}"] if point.count else []
        text = " ".join(parts)
        if point.problem:
            text += f"\n          not evaluated for some lanes: {point.problem}"
        found.append(text)
    return found or ["there are no breakpoints"]
