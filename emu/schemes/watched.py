"""Watched schemes: after every event each lane must be where its own instructions lead it.

Lanes execute in order, whichever path they are in. So the pc of each lane after an event follows
from the event alone. The scheme's `pc` and `mask` of the running path and those of `parked()` must
agree with it: every live lane in one path, at its own pc.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...isa.errors import Outcome, SimtError
from .base import Scheme


class SchemeError(SimtError):
    """A divergence scheme of the user's has lost or moved lanes, or raised an exception."""

    code = "SIM443"
    outcome = Outcome.FINDING


def watched(cls: type[Scheme], scheme_name: str) -> type[Scheme]:
    """Return a subclass of a scheme that raises SchemeError for the first event that goes wrong."""

    class Watched(cls):
        name = scheme_name

        def __init__(self, mask: int, options: dict[str, str | int | bool]) -> None:
            self.__lanes = {lane: 0 for lane in range(64) if mask >> lane & 1}
            """Lane -> its pc, for lanes that have not returned."""
            self.__event("__init__", lambda: cls.__init__(self, mask, options))
            self.__check("__init__")

        def branch(self, taken: int, target: int, fall: int, join: int | None) -> None:
            places = {n: target if taken >> n & 1 else fall for n in self.__running()}
            self.__event("branch", lambda: cls.branch(self, taken, target, fall, join))
            self.__lanes |= places
            self.__check("branch")

        def exit(self) -> None:
            for lane in self.__running():
                del self.__lanes[lane]
            self.__event("exit", lambda: cls.exit(self))
            self.__check("exit")

        def arrive(self) -> None:
            self.__keep("arrive", lambda: cls.arrive(self))

        def reconverge(self) -> None:
            self.__keep("reconverge", lambda: cls.reconverge(self))

        def barrier(self) -> bool:
            before = self.__running()
            may_wait = self.__keep("barrier", lambda: cls.barrier(self), check=False)
            if may_wait not in (True, False):
                raise self.__wrong("barrier", f"returns {may_wait!r} instead of True or False")
            if may_wait:
                self.__check("barrier")
                again = [lane for lane in before if self.mask >> lane & 1]
                if again:
                    raise self.__wrong(
                        "barrier", f"lets {_lanes(again)} run before the barrier opens"
                    )
            return may_wait

        def release(self) -> None:
            self.__event("release", lambda: cls.release(self))
            # All remaining lanes are at the barrier when it opens.
            self.__lanes = {lane: pc + 1 for lane, pc in self.__lanes.items()}
            self.__check("release")

        def __running(self) -> list[int]:
            """Return the lanes that run, which are at `pc` by now."""
            lanes = [lane for lane in self.__lanes if self.mask >> lane & 1]
            self.__lanes |= dict.fromkeys(lanes, self.pc)
            return lanes

        def __keep(self, event: str, call: Callable[[], Any], *, check: bool = True) -> Any:
            """Pass on an event that moves no lane."""
            self.__running()
            answer = self.__event(event, call)
            if check:
                self.__check(event)
            return answer

        def __event(self, event: str, call: Callable[[], Any]) -> Any:
            try:
                return call()
            except SimtError:
                raise
            except Exception as error:
                what = " ".join(str(error).split())
                frames = traceback.extract_tb(error.__traceback__)
                own = [f for f in frames if f.filename == _file_of(cls)]
                place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else cls.__name__
                what = f"{type(error).__name__}: {what}"
                raise SchemeError(
                    f"{place}: {event} of scheme {scheme_name} raises {what}"
                ) from error

        def __check(self, event: str) -> None:
            """Compare all paths with the lanes."""
            try:
                paths = [(self.mask, self.pc), *self.parked()]
                valid = all(type(x) is int for path in paths for x in (path[0], path[1]))
            except Exception as error:
                raise self.__wrong("parked", f"raises {type(error).__name__}: {error}") from error
            if not valid:
                raise self.__wrong(event, "leaves masks or pcs that are not whole numbers")
            seen = 0
            for mask, pc in paths:
                if mask & seen:
                    raise self.__wrong(event, f"has {_lanes(_bits(mask & seen))} in two paths")
                seen |= mask
                for lane in _bits(mask):
                    wanted = self.__lanes.get(lane)
                    if wanted is None:
                        raise self.__wrong(
                            event,
                            f"has lane {lane} in a path; that lane has returned or does not exist",
                        )
                    if wanted != pc:
                        raise self.__wrong(
                            event,
                            f"has lane {lane} in a path at pc {pc}; its own instructions lead it "
                            f"to pc {wanted}",
                        )
            lost = [lane for lane in self.__lanes if not seen >> lane & 1]
            if lost:
                raise self.__wrong(event, f"loses {_lanes(lost)}")

        def __wrong(self, event: str, what: str) -> SchemeError:
            function = getattr(cls, event)
            code = getattr(function, "__code__", None)
            place = f"{Path(code.co_filename).name}:{code.co_firstlineno}: " if code else ""
            return SchemeError(
                f"{place}{event} of scheme {scheme_name} {what}",
                hint="every live lane is in one path: the running one, or one of parked(); "
                "simtlab.testing.scheme_contract finds a small kernel that shows it",
            )

    Watched.__name__ = Watched.__qualname__ = cls.__name__
    return Watched


def _file_of(cls: type) -> str:
    methods = [f for f in vars(cls).values() if hasattr(f, "__code__")]
    return methods[0].__code__.co_filename if methods else ""


def _bits(mask: int) -> list[int]:
    return [lane for lane in range(mask.bit_length()) if mask >> lane & 1] if mask >= 0 else [-1]


def _lanes(lanes: list[int]) -> str:
    return ("lane " if len(lanes) == 1 else "lanes ") + ", ".join(map(str, lanes))
