"""The parts of a machine: caches, links and memory. Each field has a unit and a range."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from .presets import Part

LONGEST = 1 << 20
"""Most cycles of one step of an access; the 62-bit clock holds 2^42 such steps."""


def size_of(value: object) -> object:
    """Return a size such as `32KiB` as a number of bytes."""
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"(\d+) ?(B|KiB|MiB|GiB|KB|MB)?", value.strip())
    if not found:
        raise ValueError("must be a number of bytes, such as 32768 or 32KiB")
    factor = {None: 1, "B": 1, "KiB": 1 << 10, "KB": 1 << 10, "MiB": 1 << 20, "MB": 1 << 20,
              "GiB": 1 << 30}  # fmt: skip
    return int(found[1]) * factor[found[2]]


def unit(name: str, text: str, **limits: Any) -> Any:
    """Return the declaration of a field: its unit, what it is, and the limits of its value."""
    return Field(description=text, json_schema_extra={"unit": name}, **limits)


Bytes = Annotated[int, BeforeValidator(size_of)]
"""A number of bytes, which may be written as `32KiB`."""


class Cache(Part):
    """A cache. `ways = 0` means fully associative, `size = 0` that it is absent."""

    size: Annotated[Bytes, unit("bytes", "capacity; 0: no cache", ge=0, le=1 << 30)] = 0
    ways: Annotated[int, unit("ways", "associativity; 0: full", ge=0, le=1 << 16)] = 0
    line: Annotated[Bytes, unit("bytes", "line size, a power of two", ge=4, le=4096)] = 128
    hit_latency: Annotated[
        int, unit("cycles", "from access to data on a hit", ge=1, le=LONGEST)
    ] = 1
    mshrs: Annotated[int, unit("entries", "misses in flight; 0: unlimited", ge=0, le=1024)] = 0
    targets: Annotated[
        int, unit("requests", "requests an entry tracks; 0: unlimited", ge=0, le=30000)
    ] = 0
    banks: Annotated[
        int, unit("banks", "banks; 0: one per lane (L1) or per WPU (L2)", ge=0, le=1024)
    ] = 0

    @property
    def n_ways(self) -> int:
        """Lines of a set."""
        return self.ways or max(1, self.size // self.line)

    @property
    def sets(self) -> int:
        """Number of sets."""
        return max(1, self.size // (self.line * self.n_ways))

    @property
    def line_shift(self) -> int:
        """log2 of the line size."""
        return self.line.bit_length() - 1

    @model_validator(mode="after")
    def _geometry(self) -> Cache:
        if self.line & (self.line - 1):
            raise ValueError(f"line = {self.line}: must be a power of two")
        if self.banks & (self.banks - 1):
            raise ValueError(f"banks = {self.banks}: must be a power of two")
        if self.size:
            lines, rest = divmod(self.size, self.line)
            if rest:
                raise ValueError(f"size = {self.size}: must be a multiple of line = {self.line}")
            if lines % self.n_ways:
                raise ValueError(f"{lines} lines cannot be divided into {self.n_ways} ways")
            if self.sets & (self.sets - 1):
                raise ValueError(
                    f"size = {self.size} with {self.n_ways} ways of {self.line} bytes makes "
                    f"{self.sets} sets: must be a power of two"
                )
        return self


class Link(Part):
    """A crossbar or bus: a transfer occupies it for its bytes, and takes `latency` to arrive."""

    latency: Annotated[int, unit("cycles", "one way", ge=0, le=LONGEST)] = 0
    bytes_per_cycle: Annotated[
        float, unit("bytes/cycle", "bandwidth", strict=False, ge=0.001, le=1e6)
    ] = 1024.0

    @cached_property
    def fraction(self) -> tuple[int, int]:
        """(bytes, cycles) of the bandwidth as whole numbers, to a thousandth of a byte."""
        ratio = Fraction(self.bytes_per_cycle).limit_denominator(1000)
        return ratio.numerator, ratio.denominator


class Crossbar(Link):
    """The crossbar: a link at each WPU and bank, with a clock of its own or with that of the WPUs.

    With its own clock a transfer begins at a crossbar cycle, and occupies whole ones, one or more.
    """

    clock_mhz: Annotated[
        float,
        unit(
            "MHz", "of its ports; 0: no edges, bytes pass at any time", strict=False, ge=0, le=1e6
        ),
    ] = 0.0


class Dram(Part):
    """Main memory: `flat` has one latency; `rows` has banks with an open row each, FCFS."""

    model: Annotated[Literal["flat", "rows"], unit("", "kind")] = "flat"
    latency: Annotated[int, unit("cycles", "flat: an access", ge=1, le=LONGEST)] = 100
    banks: Annotated[int, unit("banks", "rows: banks", ge=1, le=1024)] = 8
    row: Annotated[Bytes, unit("bytes", "rows: row buffer of a bank", ge=64, le=1 << 30)] = 4096
    row_hit: Annotated[int, unit("cycles", "rows: access to the open row", ge=1, le=LONGEST)] = 100
    row_conflict: Annotated[
        int, unit("cycles", "rows: access to another row", ge=1, le=LONGEST)
    ] = 300
