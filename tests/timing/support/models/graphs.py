"""Random acyclic control-flow graphs: blocks in topological order, joins of all shapes."""

from __future__ import annotations

from random import Random

from .programs import Case, Instruction, Kind, successors


def random_graph(random: Random, *, widths: tuple[int, ...] = (4, 8, 16)) -> Case:
    """Return a case of one warp whose branches and jumps lead forward, not all structured."""
    while True:
        program = _program(random)
        if len(_reachable(program)) == len(program):
            break
    width = random.choice(widths)
    n_branches = sum(i.kind is Kind.BRANCH for i in program)
    likely = [random.choice((0.1, 0.5, 0.5, 0.9)) for _ in range(n_branches)]
    outcomes = [[[random.random() < p] for p in likely] for _ in range(width)]
    return Case(program, width, 1, 10, outcomes, [[0]] * width, {})


def _program(random: Random) -> tuple[Instruction, ...]:
    n_blocks = random.randint(3, 12)
    sizes = [random.choice((0, 1, 1, 2, 3)) for _ in range(n_blocks)]
    ends = [
        random.choice(["next"] * 4 + ["branch"] * 7 + ["jump"] * 3 + ["exit"])
        for _ in range(n_blocks - 1)
    ] + ["exit"]
    lengths = [size + (end != "next") for size, end in zip(sizes, ends, strict=True)]
    starts = [sum(lengths[:block]) for block in range(n_blocks)]
    program: list[Instruction] = []
    branches = 0
    for block, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        program += [Instruction(Kind.ALU)] * size
        # A branch to the next instruction has one side only.
        later = [pc for pc in starts[block + 1 :] if pc > len(program) + 1]
        if end == "exit" or (end != "next" and not later):
            program.append(Instruction(Kind.EXIT))
        elif end == "jump":
            program.append(Instruction(Kind.JUMP, target=random.choice(later)))
        elif end == "branch":
            program.append(Instruction(Kind.BRANCH, target=random.choice(later), number=branches))
            branches += 1
    return tuple(program)


def _reachable(program: tuple[Instruction, ...]) -> set[int]:
    found: set[int] = set()
    ahead = [0]
    while ahead:
        pc = ahead.pop()
        if pc not in found:
            found.add(pc)
            ahead += successors(program, pc)
    return found
