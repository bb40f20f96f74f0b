"""Pictures of control-flow graphs: every edge is there, and edges of one side do not overlap."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

from hypothesis import given

from simtlab.asm.flow.cfg import build
from simtlab.asm.flow.picture import MAX_LINES, ControlFlow, edges

from ..support.kernels import draft, jumping_code


@given(jumping_code)
def test_every_edge_has_a_lane_of_its_own(lines: list[str]) -> None:
    code = draft("\n".join((*lines, "ret"))).code
    cfg = build(code)
    found = edges(cfg)
    expected = {(s, t) for s, targets in enumerate(cfg.successors) for t in targets}
    assert {(e.source, e.target) for e in found} == expected
    assert len(found) == len(expected)
    for edge in found:
        assert (edge.lane == 0) == (edge.target == edge.source + 1)
    for one, other in combinations([e for e in found if e.lane], 2):
        if one.lane == other.lane and one.is_backward == other.is_backward:
            assert max(one[:2]) < min(other[:2]) or max(other[:2]) < min(one[:2])


@given(jumping_code)
def test_the_picture_is_xml_and_inside_its_frame(lines: list[str]) -> None:
    code = draft("\n".join((*lines, "ret"))).code
    cfg = build(code)
    texts = [f"{ins.row.name} <&\"'>" for ins in code]
    root = ElementTree.fromstring(ControlFlow("k<", cfg, texts).svg())
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    titles = 0
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        titles += tag == "title"
        if tag == "rect":
            x, y, w, h = (float(element.attrib[n]) for n in ("x", "y", "width", "height"))
            assert x >= 0
            assert y >= 0
            assert x + w <= width
            assert y + h <= height
        if tag == "path" and "stroke" in element.attrib:
            for across in re.findall(r"[MH](-?\d+)", element.attrib["d"]):
                assert 0 <= int(across) <= width
            for down in re.findall(r"V(-?\d+)", element.attrib["d"]):
                assert 0 <= int(down) <= height
    assert titles == 1 + sum(map(len, cfg.successors))


def graph(text: str) -> ControlFlow:
    kernel = draft(text)
    texts = [ins.row.name for ins in kernel.code]
    labels = {at: name for name, at in kernel.labels.items()}
    return ControlFlow("k", build(kernel.code), texts, labels)


def test_joins_are_named_and_their_blocks_are_bold() -> None:
    found = graph("cbr @a\nnop\na:\nret\n")
    assert found.joins == {0: 2}
    svg = found.svg()
    assert "joins at B2" in svg
    assert svg.count('stroke-width="2"') == 1
    found = graph("cbr @a\nret\na:\nret\n")
    assert found.joins == {0: None}
    assert "joins at the exit" in found.svg()


def test_a_long_block_shows_its_first_and_last_lines() -> None:
    svg = graph("nop\n" * MAX_LINES + "ret\n").svg()
    assert "… 2 more" in svg
    assert svg.count(">nop<") == MAX_LINES - 2
    assert ">ret<" in svg
    assert "more" not in graph("nop\n" * (MAX_LINES - 1) + "ret\n").svg()


def test_the_edge_that_no_execution_takes_is_dashed() -> None:
    assert "stroke-dasharray" in graph("a:\nbr @a\n").svg()
    assert "stroke-dasharray" not in graph("a:\ncbr @a\nret\n").svg()


def test_unreachable_code_is_named() -> None:
    assert "unreachable" in graph("br @a\nnop\na:\nret\n").svg()
