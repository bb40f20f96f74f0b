"""Launches of which Python's part is one call: native code looks its arguments up itself.

Python takes two microseconds to compare the arguments of a launch with those of the one before,
which is as long as a small kernel runs. So arguments that a launch had before are compared and
written by native code (`direct.ll`), which uses Python's stable C interface only.

The book of a launch is an array of i64:

    16 words    parameters, entries, address of the kernel, workgroups, address of None,
                nanoseconds up to which a result is made, its type, what all results have in common,
                places of that, of statistics and of seconds in a result, workgroups of the first
                call of the kernel, bytes of counts, nanoseconds of a brief call
    4 words     for each parameter: kind (0 pointer, 1 float, 2 signed, 3 unsigned), offset, bits
    entries     10 words: state, cell, table, context, arguments, nanoseconds of the last call,
                address of what is copied before (copies.py) or 0, whether arrays of NumPy may lie
                elsewhere, addresses of what is cleared before, and of counts or 0
                4 words for each parameter: the object; its type; whether the argument's bytes are
                that object's; for an array of NumPy the address of its fields (hosts.py)

An entry is for one combination of arrays. Its state is 0 if it is not used, 1 if it is idle, and 2
while a thread runs with it. The cell is 1 as long as the table of buffers is that of its memory;
then the table is alive. An array of a device that ends takes its own address out of the book.
Arrays of NumPy are compared by their fields.
"""

from __future__ import annotations

import ctypes
import sys
from array import array
from collections.abc import Sequence
from functools import cache
from itertools import repeat
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from ...analysis.suitability.limits import backward_branches
from ...geometry import Geometry
from ...result import Launched, Result
from ...statistics import Statistics
from ..llvm.toolchain import Compiled, compile_text
from ..runtime.context import Slot
from ..runtime.once import Once
from .hosts import Hosts, are_known

if TYPE_CHECKING:
    from ....isa.program import Kernel
    from .plan import Plan, Scratch
    from .table import Table

HEAD = 16
PER_ENTRY = 10
PER_PARAM = 4
ENTRIES, LIMIT, TYPE, FIRST, COUNTED, BRIEF = 1, 5, 6, 11, 12, 13
UNUSED, IDLE = 0, 1
CELL, TABLE, CONTEXT, KERNARGS, SPENT, COPIES, MAY_MOVE, CLEARED, COUNTS = range(1, 10)
"""Words of an entry after its state."""

METH_O = 8
"""Python's flag for functions of one argument."""

FIRST_ITEMS = 1 << 12
"""Most work-items of the first call of a kernel: it shows how long the others will take."""

MOST_BRIEF = 5000
"""Nanoseconds of a call that keeps Python's lock: releasing and taking it takes 50 (measured)."""

MOST_EXECUTED = 1 << 20
"""Instructions of all work-items of such a call, in case that few of them ran in the last one."""

FIRST_SHARE = 64
"""Parts of a launch, of which it is one at most: it takes a second in a launch of a minute."""

_PYTHON = (
    "PyTuple_Size", "PyTuple_GetItem", "PyObject_Type", "Py_IncRef", "Py_DecRef",
    "PyFloat_AsDouble", "PyFloat_FromDouble", "PyNumber_Index", "PyLong_AsLongLong",
    "PyLong_AsUnsignedLongLong", "PyLong_AsVoidPtr", "PyErr_Occurred", "PyErr_Clear",
    "PyEval_SaveThread", "PyEval_RestoreThread", "PyType_GenericAlloc", "PyErr_CheckSignals",
    "PyBytes_FromStringAndSize",
)  # fmt: skip


class _Method(ctypes.Structure):
    """A PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Kept(NamedTuple):
    """What an entry of the book needs alive."""

    scratch: Scratch
    given: tuple[object, ...]
    """The numbers, whose addresses are compared."""
    others: tuple[object, ...]


class Direct:
    """The entries of a launch, and the function that runs it."""

    def __init__(self, plan: Plan, kernel: Kernel, entries: int) -> None:
        self._idle = plan.idle
        self._params = kernel.params
        n = len(kernel.params)
        self._stride = PER_ENTRY + PER_PARAM * n
        self._first = HEAD + PER_PARAM * n
        head = n, entries, plan.code_address, plan.n_groups, id(None)
        room = self._first + entries * self._stride - len(head)
        self._book = array("q", (*head, *repeat(0, room)))
        self._address = self._book.buffer_info()[0]
        self._book[LIMIT] = -1
        self._book[FIRST] = first_groups(plan)
        self._book[COUNTED] = 8 * plan.count_words
        self._book[BRIEF] = MOST_BRIEF if _is_bounded(plan) else 0
        self._common: object = None
        for i, param in enumerate(kernel.params):
            kind = 0 if param.is_pointer else 1 if param.type.is_float else 3
            kind -= kind == 3 and param.type.is_signed
            at = HEAD + PER_PARAM * i
            _write(self._book, at, kind, param.offset, param.type.bits)
        self._kept: list[_Kept | None] = [None] * entries
        self._next = 0
        self.run = _function(self._address)
        """Takes a tuple of arguments; returns the result, seconds, a number for `trapped`, or None.

        Seconds are returned where no results are made.
        """

    @property
    def is_closed(self) -> bool:
        """Whether a launch that counts was longer than the limit."""
        return self._book[ENTRIES] == 0

    def make_results(self, like: Result, limit: float) -> None:
        """Let native code make results of launches of up to `limit` seconds."""
        places = _places()
        if places is not None:
            self._common = like.launched
            _write(self._book, TYPE, id(Result), id(self._common), *places)
            self._book[LIMIT] = int(limit * 1e9)

    def enter(self, args: Sequence[Any], scratch: Scratch, table: Table | None) -> bool:
        """Write an entry for arguments that `scratch` has; return whether one was not in use.

        The scratch is the entry's from then on. Without a table the arrays are NumPy's.
        """
        if table is None and not (scratch.has_parameters and are_known()):
            return False
        number, book = self._next, self._book
        at = self._place(number)
        self._next = (number + 1) % len(self._kept)
        if not self._claimed(number):
            return False
        self._forget(number)
        given, others = [], []
        hosts = Hosts(scratch) if table is None else None
        for i, (param, value) in enumerate(zip(self._params, args, strict=True)):
            word = at + PER_ENTRY + PER_PARAM * i
            _write(book, word, id(value), id(type(value)), 1, 0)
            if not param.is_pointer:
                given.append(value)
            elif hosts is None:
                others.append(_watched(value, book, word))
            else:
                book[word + 3] = hosts.fields_of(value, i)
        cell = array("q", [1]) if table is None else table.current
        copies = scratch.copies
        self._kept[number] = _Kept(scratch, tuple(given), (*others, cell, hosts))
        book[at + CELL] = cell.buffer_info()[0]
        book[at + TABLE] = id(table)
        book[at + CONTEXT] = scratch.address
        book[at + KERNARGS] = int(scratch.context[Slot.KERNARG])
        book[at + MAY_MOVE] = hosts is not None and hosts.may_move
        book[at + CLEARED] = scratch.cleared.buffer_info()[0]
        book[at + COUNTS] = 0 if scratch.counts is None else scratch.counts.ctypes.data
        book[at + SPENT] = 0
        book[at + COPIES] = 0 if copies is None else copies.words.buffer_info()[0]
        book[at] = IDLE
        return True

    def trapped(self, result: float) -> tuple[Scratch, float]:
        """Return the scratch of the entry that has trapped, and seconds; take the entry out.

        `result` is what `run` has returned, which is negative.
        """
        number = -int(result) - 1
        kept = self._kept[number]
        assert kept is not None
        self._kept[number] = None
        place = self._place(number)
        seconds = float(self._book[place + SPENT]) * 1e-9
        self._book[place] = UNUSED
        return kept.scratch, seconds

    def clear(self) -> None:
        """Take out the entries that no thread uses."""
        for number in range(len(self._kept)):
            if self._claimed(number):
                self._forget(number)
                self._book[self._place(number)] = UNUSED

    def _place(self, number: int) -> int:
        return self._first + number * self._stride

    def _claimed(self, number: int) -> bool:
        """Take an entry for this thread, if it is not in use."""
        return bool(_claim()(self._address + 8 * self._place(number)))

    def _forget(self, number: int) -> None:
        kept, self._kept[number] = self._kept[number], None
        if kept is not None:
            self._idle.append(kept.scratch)


def first_groups(plan: Plan) -> int:
    """Return how many workgroups the first call of a kernel is for; all where none takes long."""
    if not backward_branches(plan.kernel):
        return plan.n_groups
    most = FIRST_ITEMS // prod(plan.geometry.group_size)
    first = max(1, min(plan.n_groups // FIRST_SHARE, most))
    return min(plan.n_groups, -(-first // plan.row) * plan.row)


def _is_bounded(plan: Plan) -> bool:
    """Return whether a call is short whatever its arguments, and waits for no other thread.

    The last call may have been short because its arguments let all work-items return at once.
    """
    instructions = plan.kernel.instructions
    return not (
        prod(plan.geometry.items) * len(instructions) > MOST_EXECUTED
        or backward_branches(plan.kernel)
        or any(i.row.is_atomic for i in instructions)
    )


def _write(book: array[int], at: int, *words: int) -> None:
    for place, word in enumerate(words, at):
        book[place] = word


def _watched(value: Any, book: array[int], word: int) -> ref[Any]:
    """Return a reference to an array that takes its address out of a book when it ends."""

    def ended(_value: object) -> None:
        book[word] = 0

    return ref(value, ended)


@cache
def _places() -> tuple[int, ...] | None:
    """Return where a result has what native code writes, in bytes; None if that is not found.

    Each is looked up in an object whose fields are known.
    """
    fields = Launched("", "", "", Geometry((1, 1, 1), (1, 1, 1), 1)), Statistics(), 0.5
    result = Result(*fields[0], *fields[1:])
    sought = result.launched, fields[1], fields[2]
    words = ctypes.string_at(id(result), Result.__basicsize__)
    found = np.frombuffer(words, np.uintp)
    places = [np.flatnonzero(found == id(field)) for field in sought]
    if any(place.size != 1 for place in places):
        return None
    return tuple(int(place[0]) * found.itemsize for place in places)


def makes_results() -> bool:
    """Return whether native code can make the results of launches."""
    return _places() is not None


def is_supported() -> bool:
    """Return whether this Python has the interface that native code uses, and one lock."""
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    return sys.implementation.name == "cpython" and sys.platform == "linux" and has_lock


@Once
def _compiled() -> Compiled:
    parts = (Path(__file__).with_name(name) for name in ("direct.ll", "arguments.ll"))
    text = "".join(part.read_text(encoding="utf-8") for part in parts)
    symbols = {name: _address(ctypes.pythonapi, name) for name in _PYTHON}
    system = ctypes.CDLL(None)
    symbols |= {name: _address(system, name) for name in ("clock_gettime", "memcpy", "memset")}
    return compile_text(text, ["simtlab_direct", "simtlab_claim"], key=text, symbols=symbols)


def _address(library: ctypes.CDLL, name: str) -> int:
    found = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    assert found is not None
    return found


@Once
def _claim() -> Any:
    """Return the function that claims an entry; it runs under Python's lock."""
    return ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(_compiled()["simtlab_claim"])


@Once
def _method() -> _Method:
    return _Method(b"launch", _compiled()["simtlab_direct"], METH_O, None)


def _function(book: int) -> Any:
    """Return the native function with a book as its object."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.argtypes = ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
    make.restype = ctypes.py_object
    return make(ctypes.addressof(_method()), book, None)
