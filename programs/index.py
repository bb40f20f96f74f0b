"""Index of the programs, and the one that a name means.

Programs are found by their `.sasm` files; the Python file beside one is imported only when its
workload is asked for, so that listing names stays cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..isa.errors import UsageError, did_you_mean
from ..isa.quoting import shown
from .mappings import CYCLIC, MAPPINGS, TaskMapping
from .workload import Workload

if TYPE_CHECKING:
    from ..asm.assemble import Markers
    from ..isa.program import Program

FOLDERS = ("basics", "dws", "lwm", "ppc", "lessons")
"""In the order in which an ambiguous short name is looked up."""

_ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """A program: `<folder>/<short>.sasm` and the Python file beside it.

    `remark` says what else a short name could have meant; it is empty otherwise. `parameters`
    replace those of the size that runs. `variant` returns the program with another `mapping` of
    tasks to work-items, or with numbers of other types (`data`, empty for the usual ones).
    """

    folder: str
    short: str
    remark: str = field(default="", compare=False)
    parameters: tuple[tuple[str, float], ...] = ()
    mapping: TaskMapping = CYCLIC
    data: str = ""

    @property
    def name(self) -> str:
        """The full name, as `basics/saxpy`."""
        return f"{self.folder}/{self.short}"

    @property
    def path(self) -> Path:
        """The kernel source."""
        ending = f"_{self.data}" if self.data else ""
        return _ROOT / self.folder / f"{self.short}{ending}.sasm"

    @property
    def includes(self) -> Mapping[str, str]:
        """The files that the source includes instead of those it names; see `asm.assemble`."""
        return self.mapping.includes

    def assemble(self, markers: Markers = "auto") -> Program:
        """Return the assembled kernels."""
        from ..asm.assemble import assemble

        return assemble(self.path, markers=markers, includes=self.includes)

    @cached_property
    def workload(self) -> Workload:
        """Sizes, inputs, launch sequence and reference; imports the program's Python file."""
        usual = import_module(f".{self.folder}.{self.short}", __package__).WORKLOAD
        return next(w for w in (usual, *usual.other) if w.data == self.data or not self.data)

    def variant(self, mapping: str | None = None, data: str | None = None) -> Entry:
        """Return the program with another mapping of tasks, or other data. Raises UsageError.

        `mapping` is one of `workload.mappings`, `data` one of `data_names`; None keeps what the
        entry has.
        """
        found = self
        if mapping is not None:
            names = self.workload.mappings
            self._check(mapping, names, "mapping", _why_not(mapping, names))
            found = replace(found, mapping=MAPPINGS[mapping])
        if data is not None:
            names = self.data_names
            self._check(data, names, "data", "")
            found = replace(found, data="" if data == names[0] else data)
        return found

    @property
    def data_names(self) -> tuple[str, ...]:
        """The types that the program's numbers can have, the usual ones first."""
        usual = replace(self, data="").workload
        return tuple(w.data for w in (usual, *usual.other) if w.data)

    def _check(self, name: str, known: tuple[str, ...], what: str, why: str) -> None:
        """Raise UsageError unless the name is one of these."""
        if isinstance(name, str) and name in known:
            return
        if not known:
            raise UsageError(
                f"{self.name} has one {what} only, so {shown(name)} cannot be chosen",
                hint="the programs in dws/ have several" if what == "mapping" else "",
            )
        raise UsageError(
            f"{self.name} has no {what} {shown(name)}{why}; it has {', '.join(known)}",
            hint=did_you_mean(name, known),
        )

    @property
    def choices(self) -> tuple[str, ...]:
        """What `chosen` takes: names of parameters, and `mapping` and `data` if there are any."""
        variants = {"mapping": self.workload.mappings, "data": self.data_names}
        return (*self.workload.parameters, *(name for name, known in variants.items() if known))

    def chosen(self, values: Mapping[str, Any]) -> Entry:
        """Return the program with a mapping, data and parameters by name. Raises UsageError."""
        rest = {name: value for name, value in values.items() if name not in ("mapping", "data")}
        found = self.variant(values.get("mapping"), values.get("data"))
        return found.with_parameters(**rest) if rest else found

    def with_parameters(self, **parameters: float) -> Entry:
        """Return the program with these parameters in place of a size's. Raises UsageError."""
        known = self.workload.parameters
        values = dict(self.parameters)
        for name, value in parameters.items():
            if name not in known:
                _refuse_parameter(self, name)
            if not known[name].allows(value):
                raise UsageError(
                    f"{self.name} cannot have {name}={shown(value)}: expected {known[name].range}",
                    code="SIM515",
                    hint=f"{name}: {known[name].text}",
                )
            values[name] = int(value) if known[name].whole else value
        return replace(self, parameters=tuple(values.items()))


def _why_not(mapping: object, known: tuple[str, ...]) -> str:
    """Return why a program without this mapping cannot have it."""
    if known and isinstance(mapping, str) and mapping in MAPPINGS:
        return ", because its tasks are not the cells of a grid"
    return ""


def _refuse_parameter(entry: Entry, name: str) -> NoReturn:
    known = tuple(entry.workload.parameters)
    if not known:
        raise UsageError(
            f"{entry.name} has no parameters",
            code="SIM515",
            hint="choose a size; `simtlab programs NAME` lists sizes and parameters",
        )
    raise UsageError(
        f"{entry.name} has no parameter {shown(name)}; it has {', '.join(known)}",
        code="SIM515",
        hint=did_you_mean(name, known),
    )


@cache
def catalogue() -> tuple[Entry, ...]:
    """Return all programs, folder by folder, each folder in the order of the alphabet."""
    return tuple(
        Entry(folder, path.stem)
        for folder in FOLDERS
        for path in sorted((_ROOT / folder).glob("*.sasm"))
        if path.with_suffix(".py").exists()
    )


def find(name: str) -> Entry:
    """Return the program of this full or short name. Raises UsageError.

    A short name that several folders know means the first of `FOLDERS`, with a remark.
    """
    entries = catalogue()
    matches = [e for e in entries if isinstance(name, str) and name in (e.name, e.short)]
    if not matches:
        known = tuple(dict.fromkeys(n for e in entries for n in (e.short, e.name)))
        raise UsageError(
            f"unknown program {shown(name)}",
            hint=did_you_mean(name, known) or "`simtlab programs` lists them all",
        )
    first, *others = matches
    if not others:
        return first
    also = " and ".join(e.name for e in others)
    return Entry(first.folder, first.short, f"{name!r} means {first.name}; there is also {also}")
