"""Pictures of an answer: the elements that are wrong, or its masks, or its addresses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..emu.checks import Checks
from ..emu.interp.access_log import Access, AccessLog
from ..isa.types import Segment
from ..programs.png import data_url, png
from .answer import Answer
from .bench import Bench
from .folder import ExerciseFolder
from .inputs import ExerciseError, expected
from .report import Report

WHITE, PALE, DARK = 255, 236, 60
BLUE, RED, GREEN = (31, 90, 160), (214, 50, 45), (70, 150, 80)
STRIPE = (222, 231, 242)

LANES = 32
MOST_ISSUES = 1 << 16
"""Issues of a run that pictures show; later ones are left out."""

MOST_STEPS = 240
MOST_COLUMNS = 900
MOST_LINES = 33
MOST_PANELS = 6
BANKS = 32
WORD = 4
LINE = 128


@dataclass(frozen=True)
class Picture:
    """An image, uint8 of shape (height, width, 3), and a sentence that says how to read it."""

    image: np.ndarray
    caption: str

    @property
    def png(self) -> bytes:
        """The bytes of a PNG file."""
        return png(self.image)

    def _repr_html_(self) -> str:
        from html import escape

        caption = escape(self.caption)
        return f"<img src='{data_url(self.image)}' alt='{caption}'><br>{caption}"


def draw(exercise: ExerciseFolder, answer: Answer, report: Report, folder: Path) -> Picture:
    """Return the picture of an answer that was checked.

    A wrong result shows its wrong elements; any other answer, what the exercise is about. Raises
    ExerciseError for an answer whose runs did not end.
    """
    if report.state not in ("passed", "targets", "wrong"):
        raise ExerciseError(
            f"{answer.name} cannot be drawn: {report.message}",
            hint="a picture needs runs that end",
        )
    bench = Bench.of(exercise, answer, folder)
    # A wrong answer is shown where it is wrong; the last case is smaller than the scored one.
    case = next((c for c in report.cases if not c.passed), None)
    case = case or report.cases[len(exercise.cases) - 1]
    kind = exercise.definition.picture
    if report.state == "wrong" or kind == "result":
        run = bench.run(case.size, case.seed, bench.simulator_of(case.where))
        wanted = expected(exercise.inputs, exercise.folder, run.pristine)
        name = run.mismatches[0].array if run.mismatches else next(iter(wanted))
        return _result(name, np.asarray(wanted[name]), np.asarray(run.data[name]))
    if kind == "masks":
        return _masks(bench, case.size, case.seed)
    if kind == "warps":
        return _warps(bench, dict(exercise.definition.score.size), 0)
    return _accesses(bench, case.size, case.seed)


# --- the result


def _result(name: str, expected: np.ndarray, found: np.ndarray) -> Picture:
    """Draw the elements row by row: grey by value, and red where they are wrong."""
    wide = expected.reshape(expected.shape[0], -1) if expected.ndim > 1 else _folded(expected)
    have = found.reshape(wide.shape) if expected.ndim > 1 else _folded(found)
    low, high = _range(wide)
    cell = int(np.clip(640 // max(wide.shape[1], 1), 3, 20))
    is_high = wide.shape[0] * cell > 200
    if is_high:
        cell = max(3, cell * 2 // 3)
    gap = 2 * cell
    tiles = [_tiles(wide, low, high, None, cell), _tiles(have, low, high, have != wide, cell)]
    edge = ((0, 0), (0, gap), (0, 0)) if is_high else ((0, gap), (0, 0), (0, 0))
    tiles[0] = np.pad(tiles[0], edge, constant_values=WHITE)
    first, second = ("left", "right") if is_high else ("above", "below")
    return Picture(
        _framed(np.concatenate(tiles, axis=1 if is_high else 0)),
        f"{name}: {first} as expected, {second} as found, row by row; the higher a value, the "
        "darker; wrong elements are red",
    )


def _folded(values: np.ndarray) -> np.ndarray:
    """Return a vector as rows of 32, the last one filled up with NaN."""
    rows = np.full((-(-values.size // LANES), min(LANES, values.size)), np.nan)
    rows.reshape(-1)[: values.size] = values
    return rows


def _range(values: np.ndarray) -> tuple[float, float]:
    usual = values[np.isfinite(values.astype(np.float64))].astype(np.float64)
    return (float(usual.min()), float(usual.max())) if usual.size else (0.0, 1.0)


def _tiles(
    values: np.ndarray, low: float, high: float, wrong: np.ndarray | None, cell: int
) -> np.ndarray:
    numbers = values.astype(np.float64)
    share = np.clip((numbers - low) / (high - low if high > low else 1.0), 0.0, 1.0)
    shade = 225 - 175 * np.nan_to_num(share)
    image = np.repeat(shade.astype(np.uint8)[..., None], 3, axis=2)
    if wrong is not None:
        image[wrong & ~np.isnan(numbers)] = RED
    image[np.isnan(numbers)] = WHITE
    image = image.repeat(cell, axis=0).repeat(cell, axis=1)
    image[cell - 1 :: cell] = WHITE
    image[:, cell - 1 :: cell] = WHITE
    return image


# --- the masks


def _masks(bench: Bench, size: dict[str, int], seed: int) -> Picture:
    """Draw the lanes of the first warp for each instruction that it issues on the machine."""
    found = bench.recording(size, seed, MOST_ISSUES)
    width, issues = found.width, found.issues
    columns: list[np.ndarray] = []
    for issue in issues[(issues["warp"] == 0) & (issues["launch"] == 0)][: MOST_STEPS + 1]:
        mask = np.array([int(issue["mask"]) >> lane & 1 for lane in range(width)], bool)
        columns += [mask] * int(issue["n"])
    steps = np.array(columns[:MOST_STEPS]).T
    cell = int(np.clip(960 // max(steps.shape[1], 1), 4, 12))
    image = np.where(steps[..., None], np.array(BLUE), PALE).astype(np.uint8)
    image = image.repeat(cell, axis=0).repeat(cell, axis=1)
    image[cell - 1 :: cell] = WHITE
    if cell > 5:
        image[:, cell - 1 :: cell] = WHITE
    cut = f" (only the first {MOST_STEPS})" if len(columns) > MOST_STEPS else ""
    return Picture(
        _framed(image),
        f"the first warp: a row for each lane, a column for each instruction it issues{cut}; "
        "active lanes are blue",
    )


# --- the warps


def _warps(bench: Bench, size: dict[str, int], seed: int) -> Picture:
    """Draw when each warp of the first core issues, and when the core does."""
    found = bench.recording(size, seed, MOST_ISSUES)
    warps, cycles = bench.machine.warps, found.end
    step = -(-cycles // MOST_COLUMNS)
    issued = np.zeros((warps, -(-cycles // step)))
    issues = found.issues[found.issues["warp"] < warps]
    np.add.at(issued, (issues["warp"], issues["t"] // step), issues["n"])
    used = issued[issued.any(axis=1)]
    busy = np.concatenate([used, used.sum(axis=0)[None]]) / step
    shade = np.sqrt(np.clip(busy, 0, 1))[..., None]  # a warp has a small part of the core
    image = (PALE + shade * (np.array(BLUE) - PALE)).astype(np.uint8).repeat(9, axis=0)
    image[8::9] = WHITE
    core = image[-9:].repeat(2, axis=0)
    space = np.full((9, image.shape[1], 3), WHITE, np.uint8)
    return Picture(
        _framed(np.concatenate([image[:-9], space, core])),
        f"a row for each warp, a column for each {step} cycles, the last row for the whole core: "
        "the more it issues, the darker",
    )


# --- the addresses


def _accesses(bench: Bench, size: dict[str, int], seed: int) -> Picture:
    """Draw where the lanes of the first warp access memory, for each memory instruction once."""
    log = AccessLog()
    bench.run(size, seed, None, Checks(observer=log))
    width = bench.machine.width
    seen: set[int] = set()
    panels: list[np.ndarray] = []
    for access in log.accesses:
        segment = access.instruction.address and access.instruction.address.segment
        if segment not in (Segment.GLOBAL, Segment.GROUP) or id(access.instruction) in seen:
            continue
        chosen = (access.groups == 0) & (access.locals < width)
        if not chosen.any():
            continue
        seen.add(id(access.instruction))
        lanes, addresses = access.locals[chosen], access.addresses[chosen]
        draw_one = _lines_panel if segment is Segment.GLOBAL else _banks_panel
        panels.append(draw_one(access, lanes, addresses.astype(np.int64)))
        if len(panels) == MOST_PANELS:
            break
    if not panels:
        raise ExerciseError("the answer cannot be drawn: its first warp does not access memory")
    return Picture(
        _framed(_flow(panels)),
        "the first access of each memory instruction by the first warp, in the order of "
        "execution, from left to right: a row for each lane; in global memory (blue) a column for "
        "each word, and a band for each cache line that is needed; in group memory (green) a "
        "column for each of the 32 banks, red where lanes want different words of one bank",
    )


def _lines_panel(access: Access, lanes: np.ndarray, addresses: np.ndarray) -> np.ndarray:
    """Draw words of global memory: the lines that are needed, side by side."""
    lines, which = np.unique(addresses // LINE, return_inverse=True)
    size = access.instruction.row.type.size if access.instruction.row.type else WORD
    words = max(1, size // WORD)
    cell = 6 if len(lines) <= 6 else 3 if len(lines) <= 12 else 1
    per_line = LINE // WORD
    shown = min(len(lines), MOST_LINES)
    high = 6
    image = np.full((LANES * high, shown * per_line * cell, 3), STRIPE, np.uint8)
    for number in range(1, shown, 2):
        image[:, number * per_line * cell : (number + 1) * per_line * cell] = PALE
    image[high - 1 :: high] = WHITE
    image[:, per_line * cell - 1 : -1 : per_line * cell] = DARK
    column = which * per_line + addresses % LINE // WORD
    for lane, first in zip((lanes % LANES).tolist(), column.tolist(), strict=True):
        end = max((first + words) * cell, first * cell + 3)  # even if words are a pixel wide
        image[lane * high : lane * high + high - 1, first * cell : end] = BLUE
    return image


def _banks_panel(access: Access, lanes: np.ndarray, addresses: np.ndarray) -> np.ndarray:
    """Draw the banks of group memory; lanes that take turns are red."""
    words = addresses // WORD
    cell = 6
    image = np.full((LANES, BANKS, 3), PALE, np.uint8)
    for lane, word in zip(lanes.tolist(), words.tolist(), strict=True):
        same = words[words % BANKS == word % BANKS]
        image[lane % LANES, word % BANKS] = RED if len(np.unique(same)) > 1 else GREEN
    image = image.repeat(cell, axis=0).repeat(cell, axis=1)
    image[cell - 1 :: cell] = WHITE
    image[:, cell - 1 :: cell] = WHITE
    return image


# --- all pictures


def _flow(panels: list[np.ndarray], width: int = 1100, gap: int = 16) -> np.ndarray:
    """Return panels of equal height side by side, in as many rows as a width needs."""
    rows: list[np.ndarray] = []
    for panel in panels:
        spaced = np.pad(panel, ((0, gap), (0, gap), (0, 0)), constant_values=WHITE)
        if rows and rows[-1].shape[1] + spaced.shape[1] <= width:
            rows[-1] = np.concatenate([rows[-1], spaced], axis=1)
        else:
            rows.append(spaced)
    widest = max(row.shape[1] for row in rows)
    whole = [
        np.pad(row, ((0, 0), (0, widest - row.shape[1]), (0, 0)), constant_values=WHITE)
        for row in rows
    ]
    return np.concatenate(whole)[:-gap, :-gap]


def _framed(image: np.ndarray, margin: int = 12) -> np.ndarray:
    edges = ((margin, margin), (margin, margin), (0, 0))
    return np.pad(image, edges, constant_values=WHITE)
