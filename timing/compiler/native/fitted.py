"""Native code of an engine for one machine, whose numbers are constants of the code.

The general code of an engine (entry.py) serves every machine and every setting. A long run gets
code of its own. There the fields of the header that nothing changes are numbers, and the tables lie
at fixed offsets from the header. LLVM folds both into addresses, bounds of loops and conditions.
The code checks them when it is called, so a header with other numbers runs the general code.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from ....emu.jit.llvm.toolchain import Compiled, Level, compile_text
from ....isa.errors import UsageError
from ..compose import LOCK, Composition
from .entry import ENTRY, NotKept, engine_function, not_kept
from .known import UNFIT, Known

LONG = 5.0
"""Seconds of CPU time for which a machine runs before code is made for it, which takes two."""

CHANGING = frozenset(
    (
        *("start_fn", "group_memory", "group_bytes", "private_bytes", "private_stride"),
        *("code_base", "workgroups", "workgroup_warps", "workgroup_items", "launch", "budget"),
        *("exited_arrive", "pause_at", "script_length", "segments"),
    )
)
"""Fields that no engine code assigns, and that Python sets after `setup`."""

MOVING = frozenset(("", "seg", "seg_cycles", "seg_count", "script"))
"""Tables that come after `setup`: those of a kernel's code, and a script."""


class Fitted:
    """An engine's code for the header of one machine: call it as the engine's entry.

    It is the general code until that has run for `LONG` seconds. Another thread then makes the
    fitted code, which is kept on disk. If it is found there, it is used at once.
    """

    def __init__(self, composition: Composition, known: Known) -> None:
        self._composition = composition
        self._known = known
        self._seconds = 0.0
        self._thread: threading.Thread | None = None
        self._call: Callable[[int, int], int] | None = None
        self.code: Compiled | None = None
        """The fitted code, once there is some."""
        try:
            self._compile(not_kept)
        except NotKept:
            pass

    def __call__(self, header: int, n: int) -> int:
        """Return the result of the entry."""
        if self._call is not None:
            answer = self._call(header, n)
            if answer != UNFIT:
                return answer
        general = self._composition.entry
        assert general is not None
        if self._seconds > LONG and self._thread is None:
            self._thread = threading.Thread(target=self._try, name="simtlab-fitting")
            with suppress(RuntimeError):  # the system has no more threads
                self._thread.start()
        start = time.thread_time()
        answer = general(header, n)
        self._seconds += time.thread_time() - start
        return answer

    def optimise(self) -> None:
        """Make the fitted code now, if there is none."""
        if self.code is None:
            self._compile(self._ir)

    def _try(self) -> None:
        with suppress(UsageError):  # too much code is in memory: the general code goes on
            self.optimise()

    def _compile(self, ir: Callable[[], str]) -> None:
        key = f"{self._composition.name} {self._composition.fields} {self._known}"
        code = compile_text(ir, [ENTRY], level=Level.WHOLE, key=key)
        self._call, self.code = engine_function(code), code

    def _ir(self) -> str:
        from .translation import native_ir

        engine = self._composition
        with LOCK:
            space = vars(engine.namespace)
            return native_ir(space, "run", ENTRY, engine.fields, known=self._known)


def fitted(
    composition: Composition, numbers: Mapping[str, int], places: Mapping[str, int]
) -> Fitted:
    """Return the code of an engine for the machine that gives these `numbers` to its header.

    `places` are the offsets of tables from the header.
    """
    known = Known(
        {name: value for name, value in numbers.items() if name not in CHANGING},
        {name: place for name, place in places.items() if name not in MOVING},
    )
    key = (*known.constants.values(), *known.places.values())
    with LOCK:
        found = composition.fitted.find(key)
        return found or composition.fitted.keep(key, Fitted(composition, known))
