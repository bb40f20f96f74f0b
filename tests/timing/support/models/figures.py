"""The papers' worked examples as cases of the models, written from the figures.

A program is a list of instructions after `;`: `alu 2`, `load 0`, `jump D`, `exit` and `branch 0 C`,
where `sub` at the end lets it split a whole warp. `A:` is a label. Lanes that take a branch and the
replies of loads are texts with lane 0 on the left: h hits, m misses, n follows the natural rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .programs import Case, Instruction, Kind


@dataclass(frozen=True)
class Figure:
    """A worked example; masks of branches may be lists, one mask for each execution."""

    lines: str
    width: int = 8
    warps: int = 1
    miss: int = 10
    branches: Sequence[str | Sequence[str]] = ()
    loads: Sequence[str] = ()
    """For each access of a work-item, a letter per work-item."""
    shared: frozenset[int] = field(default=frozenset())
    """Loads whose lanes access one line."""

    def case(self) -> Case:
        program, loads = parse(self.lines)
        items = range(self.width * self.warps)
        masks = [[b] if isinstance(b, str) else b for b in self.branches]
        outcomes = [[[mask[i] == "1" for mask in branch] for branch in masks] for i in items]
        apart = len(items)
        lines = [[apart * n + (0 if n in self.shared else i) for n in range(loads)] for i in items]
        replies = {
            (i, n): (letters[i] == "h", self.miss if letters[i] == "m" else 0)
            for n, letters in enumerate(self.loads)
            for i in items
            if letters[i] in "hm"
        }
        return Case(program, self.width, self.warps, self.miss, outcomes, lines, replies)


def parse(text: str) -> tuple[tuple[Instruction, ...], int]:
    """Return the instructions of a program, and the number of its loads."""
    labels: dict[str, int] = {}
    words: list[list[str]] = []
    for line in text.split(";"):
        label, colon, rest = line.rpartition(":")
        if colon:
            labels[label.strip()] = len(words)
        operation = rest.split()
        words += [["alu"]] * int(operation[1]) if operation[0] == "alu" else [operation]
    program = tuple(_instruction(operation, labels) for operation in words)
    return program, len({i.number for i in program if i.kind is Kind.LOAD})


def _instruction(words: Sequence[str], labels: Mapping[str, int]) -> Instruction:
    match words:
        case ["alu"]:
            return Instruction(Kind.ALU)
        case ["exit"]:
            return Instruction(Kind.EXIT)
        case ["load", number]:
            return Instruction(Kind.LOAD, number=int(number))
        case ["jump", label]:
            return Instruction(Kind.JUMP, target=labels[label])
        case ["branch", number, label, *flags]:
            return Instruction(
                Kind.BRANCH, target=labels[label], number=int(number), subdivide=flags == ["sub"]
            )
    raise AssertionError(words)


_NESTED = """alu 1; branch 0 C; B: alu 1; branch 1 D sub; E: load 0; alu 1; jump F; D: alu 3;
    F: load 1; alu 4; jump G; C: alu 2; G: alu 1; exit"""
_TWO_LOADS = "load 0; alu 3; load 1; alu 3; exit"

FIGURES = {
    "DWS Fig. 3": Figure(
        "alu 2; branch 0 C; alu 3; jump D; C: alu 2; D: alu 2; exit", branches=["00000110"]
    ),
    "DWS Fig. 4": Figure(
        "alu 1; branch 0 C sub; load 0; alu 4; jump D; C: alu 2; load 1; alu 3; D: alu 2; exit",
        branches=["00000110"],
        loads=["mmmmmhhm"],
    ),
    "DWS Fig. 5": Figure(
        """alu 1; branch 0 C sub; alu 4; jump D; C: load 0; alu 3;
        D: alu 1; load 1; alu 2; exit""",
        miss=12,
        branches=["00000110"],
        shared=frozenset({0, 1}),
    ),
    "DWS Fig. 6": Figure(
        _NESTED,
        branches=["00000110", "00011001"],
        loads=["mmmhhnnh", "hhhnnnnn"],
    ),
    "DWS Fig. 6, missing in F": Figure(
        _NESTED, branches=["00000110", "00011001"], shared=frozenset({0, 1})
    ),
    "DWS Fig. 8": Figure(_TWO_LOADS, width=2, miss=20, loads=["hm", "mh"]),
    "DWS Fig. 9": Figure(_TWO_LOADS, width=2, miss=20, loads=["hm"], shared=frozenset({1})),
    "DWS Fig. 10": Figure(
        "load 0; alu 15; load 1; alu 2; exit", width=2, warps=2, loads=["mmhm", "mmmm"]
    ),
    "DWS Fig. 12": Figure(
        """alu 1; branch 0 C; load 0; alu 2; load 1; alu 2; jump D; C: alu 2; D: alu 1; exit""",
        miss=12,
        branches=["00000110"],
        loads=["hhhmmnnm", "hhmhhnnh"],
    ),
    "DWS 5.3.2": Figure(
        "L: load 0; alu 1; branch 0 L; alu 2; exit",
        width=2,
        branches=[["11"] * 5 + ["00"]],
        loads=["hm"] + ["hh"] * 5,
    ),
    "DWS 5.7": Figure(
        "O: load 0; I: load 1; alu 1; branch 0 I; branch 1 O; alu 1; exit",
        width=2,
        miss=8,
        branches=[(["11"] * 5 + ["00"]) * 3, ["11", "11", "00"]],
        loads=["hm"] + ["hh"] * 20,
    ),
    "DWS 5.2": Figure(_TWO_LOADS, width=2, warps=2, miss=20, loads=["hmmm", "mhhh"]),
    "DWS 5.1": Figure(_TWO_LOADS, width=2, miss=20, loads=["hm", "hm"]),
    "DWS 4.2": Figure(
        "load 0; alu 1; load 1; alu 1; load 2; alu 1; exit",
        width=4,
        miss=20,
        loads=["hhhm", "hhmh", "hmhh"],
    ),
    # Lane 0 has made the access at P, lane 2 has just branched there, and lane 1 arrives.
    "an access that two splits join": Figure(
        "branch 0 A sub; jump P; A: alu 12; branch 1 P sub; alu 1; P: load 0; exit",
        width=3,
        miss=5,
        branches=["011", "001"],
    ),
    "PPC Fig. 1": Figure(
        "alu 1; branch 0 C; alu 2; jump D; C: alu 2; D: alu 1; exit", branches=["01100000"]
    ),
    "PPC Fig. 4": Figure(
        """branch 0 A; alu 1; branch 1 B; alu 1; jump E; B: jump E; A: alu 2; E: alu 1; exit""",
        branches=["00001111", "00110000"],
    ),
    "PPC Fig. 5": Figure(
        "alu 1; L: alu 1; branch 0 L; alu 1; exit",
        width=4,
        branches=[["0111", "0011", "0001", "0000"]],
    ),
    "PPC, short circuit": Figure(
        "alu 1; branch 0 X; alu 1; branch 1 X; alu 2; jump E; X: alu 3; E: alu 1; exit",
        branches=["11110000", "11111111"],
    ),
    "PPC, other levels": Figure(
        "alu 1; branch 0 X; alu 1; branch 1 X; alu 2; jump E; X: alu 3; E: alu 1; exit",
        branches=["11110000", "00001100"],
    ),
    "PPC, goto": Figure(
        """branch 0 A; alu 1; branch 1 R; jump D; A: alu 1; branch 2 R; jump D; alu 1; R: alu 2;
        D: alu 1; exit""",
        branches=["00001111", "11111111", "11111111"],
    ),
    "PPC, lower join": Figure(
        "jump T; J: alu 1; exit; T: branch 0 C; alu 1; jump J; C: alu 1; jump J",
        branches=["00001111"],
    ),
    "LWM Fig. 8": Figure(
        "alu 10; load 0; alu 9; exit", width=1, warps=16, miss=100, loads=["m" * 16]
    ),
    "LWM Fig. 13": Figure(
        "alu 10; load 0; alu 10; load 1; alu 10; load 2; alu 10; load 3; alu 9; exit",
        width=1,
        warps=32,
        miss=200,
        loads=["m" * 32] * 4,
    ),
    "LWM Fig. 7": Figure(
        "branch 0 X; alu 1; X: exit",
        width=4,
        warps=8,
        branches=["01001011110001111101101001101011"],
    ),
}
