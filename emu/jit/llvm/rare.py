"""Lanes that need more than the usual code, and hardly ever occur: all vectors share one test."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .function_text import FunctionText
from .text import floating, integer
from .vectors import VectorCode

MOST = 12
"""Tests of a version of a kernel: each is a branch, which takes compile time."""


class RareLanes:
    """Replaces values by what other code computes, if a lane needs it."""

    def __init__(self, lanes: VectorCode) -> None:
        self._lanes = lanes
        self._tests = 0
        self.tests_single = False
        """Whether single vectors have a test, too."""
        self.is_off = False
        """Whether no test pays at present."""

    def may_test(self) -> bool:
        """Return whether one more test pays: vectors share it, and there are few tests so far."""
        shared = self._lanes.k % 2 == 0 or (self.tests_single and self._lanes.k == 1)
        return not self.is_off and shared and self._lanes.n >= 8 and self._tests < MOST

    def without_nans(
        self,
        operands: Sequence[str],
        instead: Callable[[], list[str]],
        bits: int,
        running: Sequence[str] | None,
    ) -> list[str]:
        """Return floats of `bits` (as register bits), or `instead` if a lane has a NaN.

        With `running`, other lanes may keep theirs: nothing is computed of vectors without any.
        """
        code, n = self._lanes.code, self._lanes.n
        t = floating(bits, n)
        numbers = [code.to_float(bits, operand, n) for operand in operands]
        pairs = zip(numbers[::2], numbers[1::2] or numbers, strict=True)
        nans = [code.let(f"fcmp uno {t} {a}, {b}") for a, b in pairs]
        if running is not None:
            either = self._lanes.combine("or", running[::2], running[1::2])
            nans = self._lanes.combine("and", nans, either)
        return self._replaced(bits, operands, nans, instead)

    def without_least(
        self, bits: int, operands: Sequence[str], instead: Callable[[], list[str]]
    ) -> list[str]:
        """Return integers, or `instead` if a lane has the least one."""
        code, n = self._lanes.code, self._lanes.n
        t = integer(bits, n)
        least = operands[0]
        for operand in operands[1:]:
            least = code.intrinsic("llvm.smin", t, f"{t} {least}", f"{t} {operand}")
        found = code.let(f"icmp eq {t} {least}, splat (i{bits} {-1 << (bits - 1)})")
        return self._replaced(bits, operands, [found], instead)

    def _replaced(
        self,
        bits: int,
        operands: Sequence[str],
        masks: Sequence[str],
        instead: Callable[[], list[str]],
    ) -> list[str]:
        self._tests += 1
        code: FunctionText = self._lanes.code
        needed, before = self._lanes.any(masks), code.current_block
        rare, go = code.fresh_label("rare"), code.fresh_label("go")
        code.branch(needed, rare, go, rarely=True)
        code.block(rare)
        others, after = instead(), code.current_block
        code.jump(go)
        code.block(go)
        t = integer(bits, self._lanes.n)
        return [
            code.phi(t, (usual, before), (other, after))
            for usual, other in zip(operands, others, strict=True)
        ]
