"""Pictures of control-flow graphs as SVG, drawn without another program.

Blocks are below each other in the order of the code, so that the picture reads as the listing
does. An arrow down is the fall-through; other edges go round: forward on the right, backward on the
left, each in the innermost lane that is free. A dashed edge leaves an endless loop: it is there for
post-dominance, and no execution takes it. A block with a bold frame is the join of a branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from ...isa.instruction import WORD_BYTES
from .cfg import Cfg
from .dominators import post_dominators
from .joins import immediate

MAX_LINES = 14
"""Lines of a block; of a longer one the first and the last are shown."""

_CHARACTER = 6.7
"""Width of a character in pixels: monospace at 11 pixels."""
_LINE, _GAP, _LANE, _PAD = 14, 22, 12, 8
"""Height of a line, space between blocks, width of a lane, space inside a block."""


class Edge(NamedTuple):
    """An edge between two blocks, with its lane; 0 is the straight arrow to the next block."""

    source: int
    target: int
    lane: int

    @property
    def is_backward(self) -> bool:
        return self.target <= self.source


@dataclass(frozen=True)
class ControlFlow:
    """The control-flow graph of a kernel, which notebooks show as a picture.

    `texts` has a line for each instruction, `labels` the names at a pc. `str()` lists blocks and
    edges.
    """

    kernel: str
    cfg: Cfg
    texts: Sequence[str]
    labels: Mapping[int, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"kernel {self.kernel}\n{self.cfg}"

    def __repr__(self) -> str:
        count = len(self.cfg.blocks)
        return f"<ControlFlow of {self.kernel}: {count} block{'s' if count > 1 else ''}>"

    @property
    def joins(self) -> dict[int, int | None]:
        """By block that ends in a conditional branch: the block of the immediate post-dominator.

        None stands for the virtual exit: the sides of the branch do not re-converge.
        """
        tree = post_dominators(self.cfg)
        found: dict[int, int | None] = {}
        for block in self.cfg.blocks:
            if self.cfg.code[block.last].row.is_conditional:
                pc = immediate(self.cfg, tree, block.last)
                found[block.number] = None if pc is None else self.cfg.block_of[pc]
        return found

    def svg(self) -> str:
        """Return the picture. It takes the colour of the text around it."""
        return _draw(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f'<div style="max-height:40em;overflow:auto">{self.svg()}</div>'


def edges(cfg: Cfg) -> list[Edge]:
    """Return the edges with their lanes: those of one side that overlap have different ones."""
    straight: list[Edge] = []
    bent: list[tuple[int, int]] = []
    for source, targets in enumerate(cfg.successors):
        for target in targets:
            if target == source + 1:
                straight.append(Edge(source, target, 0))
            else:
                bent.append((source, target))
    lanes: dict[bool, list[list[tuple[int, int]]]] = {False: [], True: []}
    found: list[Edge] = []
    for source, target in sorted(bent, key=lambda e: (abs(e[1] - e[0]), e)):
        side = lanes[target <= source]
        span = min(source, target), max(source, target)
        for lane in side:
            if all(span[1] < low or high < span[0] for low, high in lane):
                break
        else:
            lane = []
            side.append(lane)
        lane.append(span)
        found.append(Edge(source, target, side.index(lane) + 1))
    return [*straight, *found]


class _Box(NamedTuple):
    """A block in the picture: its lines and its upper edge."""

    lines: list[str]
    y: int

    @property
    def height(self) -> int:
        return _LINE * len(self.lines) + _PAD


def _draw(graph: ControlFlow) -> str:
    cfg, found = graph.cfg, edges(graph.cfg)
    joins = graph.joins
    targets = {block for block in joins.values() if block is not None}
    boxes: list[_Box] = []
    y = _GAP // 2
    for block in cfg.blocks:
        boxes.append(_Box(_lines(graph, block.number, joins), y))
        y += boxes[-1].height + _GAP
    boxes.append(_Box(["exit"], y))
    height = y + boxes[-1].height + _GAP // 2
    longest = max(len(line) for box in boxes for line in box.lines)
    left = _LANE * (1 + max((e.lane for e in found if e.is_backward), default=0)) + 4
    width = round(longest * _CHARACTER) + 2 * _PAD
    right = _LANE * (1 + max((e.lane for e in found if not e.is_backward), default=0)) + 4
    total = left + width + right
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{height}" '
        f'viewBox="0 0 {total} {height}" role="img" font-family="monospace" font-size="11" '
        'fill="currentColor" stroke="none">',
        f"<title>Control-flow graph of {escape(graph.kernel)}</title>",
    ]
    for number, box in enumerate(boxes):
        parts += _block(box, left, width, is_join=number in targets, is_exit=number == cfg.exit)
    for edge in found:
        is_taken = edge.target != cfg.exit or edge.source not in cfg.endless
        parts += _edge(edge, boxes, left, width, is_taken=is_taken)
    return "\n".join([*parts, "</svg>"])


def _lines(graph: ControlFlow, number: int, joins: Mapping[int, int | None]) -> list[str]:
    """Return the text of a block: its name, place and join, then its instructions."""
    block = graph.cfg.blocks[number]
    head = f"B{number}  0x{block.start * WORD_BYTES:02x}"
    if block.start in graph.labels:
        head += f"  @{graph.labels[block.start]}"
    if number in joins:
        join = joins[number]
        head += f"  joins at {'the exit' if join is None else f'B{join}'}"
    if number not in graph.cfg.reachable:
        head += "  unreachable"
    code = list(graph.texts[block.start : block.end])
    if len(code) > MAX_LINES:
        left_out = len(code) - MAX_LINES + 1
        code = [*code[: MAX_LINES - 2], f"… {left_out} more", code[-1]]
    return [head, *code]


def _block(box: _Box, x: int, width: int, *, is_join: bool, is_exit: bool) -> Iterable[str]:
    stroke = 2 if is_join else 1
    yield (
        f'<rect x="{x}" y="{box.y}" width="{width}" height="{box.height}" '
        f'rx="{box.height // 2 if is_exit else 3}" fill="none" stroke="currentColor" '
        f'stroke-width="{stroke}"/>'
    )
    for row, line in enumerate(box.lines):
        weight = ' font-weight="bold"' if row == 0 else ""
        y = box.y + _LINE * (row + 1)
        yield (
            f'<text x="{x + _PAD}" y="{y}" xml:space="preserve"{weight}>'
            f"{escape(line, quote=False)}</text>"
        )


def _edge(
    edge: Edge, boxes: Sequence[_Box], left: int, width: int, *, is_taken: bool
) -> Iterable[str]:
    source, target = boxes[edge.source], boxes[edge.target]
    begin, end = source.y + source.height, target.y
    name = "exit" if edge.target == len(boxes) - 1 else f"B{edge.target}"
    if edge.lane == 0:
        middle = left + width // 2
        path, tip, turn = f"M{middle} {begin}V{end}", (middle, end), "down"
    else:
        y0, y1 = begin - 6, end + 7
        side = left if edge.is_backward else left + width
        lane = side + _LANE * edge.lane * (-1 if edge.is_backward else 1)
        path, tip = f"M{side} {y0}H{lane}V{y1}H{side}", (side, y1)
        turn = "right" if edge.is_backward else "left"
    x, y = tip
    dashes = "" if is_taken else ' stroke-dasharray="4 3"'
    arrow = {
        "down": f"M{x} {y}l-4 -7h8z",
        "left": f"M{x} {y}l7 -4v8z",
        "right": f"M{x} {y}l-7 -4v8z",
    }[turn]
    yield (
        f"<g><title>B{edge.source} to {name}</title>"
        f'<path d="{path}" fill="none" stroke="currentColor"{dashes}/><path d="{arrow}"/></g>'
    )
