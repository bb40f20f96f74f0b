"""Random kernels with counted loops, against the oracle and the interpreter.

Counters step by any constant to a bound that is a constant, an argument, loaded, of the lane or of
an outer loop. Accesses are at places that counters give, in all segments, with strides by lane.
Lanes leave early, by data too. Some kernels trap in the first, the last or another iteration, some
have a small budget, some loops never end.
"""

from __future__ import annotations

import random

import numpy as np

from simtlab.emu.geometry import Geometry

from .example import Generator
from .launches import BUDGET, KEPT, Fenced, Launch, runs_of
from .loop_bodies import (
    FLAT,
    HOSTILE,
    ID,
    LOCAL,
    OTHER,
    PART,
    ROW_WORDS,
    ROWS,
    SHARED,
    SMALL_WORDS,
    SOURCE,
    TABLE,
    TEST,
    TWIN,
    Body,
    Pointer,
    Span,
    content,
    fault,
    own,
    source,
)
from .variants import variant

MOST_TIMES = 150
"""How often the innermost code of a kernel runs at most, if its loops end."""

MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "ne": "ne"}
OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "ne": "eq"}

SHAPES = (
    (64,), (64,), (128,), (32,), (96,), (256,), (40,), (7,), (1,), (8, 8), (16, 4), (4, 4, 4),
    (5, 3),
)  # fmt: skip


SHORT = ((16,), (32,), (32,), (20,), (8, 4), (64,), (33,), (2,))


def bound(b: Body, base: int, unit: int, most: int, target: str) -> tuple[str, int]:
    """Return an operand that is `base` or up to `most` units more, and how much more."""
    how = b.rng.randrange(24 if b.is_plain else 8) if most > 0 else 9
    if how == 0 and b.counters and b.counters[-1].high - b.counters[-1].low <= most:
        outer = b.counters[-1]
        b.emit(f"sub_u32 {target}, {outer.register}, {outer.low & 0xFFFF_FFFF}")
        extra = (outer.high - outer.low) * unit
    elif how in (1, 2):
        mask = b.rng.choice([m for m in (1, 3, 7) if m <= most])
        b.emit(f"and_u32 {target}, $s{b.rng.choice((ID, LOCAL))}, {mask}")
        if b.chance(0.4):  # lanes may have one number
            clamp = b.one_of("min", "max")
            b.emit(f"{clamp}_u32 {target}, {target}, {b.rng.randint(0, mask)}")
        extra = mask * unit
    else:
        return b.number(base), 0
    b.emit(f"mul_u32 {target}, {target}, {unit}")
    b.emit(f"add_u32 {target}, {target}, {b.number(base)}")
    return target, extra


def begin_of(b: Body, signed: bool, up: bool, reach: int) -> int:
    """Return where a counter begins that moves so far at most."""
    least, most = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
    begin = b.rng.choice((0, 0, 0, 0, 1, 2, 5, -3, 100, 1 << 31, (1 << 32) - 40, (1 << 31) - 40,
                          b.rng.randrange(1 << 32)))  # fmt: skip
    if b.chance(0.08):  # at the end of the range
        begin = most - reach if up else least + reach
    if signed and begin > most:
        begin -= 1 << 32
    return max(least, min(begin, most - reach)) if up else min(most, max(begin, least + reach))


def loop(b: Body) -> None:
    """Emit a counted loop."""
    rng, depth = b.rng, len(b.counters)
    counter, end, test = f"$s{20 + depth}", f"$s{24 + depth}", f"$c{depth}"
    head, latch, out = b.label(), b.label(), b.label()
    up, signed = b.chance(0.65), b.chance(0.4)
    step = rng.choice((1, 1, 1, 1, 2, 3, 4, 7, 64, rng.randint(1, 5000), 1 << 20))
    room = max(1, MOST_TIMES // b.times)
    trips = min(room, rng.choice((0, 1, 1, 2, 3, 4, 5, 8, 17, 33, 64)))
    kind = rng.choice(("top", "top", "bottom", "bottom", "bottom", "guarded", "early", "late"))
    exact = b.chance(0.25)
    relation = "ne" if exact else rng.choice(("lt", "lt", "le") if up else ("gt", "gt", "ge"))
    sign = 1 if up else -1
    most = min(3, room - trips)
    reach = step * (trips + 2 * most + 3)
    if reach >= 1 << 30:
        step, reach = 1, trips + 2 * most + 3
    begin = begin_of(b, signed and not exact, up, reach)
    # How often the test at the end of an iteration lets the counter pass.
    tested = trips - 1 if kind == "late" else trips
    stop = begin + sign * step * max(tested, 0 if kind == "top" else 1)
    if not exact:
        # The bound is after the last value that passes, and not after the first that does not.
        slack = rng.randrange(step) if b.chance(0.5) else 0
        stop -= sign * (slack + (step if relation in ("le", "ge") and not slack else 0))
        stop += sign * (step - 1 if relation in ("le", "ge") and not slack else 0)
    wild = b.hostile == "endless" and b.chance(0.5)
    if wild:
        stop = rng.choice((begin, 0, (1 << 32) - 1, 1 << 31, (1 << 31) - 1, rng.randrange(1 << 32)))
    # Lanes and outer loops add iterations: the bound moves away, or the beginning comes closer.
    unit = step * sign
    limit, later = bound(b, stop, unit, most, end)
    first, sooner = bound(b, begin, -unit, 0 if exact and kind != "top" else most, counter)
    if first != counter:
        b.emit(f"mov_u32 {counter}, {first}")
    apart = 0  # where the lanes' stretches begin, which may have as many iterations
    if not wild and 0 <= begin <= 100 and b.chance(0.2):
        apart = rng.choice((1, 3, trips * step + 1))
        apart = apart if apart * b.geometry.n_items < 20_000 else 1
        b.emit(f"mul_u32 $s{PART}, $s{ID}, {apart}")
        b.emit(f"add_u32 {counter}, {counter}, $s{PART}")
        b.emit(f"add_u32 {end}, $s{PART}, {limit}")
        limit = end
    elif limit != end and b.chance(0.5):
        b.emit(f"mov_u32 {end}, {limit}")
        limit = end
    begins, ends = sorted((begin, begin + sooner)), sorted((stop, stop + later))
    low = min(begins[0], ends[0])
    high = max(begins[1], ends[1]) + apart * (b.geometry.n_items - 1)
    if kind == "early":
        low, high = (low, high + step) if up else (low - step, high)
    # A loop that never ends soon leaves its buffers.
    within = high - low - apart * (b.geometry.n_items - 1)
    trips = min(max(1, -(-(within + step) // step)), 4 * MOST_TIMES)
    pointers = [_pointer(b, depth, trips)] if depth < 2 and b.chance(0.35) else []
    moved = f"{b.one_of('add', 'add', 'sub')}"
    amount = sign * step if moved == "add" else -sign * step

    def advance() -> None:
        if b.chance(0.08):
            part = rng.randrange(100)
            b.emit(f"{moved}_u32 {counter}, {counter}, {part}")
            b.emit(f"{moved}_s32 {counter}, {counter}, {(amount - part) & 0xFFFF_FFFF}")
        else:
            by = b.number(amount) if b.chance(0.07) else amount & 0xFFFF_FFFF
            b.emit(f"{moved}_{b.one_of('u', 's')}32 {counter}, {counter}, {by}")

    def compare(stays: bool) -> None:
        how = relation if stays else OPPOSITE[relation]
        type_ = "s32" if signed else "u32"
        a, c = counter, limit
        if b.chance(0.3):
            how, a, c = {**MIRRORED, "eq": "eq"}[how], limit, counter
        b.emit(f"cmp_{how}_{type_} {test}, {a}, {c}")

    if kind == "guarded":
        compare(stays=False)
        b.emit(f"cbr {test}, {out}")
    b.place(head)
    if kind == "top":
        compare(stays=False)
        b.emit(f"cbr {test}, {out}")
    if kind == "early":
        advance()
    b.counters.append(Span(counter, low, high))
    b.pointers += pointers
    b.exits.append(out)
    times, b.times = b.times, b.times * trips
    _body(b, latch)
    b.times = times
    b.exits.pop()
    b.place(latch)
    for pointer in pointers:
        b.emit(f"add_u64 {pointer.register}, {pointer.register}, {pointer.step}")
    b.pointers = [p for p in b.pointers if p not in pointers]
    b.counters.pop()
    if kind == "late":
        compare(stays=True)
        advance()
    elif kind != "early":
        advance()
    if kind == "top":
        b.emit(f"br {head}")
    else:
        if kind != "late":
            compare(stays=True)
        if b.chance(0.06):
            b.emit(f"and_u32 $s{TEST}, $s{10 + rng.randrange(5)}, 3")
            b.emit(f"cmp_ne_u32 $c8, $s{TEST}, 0")
            b.emit(f"and_b1 {test}, {test}, $c8")
        b.emit(f"cbr {test}, {head}")
    b.place(out)


def _pointer(b: Body, depth: int, trips: int) -> Pointer:
    """Emit the beginning of a pointer that the loop will step."""
    size = b.rng.choice((1, 2, 4, 4, 4, 8))
    step = size * b.rng.choice((1, 1, 1, 2, -1, -1, -3, 16, 0))
    register, lanes = f"$d{30 + depth}", b.rng.choice((0, 1, 1, 2, -1)) * size
    across = abs(lanes) * (b.geometry.n_items - 1)
    low = size * b.rng.choice((0, 0, 1, 3))
    start = low + (-step * trips if step < 0 else 0) + (across if lanes < 0 else 0)
    b.emit(f"add_u64 {register}, $d{SOURCE}, {start}")
    if lanes:
        b.emit(f"cvt_u64_u32 $d42, $s{ID}")
        b.emit(f"mad_u64 {register}, $d42, {lanes}, {register}")
    by = str(step)
    if b.chance(0.3):
        b.emit(f"ld_kernarg_u32 $s{PART}, [%n{len(b.numbers)}]")
        b.numbers.append(step & 0xFFFF_FFFF)
        by = f"$d{34 + depth}"
        b.emit(f"cvt_s64_s32 {by}, $s{PART}")
    return Pointer(register, by, size, low, low + abs(step) * trips + across)


def _body(b: Body, latch: str) -> None:
    b.loops += 1
    for _ in range(b.rng.choice((1, 1, 2, 2, 3))):
        roll = b.rng.random()
        if roll < 0.12 and len(b.counters) < 3 and b.loops < 5:
            loop(b)
        elif roll < 0.24:
            _leave(b, latch)
        elif roll < 0.32:
            _if(b)
        elif roll < 0.4 and b.hostile == "fault":
            fault(b)
        else:
            b.rng.choice((source, source, own) if b.is_plain else FLAT)(b)


def _condition(b: Body) -> None:
    match b.rng.randrange(5):
        case 0:
            counter = b.counters[-1]
            value = b.rng.randint(counter.low, counter.high)
            b.emit(f"cmp_{b.one_of('eq', 'ge', 'lt')}_u32 $c9, {counter.register}, "
                   f"{value & 0xFFFF_FFFF}")  # fmt: skip
        case 1:
            b.emit(f"and_u32 $s{TEST}, $s{b.rng.choice((ID, LOCAL))}, {b.rng.choice((1, 3, 6))}")
            b.emit(f"cmp_eq_u32 $c9, $s{TEST}, {b.rng.randrange(3)}")
        case _:
            b.emit(f"and_u32 $s{TEST}, $s{10 + b.rng.randrange(5)}, {b.rng.choice((3, 7, 15))}")
            b.emit(f"cmp_{b.one_of('eq', 'gt')}_u32 $c9, $s{TEST}, {b.rng.randrange(9)}")


def _leave(b: Body, latch: str) -> None:
    """Emit an exit of this loop or of an outer one, or a `continue`."""
    _condition(b)
    found = f"$s{16 + b.rng.randrange(3)}"
    if b.chance(0.4):
        b.emit(f"mov_u32 {found}, {b.rng.choice((b.counters[-1].register, '77'))}")
    target = (
        latch if b.chance(0.25) else b.rng.choice((b.exits[-1], b.exits[-1], *b.exits, "@done"))
    )
    b.emit(f"cbr $c9, {target}")


def _if(b: Body) -> None:
    end = b.label()
    _condition(b)
    b.emit(f"cbr $c9, {end}")
    for _ in range(b.rng.randint(1, 2)):
        b.rng.choice(FLAT)(b)
    b.place(end)


def make(rng: random.Random, *, short: bool = False) -> Fenced:
    """Return a kernel with its launch; a short one has one loop and few work-items."""
    shape = rng.choice(SHORT if short else SHAPES)
    most = 1 if short else 2
    items = [size * (rng.randint(1, most) if i == 0 else 1) for i, size in enumerate(shape)]
    if rng.random() < 0.3:
        items = [max(1, i - rng.randint(0, s // 2)) for i, s in zip(items, shape, strict=True)]
    is_grouped = rng.random() < 0.6
    if not is_grouped and len(shape) == 2 and not short and rng.random() < 0.8:
        items = [rng.choice((48, 61, 64, 100, 128)), rng.randint(1, 3)]  # rows as workgroups
    geometry = Geometry.of(items=items, group_size=shape, width=rng.choice((32, 32, 64, 16, 7)))
    hostile = rng.choice((*HOSTILE, "endless")) if rng.random() < 0.35 else ""
    is_plain = short and rng.random() < 0.7
    columns = rng.choice((4, 8, 1, 2) if is_plain else (0, 0, 4, 8, 1, 2))
    b = Body(
        rng, geometry, hostile, columns=columns, is_plain=is_plain, is_grouped=is_grouped
    )  # fmt: skip
    for _ in range(1 if short else rng.choice((1, 1, 2, 3))):
        loop(b)
        if b.chance(0.4) and not short:
            rng.choice(FLAT)(b)
    numbers = np.random.default_rng(rng.randrange(1000))
    arguments = content(b, numbers)
    text = "\n".join(
        [
            ".readonly u32 CONSTANTS[16] = { 1, 0x80, 0xffff, 5, 0x80000000, 0x3f800000, 7, 8 }",
            f"kernel loops({', '.join(_parameter(name) for name in arguments)}) {{",
            *(_arrays(geometry) if b.is_grouped else ()),
            f"    .private u64 mine[{ROW_WORDS}]",
            *_head(b),
            *b.lines,
            "@done:",
            *_tail(),
            "}",
        ]
    )
    names = list(arguments)
    budget = rng.choice((60, 200, 500)) if hostile == "endless" or b.chance(0.08) else BUDGET
    return Fenced(
        text + "\n",
        geometry,
        tuple(arguments.values()),
        views=((names.index("twin"), names.index("rows"), 0),) if b.chance(0.5) else (),
        frozen=frozenset(names.index(n) for n in ("source", "other", "table"))
        | (frozenset((names.index("rows"),)) if hostile == "frozen" else frozenset()),
        odd=rng.choice((0, 0, 0, 1, 4)),
        budget=budget,
    )


def _arrays(geometry: Geometry) -> list[str]:
    return [f"    .group u64 lanes[{SMALL_WORDS * geometry.largest_group}]",
            "    .group u32 filled[128]"]  # fmt: skip


def _parameter(name: str) -> str:
    types = {
        "out": "global u32*", "rows": "global u64*", "twin": "global u64*", "table": "global u32*",
        "shared": "global u32*", "other": "global u8*", "source": "global u8*",
    }  # fmt: skip
    return f"{types.get(name, 'u32')} %{name}"


def _head(b: Body) -> list[str]:
    pointers = {"source": SOURCE, "rows": ROWS, "other": OTHER, "shared": SHARED, "table": TABLE,
                "twin": TWIN}  # fmt: skip
    lines = [f"ld_kernarg_u64 $d{r}, [%{name}] {KEPT}" for name, r in pointers.items()]
    local = "workitemflatid_u32 {}" if b.is_grouped else "workitemabsid_u32 {}, 0"
    lines += [f"workitemflatabsid_u32 $s{ID} {KEPT}", f"{local.format(f'$s{LOCAL}')} {KEPT}"]
    if b.hostile == "shift":
        lines.append(f"sub_u64 $d{SOURCE}, $d{SOURCE}, {b.rng.choice((1, 2, 4, 8, 64, 256))}")
    if b.hostile == "odd":
        lines.append(f"add_u64 $d{SOURCE}, $d{SOURCE}, {b.rng.choice((1, 2, 4))}")
    if any("[filled" in line for line in b.lines):
        lines += [
            f"and_u32 $s{TEST}, $s{LOCAL}, 127",
            f"cmp_ne_u32 $c9, $s{TEST}, $s{LOCAL} {KEPT}",
            f"cbr $c9, @filled {KEPT}",
            f"mul_u32 $s{TEST}, $s{LOCAL}, 4 {KEPT}",
            f"mul_u32 $s{PART}, $s{LOCAL}, 0x9e3779b1 {KEPT}",
            f"st_group_u32 $s{PART}, [filled+$s{TEST}] {KEPT}",
        ]
        return [*(f"    {x}" for x in lines), f"@filled: {KEPT}", f"    barrier {KEPT}", *_first(b)]
    return [*(f"    {x}" for x in lines), *_first(b)]


def _first(b: Body) -> list[str]:
    """Return what comes before the loops: numbers and the first values of results."""
    lines = [f"mad_u32 $s{10 + i}, $s{ID}, {2 * i + 1}, $s{9 + i}" for i in range(5)]
    lines += [f"cvt_u64_u32 $d{10 + i}, $s{10 + i}" for i in range(3)]
    return [*b.head, *(f"    {x}" for x in lines)]


def _tail() -> list[str]:
    """Return the stores of results and counters."""
    lines = ["ld_kernarg_u64 $d50, [%out]", f"cvt_u64_u32 $d51, $s{ID}",
             "mad_u64 $d50, $d51, 16, $d50"]  # fmt: skip
    lines.append("mov_u32 $s45, $s10")
    lines += [f"mad_u32 $s45, $s45, 31, $s{i}" for i in (11, 12, 13, 14, 16, 17, 18)]
    lines.append("mov_u32 $s44, $s20")
    lines += [f"mad_u32 $s44, $s44, 31, $s{i}" for i in (21, 22, 24, 25, 26)]
    lines += ["mad_u64 $d52, $d10, 31, $d11", "mad_u64 $d52, $d52, 31, $d12"]
    lines += ["st_global_u32 $s45, [$d50]", "st_global_u32 $s44, [$d50+4]",
              "st_global_u64 $d52, [$d50+8]", "ret"]  # fmt: skip
    return [f"    {x} {KEPT}" for x in lines]


def draw(rng: random.Random) -> Launch:
    """A kernel with one or two runs of native code, perhaps one of the interpreter.

    Most are short, and run with many numbers.
    """
    if rng.random() < 0.7:
        case = make(rng, short=True)
        variants = tuple(variant(rng, case) for _ in range(6))
        runs = [run for run in runs_of(rng, case) if run.engine == "jit"][-1:]
        return Launch(case, runs, str(case), variants=variants)
    case = make(rng)
    again = case.budget == BUDGET and rng.random() < 0.2
    return Launch(case, runs_of(rng, case), str(case), again=again)


GENERATOR = Generator("loops", lambda scratch, rng: draw, 120.0, 4.0)
