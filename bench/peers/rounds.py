"""Interleaved rounds: in each, every column has a turn at the kernel, one after the other."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from . import columns
from .problem import complaint, definition, folder_of, make
from .worker import Failed, Worker


@dataclass
class Cell:
    """A kernel under a column: the median seconds of each round, or what is wrong."""

    kernel: str
    column: str
    seconds: list[float] = field(default_factory=list)
    wrong: str = ""

    @property
    def median(self) -> float:
        """Seconds of a run."""
        return statistics.median(self.seconds)


def measure(
    kernel: str, workers: list[Worker], *, small: bool, rounds: int, seconds: float
) -> list[Cell]:
    """Measure one kernel; answers are compared before and after the rounds.

    A column in whose language the kernel is not written has no cell.
    """
    problem = make(kernel, small=small)
    expected = definition(kernel).answer(problem)
    sources = {path.name for path in folder_of(kernel).iterdir()}
    workers = [w for w in workers if columns.column_of(w.column).source in sources]
    cells = [Cell(kernel, worker.column) for worker in workers]
    pairs = list(zip(cells, workers, strict=True))

    def attempt(cell: Cell, worker: Worker, *request: object) -> None:
        try:
            value = worker.ask(*request)
        except Failed as failure:
            cell.wrong = str(failure)
            return
        if request[0] == "turn":
            cell.seconds.append(statistics.median(value))
        else:
            cell.wrong = complaint(kernel, problem, expected, value)

    for cell, worker in pairs:
        attempt(cell, worker, "prepare", kernel)
    for number in range(rounds):
        # Every other round backwards, so that no column always follows the same one.
        for cell, worker in pairs[:: -1 if number % 2 else 1]:
            if not cell.wrong:
                attempt(cell, worker, "turn", seconds)
    for cell, worker in pairs:
        if not cell.wrong:
            attempt(cell, worker, "result")
    return cells
