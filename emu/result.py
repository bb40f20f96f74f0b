"""The result of a launch besides its memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from .frames import frame_of
from .geometry import Geometry
from .memory import Memory
from .statistics import Statistics
from .text.tables import labelled, labelled_html

_NEW = object.__new__


class Launched(NamedTuple):
    """What all results of a launch have in common."""

    kernel: str
    engine: str
    scheme: str
    geometry: Geometry


class Counted(Launched):
    """The same of a launch that counts: its results have counts of native code as bytes."""

    statistics_of: Callable[[bytes], Statistics]
    """Returns the statistics that these counts are, which takes longer than a small launch."""


def _read_only(place: str) -> Any:
    """Return a field that is read from `place` and cannot be set."""
    return property(attrgetter(place))


def _statistics_of(result: Result) -> Statistics | None:
    """Return what a launch has counted."""
    found: Any = result._statistics
    if isinstance(found, bytes):
        found = result._statistics = result._launched.statistics_of(found)
    elif callable(found):
        found = result._statistics = found()
    return found


@dataclass(init=False, unsafe_hash=True)
class Result:
    """One launch: the engine that ran it, and what was counted. Times are host seconds.

    Fields are read-only. A launch of a small kernel takes less than a microsecond, so making its
    result is setting three slots.
    """

    kernel: str = _read_only("_launched.kernel")
    engine: str = _read_only("_launched.engine")
    scheme: str = _read_only("_launched.scheme")
    geometry: Geometry = _read_only("_launched.geometry")  # noqa: RUF009
    statistics: Statistics | None = property(_statistics_of)  # noqa: RUF009 # pyright: ignore
    host_seconds: float = _read_only("_host_seconds")

    __slots__ = ("_host_seconds", "_launched", "_statistics")

    def __init__(
        self,
        kernel: str,
        engine: str,
        scheme: str,
        geometry: Geometry,
        statistics: Statistics | None,
        host_seconds: float,
    ) -> None:
        self._launched: Any = Launched(kernel, engine, scheme, geometry)
        self._statistics: Any = statistics
        self._host_seconds = host_seconds

    def __reduce__(self) -> tuple[object, ...]:
        return Result, (*self._launched[:4], self.statistics, self._host_seconds)

    @property
    def launched(self) -> Launched:
        """What all results of the launch have in common."""
        return self._launched

    def counts_again(self) -> Callable[[], Statistics]:
        """Return what returns statistics of their own to launches with the same counts."""
        return partial(self._launched.statistics_of, self._statistics)

    def set_counts(self, counts: Callable[[], Statistics], seconds: float = 0.0) -> None:
        """Let statistics be what this returns when they are asked for; counting took `seconds`."""
        self._statistics = counts
        self._host_seconds += seconds

    def counted_by(self, statistics_of: Callable[[bytes], Statistics]) -> Result:
        """Return a result of the launch, whose results may have counts for this function."""
        result = self.again(0.0)
        result._launched = launched = Counted(*self._launched)
        launched.statistics_of = statistics_of
        return result

    def again(self, seconds: float, counts: bytes | None = None) -> Result:
        """Return the result of the same launch that has taken so many seconds, and its counts."""
        result = _NEW(Result)
        result._launched = self._launched
        result._statistics = counts
        result._host_seconds = seconds
        return result

    def to_dict(self) -> dict[str, object]:
        """Return the fields for JSON; statistics are null unless they were counted."""
        counts = (self.statistics or Statistics()).to_dict()
        if self.statistics is None:
            counts = dict.fromkeys(counts)
        return {
            "kernel": self.kernel,
            "engine": self.engine,
            "scheme": self.scheme,
            "warp_width": self.geometry.width,
            "items": list(self.geometry.items),
            "group_size": list(self.geometry.group_size),
            **counts,
            "host_seconds": self.host_seconds,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row. Raises UsageError without pandas."""
        return frame_of([self.to_dict()])

    def rows(self) -> list[tuple[str, str]]:
        """Return label and value of the rows that a person wants to see."""
        s, g = self.statistics, self.geometry
        rows = [
            ("kernel", self.kernel),
            ("run by", f"{self.engine}, scheme {self.scheme}, warps of {g.width}"),
            ("work-items", g.described()),
        ]
        if s is not None:
            rows += s.rows()
        rows.append(("host time", _duration(self.host_seconds)))
        return rows

    def __str__(self) -> str:
        return labelled(self.rows(), least=19)

    def _repr_html_(self) -> str:
        return labelled_html(self.rows())


def memory_digest(memory: Memory) -> str:
    """Return eight hexadecimal digits over the live buffers' content, in order of creation."""
    crc = 0
    for buffer in memory.buffers:
        if buffer.alive:
            crc = zlib.crc32(buffer.host.data, crc)
    return f"{crc:08x}"


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.9995 else f"{seconds:.2f} s"
