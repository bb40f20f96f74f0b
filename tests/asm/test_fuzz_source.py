"""Whatever the source, the assembler ends soon with a program or with errors for the user.

The cases are drawn from seeds, so a failure names the seed that repeats it. `make fuzz` tries more.
"""

from __future__ import annotations

import random

import pytest

from simtlab.asm.assemble import assemble

from ..fuzz.sources import EVERYTHING, Source, source

CASES = 3_000
SLOW_CASES = 60_000


def check(seed: int) -> bool:
    """Assemble the source of a seed; True where it is a program, which must load again."""
    try:
        return Source(source(random.Random(seed))).run() == "programs"
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}") from error


def test_one_of_everything_assembles() -> None:
    assert len(assemble(EVERYTHING).kernels) == 1


def test_only_errors_for_the_user_come_out_of_any_source() -> None:
    programs = sum(check(seed) for seed in range(CASES))
    assert CASES // 20 < programs < CASES, "the cases should be of both sorts"


@pytest.mark.slow
def test_only_errors_for_the_user_come_out_of_very_many_sources() -> None:
    for seed in range(CASES, CASES + SLOW_CASES):
        check(seed)
