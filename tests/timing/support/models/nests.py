"""Random nests of if/else and loops with loads."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from .programs import MOST_OUTCOMES, Case, Instruction, Kind, TooLong, path

MOST_BRANCHES = 10
LONGEST = 250
"""Instructions that a work-item may execute."""
MOST_INSTRUCTIONS = 800
"""Instructions of all warps, if lanes never diverge: a run takes a fraction of a second."""


@dataclass
class Nest:
    """A random nest of statements, written as instructions."""

    random: Random
    loads: bool = True
    leaves: bool = False
    """Work-items may return early, and leave loops by `break`."""
    program: list[Instruction] = field(default_factory=list)
    branches: int = 0
    load_numbers: int = 0
    loops: dict[int, bool] = field(default_factory=dict)
    """Branch that closes or leaves a loop -> the outcome with which a lane stays in the loop."""

    def build(self) -> list[Instruction]:
        self._statements(depth=0, exits=None)
        self._alu()
        self.program.append(Instruction(Kind.EXIT))
        return self.program

    def _statements(self, depth: int, exits: list[int] | None) -> None:
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            self._statement(depth, exits)

    def _statement(self, depth: int, exits: list[int] | None) -> None:
        kinds = ["alu", "load" if self.loads else "alu"]
        if depth < 3 and self.branches < MOST_BRANCHES:
            kinds += ["if", "if-else", "loop", "while", "if-else"]
            if self.leaves and exits is not None:
                kinds.append("break")
            if self.leaves and depth > 0:
                kinds.append("return")
        getattr(self, "_" + self.random.choice(kinds).replace("-", "_"))(depth, exits)

    def _alu(self, depth: int = 0, exits: list[int] | None = None) -> None:
        n = self.random.choice((1, 1, 2, 3, 5))
        self.program += [Instruction(Kind.ALU)] * n

    def _load(self, depth: int = 0, exits: list[int] | None = None) -> None:
        self.program.append(Instruction(Kind.LOAD, number=self.load_numbers))
        self.load_numbers += 1

    def _branch(self, *, drawn: bool) -> int:
        """Append a branch whose target is not known yet; return its PC."""
        number = self.branches
        self.branches += 1
        if drawn:
            self.program.append(Instruction(Kind.ALU, number=number, drawn=True))
            self.program.append(Instruction(Kind.ALU, number=number))
        self.program.append(
            Instruction(
                Kind.BRANCH, number=number, drawn=drawn, subdivide=self.random.random() < 0.6
            )
        )
        return len(self.program) - 1

    def _aim(self, pc: int, target: int | None = None) -> None:
        at = len(self.program) if target is None else target
        self.program[pc] = replace(self.program[pc], target=at)

    def _jump(self) -> int:
        self.program.append(Instruction(Kind.JUMP))
        return len(self.program) - 1

    def _if(self, depth: int, exits: list[int] | None) -> None:
        branch = self._branch(drawn=self.random.random() < 0.4)
        self._statements(depth + 1, exits)
        self._aim(branch)

    def _if_else(self, depth: int, exits: list[int] | None) -> None:
        branch = self._branch(drawn=self.random.random() < 0.4)
        self._statements(depth + 1, exits)
        jump = self._jump()
        self._aim(branch)
        self._statements(depth + 1, exits)
        self._aim(jump)

    def _loop(self, depth: int, exits: list[int] | None) -> None:
        start = len(self.program)
        leaving: list[int] = []
        self._statements(depth + 1, leaving)
        branch = self._branch(drawn=True)
        self.loops[self.program[branch].number] = True
        self._aim(branch, start)
        for pc in leaving:
            self._aim(pc)

    def _while(self, depth: int, exits: list[int] | None) -> None:
        start = len(self.program)
        leaving = [self._branch(drawn=True)]
        self.loops[self.program[leaving[0]].number] = False
        self._statements(depth + 1, leaving)
        self._aim(self._jump(), start)
        for pc in leaving:
            self._aim(pc)

    def _break(self, depth: int, exits: list[int] | None) -> None:
        assert exits is not None
        exits.append(self._branch(drawn=self.random.random() < 0.7))

    def _return(self, depth: int, exits: list[int] | None) -> None:
        branch = self._branch(drawn=self.random.random() < 0.7)
        self._alu()
        self.program.append(Instruction(Kind.EXIT))
        self._aim(branch)


def _outcomes(random: Random, nest: Nest, items: int) -> list[list[list[bool]]]:
    """Return outcomes by work-item and branch, such that every work-item leaves its loops."""
    branches = {i.number: i for i in nest.program if i.kind is Kind.BRANCH}
    likely = [random.choice((0.0, 0.2, 0.5, 0.5, 0.5, 0.8, 1.0)) for _ in branches]
    stay = [random.choice((0.2, 0.5, 0.7)) for _ in branches]
    uniform = random.random() < 0.2
    found: list[list[list[bool]]] = []
    for item in range(items):
        row: list[list[bool]] = []
        for n in range(nest.branches):
            if n in nest.loops:
                stays = nest.loops[n]
                drawn = [random.random() < stay[n] for _ in range(MOST_OUTCOMES - 1)]
                chosen = [stays if remains else not stays for remains in drawn] + [not stays]
                if uniform and item:
                    chosen = found[0][n]
            else:
                n_outcomes = MOST_OUTCOMES if branches[n].drawn else 1
                chosen = [random.random() < likely[n] for _ in range(n_outcomes)]
            row.append(chosen)
        found.append(row)
    return found


def random_case(
    random: Random,
    *,
    widths: tuple[int, ...] = (4,),
    warps: tuple[int, ...] = (1, 2, 3),
    loads: bool = True,
    leaves: bool = False,
    latencies: tuple[int, int] = (2, 50),
    shared: bool | None = None,
    most: int = MOST_INSTRUCTIONS,
) -> Case:
    """Return a random nest with outcomes, lines and replies, no work-item of which runs long.

    Some have `shared` lines and the natural rule, the others replies with `latencies` in a range.
    """
    share = random.random() < 0.3 if shared is None else shared
    while True:
        width, n_warps = random.choice(widths), random.choice(warps)
        items = width * n_warps
        nest = Nest(random, loads=loads, leaves=leaves)
        nest.build()
        sites = max(nest.load_numbers, 1)
        pool = random.choice((4, 12, 40))
        lines = [
            [random.randrange(pool) if share else item for _ in range(sites)]
            for item in range(items)
        ]
        case = Case(
            tuple(nest.program), width, n_warps, random.randint(*latencies),
            _outcomes(random, nest, items), lines, {},
        )  # fmt: skip
        try:
            paths = [path(case, item, LONGEST) for item in range(items)]
        except TooLong:
            continue
        total = sum(len(pcs) for pcs in paths)
        if (loads and not nest.load_numbers) or total > most * width:
            continue
        if share:
            return case
        hit = random.choice((0.2, 0.5, 0.8))
        chosen = [random.randint(*latencies) for _ in range(random.choice((1, 1, 3)))]
        replies = {
            (item, n): (True, 0) if random.random() < hit else (False, random.choice(chosen))
            for item, pcs in enumerate(paths)
            for n in range(sum(case.program[pc].kind is Kind.LOAD for pc in pcs))
        }
        return replace(case, replies=replies)
