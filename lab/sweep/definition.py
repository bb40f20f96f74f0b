"""Definitions of sweeps: lists of names and values, from a TOML file or from Python.

A list of values is an axis, and a sweep is the product of its axes. Every name and key is checked
before anything runs; a mistake is reported with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from ...isa.errors import Diagnostic, SimtError, Span, did_you_mean
from ...isa.quoting import shown
from ...programs.index import find as find_program
from ...timing.compiler.choice import ALL, sets_for
from ...timing.compiler.files import Policy
from ...timing.compiler.files import find as find_policy
from ...timing.machines.machine import KEYS as MACHINE_KEYS
from ...timing.machines.machine import load
from ...timing.policies import POLICIES
from ..runs.run import PARAMETER, KernelLaunch, Run, Scalar
from .kernels import Kernel, kernels_of
from .places import Places, SweepError, read_toml
from .plot import Plot, plot_of

KEYS = (
    "title", "programs", "sizes", "machines", "policies", "seeds", "baseline", "fields", "kernels",
    "plot",
)  # fmt: skip

PATHS = ("memory", "scheduler")
"""Fields of a machine that may name an engine file."""

MOST_RUNS = 1_000_000


@dataclass(frozen=True)
class Definition:
    """A sweep: programs x sizes x machines x policies x fields x seeds.

    Files are named by paths relative to `folder`.
    """

    programs: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ("small",)
    machines: tuple[str, ...] = ("dws",)
    policies: tuple[str, ...] = ("conv",)
    fields: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    seeds: tuple[int, ...] = (0,)
    kernels: tuple[Kernel, ...] = ()
    baseline: str | None = None
    optional: frozenset[str] = frozenset()
    """Policies that `all` has added: left out where the machine cannot run them."""
    title: str = ""
    plot: Plot | None = None
    folder: Path = field(default_factory=Path)
    places: Places | None = field(default=None, repr=False, compare=False)

    def runs(self) -> list[Run]:
        """Return the runs, each once: policies change fastest, programs slowest.

        Settings are for those policies that have them. Raises SweepError if there are none, or more
        than a million.
        """
        policies = [find_policy(self._recorded(name)) for name in self.policies]
        names = [self._recorded(p) for p in self.policies]
        n = self.size
        if n > MOST_RUNS:
            raise SweepError(f"the sweep has {n:,} runs: expected at most {MOST_RUNS:,}")
        found = dict.fromkeys(self._runs(list(zip(policies, names, strict=True))))
        if not found:
            raise SweepError("the sweep has no runs", hint="an axis without values leaves nothing")
        return list(found)

    @property
    def size(self) -> int:
        """The number of runs, counting those that are equal."""
        n = len(self.programs) * len(self.sizes) + len(self.kernels)
        for axis in (self.machines, self.policies, self.seeds, *self.fields.values()):
            n *= len(axis)
        return n

    def _runs(self, policies: Sequence[tuple[Policy, str]]) -> Iterator[Run]:
        subjects: list[tuple[str, str, KernelLaunch | None]] = [
            *((self._recorded(p), size, None) for p in self.programs for size in self.sizes),
            *((kernel.path, kernel.size, kernel.launch) for kernel in self.kernels),
        ]
        values = [dict(zip(self.fields, v, strict=True)) for v in product(*self.fields.values())]
        parameters = {program: _parameters_of(program) for program, _, _ in subjects}
        for (program, size, launch), machine, sets, seed, (policy, name) in product(
            subjects, self.machines, values, self.seeds, policies
        ):
            own = tuple(
                (key, value)
                for key, value in sets_for(policy, sets).items()
                if not key.startswith(PARAMETER) or key in parameters[program]
            )
            yield Run(program, size, self._recorded(machine), name, own, seed, launch)

    def _recorded(self, name: str) -> str:
        """Return a name, or the path of a file wherever the sweep is run from."""
        return str((self.folder / name).resolve()) if is_path(name) else name

    def axes(self) -> Iterator[tuple[str, str, Sequence[Any]]]:
        """Yield table, key and values of what a run takes one value each of."""
        for key in ("programs", "sizes", "machines", "policies", "seeds"):
            yield "", key, getattr(self, key)
        for key, values in self.fields.items():
            yield "fields", key, values

    def place(self, table: str, key: str = "", value: object = None, nth: int = 0) -> Span | None:
        """Return where something was written, if the sweep is from a file."""
        return self.places.of(table, key, value, nth) if self.places is not None else None


def _parameters_of(program: str) -> set[str]:
    """Return the keys of a program's parameters: none of a file, which has them in its sizes."""
    if is_path(program):
        return set()
    return {PARAMETER + name for name in find_program(program).choices}


def is_path(name: str) -> bool:
    """Return whether a name is that of a file."""
    return name.endswith((".py", ".sasm", ".sbc", ".toml"))


def read_definition(path: Path, instead: Mapping[str, Any] | None = None) -> Definition:
    """Return the sweep of a TOML file, with keys replaced. Raises SweepError and UsageError."""
    table, places = read_toml(path)
    return definition_of({**table, **(instead or {})}, path.parent, places)


def definition_of(
    table: Mapping[str, Any], folder: Path, places: Places | None = None
) -> Definition:
    """Return the sweep of a table, every name of which is checked. Raises SweepError."""
    return _Reader(table, folder, places).definition()


class _Reader:
    """The checks of one definition."""

    def __init__(self, table: Mapping[str, Any], folder: Path, places: Places | None) -> None:
        self.table = table
        self.folder = folder
        self.places = places
        self.optional: frozenset[str] = frozenset()

    def error(
        self, message: str, table: str, key: str = "", value: object = None, *, hint: str = ""
    ) -> SweepError:
        """Return an error at a place."""
        span = self.places.of(table, key, value) if self.places is not None else None
        return SweepError(message, span=span, hint=hint)

    def definition(self) -> Definition:
        for key in self.table:
            if key not in KEYS:
                raise self.error(
                    f"a sweep has no key {shown(key)}", "", key,
                    hint=did_you_mean(key, KEYS) or f"it has {', '.join(KEYS)}",
                )  # fmt: skip
        kernels = kernels_of(self.table.get("kernels", []), self.folder, self.places)
        programs = self._names("programs", ())
        if not programs and not kernels:
            raise self.error(
                "the sweep names no program", "",
                hint='programs = ["dws/merge"], or a table [[kernels]] for a kernel of your own',
            )  # fmt: skip
        policies = self._policies()
        found = Definition(
            programs=programs,
            sizes=self._names("sizes", ("small",)),
            machines=self._names("machines", ("dws",)),
            policies=policies,
            fields=self._fields(policies),
            seeds=self._seeds(),
            kernels=kernels,
            baseline=self._baseline(policies),
            optional=self.optional,
            title=self._text("title"),
            folder=self.folder,
            places=self.places,
        )
        self._check_programs(found)
        for machine in found.machines:
            self._at("machines", machine, lambda m: load(self._path(m)))
        columns = ("program", "size", "machine", "policy", "seed", *found.fields)
        plot = plot_of(self.table.get("plot"), self.folder, columns, found.baseline, self.places)
        return replace(found, plot=plot)

    # --- lists

    def _names(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return a list of names; a text with commas is one, too."""
        given = self.table.get(key, default)
        if isinstance(given, str):
            given = [word.strip() for word in given.split(",")]
        if not isinstance(given, (list, tuple)) or not all(
            isinstance(word, str) and word for word in given
        ):
            raise self.error(f"{key} must be a list of names, not {shown(given)}", "", key)
        return self._distinct(key, given)

    def _distinct(self, key: str, given: Sequence[Any], table: str = "") -> tuple[Any, ...]:
        if not given and key in (self.table if not table else self.table[table]):
            raise self.error(f"{key} has no values", table, key)
        for place, value in enumerate(given):
            if any(type(v) is type(value) and v == value for v in given[:place]):
                raise self.error(f"{key} has {shown(value)} twice", table, key, value)
        return tuple(given)

    def _text(self, key: str) -> str:
        given = self.table.get(key, "")
        if not isinstance(given, str):
            raise self.error(f"{key} must be a string, not {shown(given)}", "", key)
        return given

    def _seeds(self) -> tuple[int, ...]:
        given = self.table.get("seeds", [0])
        given = [given] if isinstance(given, int) else given
        if not isinstance(given, (list, tuple)) or not all(
            isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 63 for n in given
        ):
            raise self.error(
                f"seeds must be a list of whole numbers from 0 on, not {shown(given)}", "", "seeds"
            )
        return self._distinct("seeds", given)

    def _fields(self, policies: Sequence[str]) -> dict[str, tuple[Scalar, ...]]:
        given = self.table.get("fields", {})
        if not isinstance(given, Mapping):
            raise self.error(f"fields must be a table, not {shown(given)}", "", "fields")
        settings = {name for p in policies for name in find_policy(self._path(p)).settings}
        found: dict[str, tuple[Scalar, ...]] = {}
        for name, values in _flat(given):
            self._check_field(name, settings)
            values = values if isinstance(values, (list, tuple)) else [values]
            for value in values:
                if not isinstance(value, (bool, int, float, str)):
                    raise self.error(
                        f"a value of {name} must be a number, a string, true or false, not "
                        f"{shown(value)}", "fields", name,
                    )  # fmt: skip
            if not values:
                raise self.error(f"{name} has no values", "fields", name)
            own = [self._own_file(name, value) for value in values]
            if len(set(map(repr, own))) < len(own):
                raise self.error(f"{name} has a value twice", "fields", name)
            found[_spelled(name)] = tuple(own)
        return found

    def _check_field(self, name: str, settings: set[str]) -> None:
        if name.startswith("policy."):
            setting = name.removeprefix("policy.")
            if setting not in settings:
                raise self.error(
                    f"none of the policies has a setting {setting!r}", "fields", name,
                    hint=did_you_mean(setting, settings)
                    or f"they have {', '.join(sorted(settings)) or 'none'}",
                )  # fmt: skip
        elif name.startswith(PARAMETER):
            parameter, known = name.removeprefix(PARAMETER), self._parameters()
            if parameter not in known:
                raise self.error(
                    f"none of the programs has a parameter {parameter!r}", "fields", name,
                    hint=did_you_mean(parameter, known)
                    or f"they have {', '.join(sorted(known)) or 'none'}",
                )  # fmt: skip
        elif message := MACHINE_KEYS.unknown(_spelled(name)):
            raise self.error(message, "fields", name)

    def _parameters(self) -> set[str]:
        """Return the parameters of all programs of this package that the sweep names."""
        names = [n for n in self._names("programs", ()) if not is_path(n)]
        entries = [self._at("programs", name, find_program) for name in names]
        return {parameter for entry in entries for parameter in entry.choices}

    def _own_file(self, name: str, value: Scalar) -> Scalar:
        """Return a value; an engine file with its folder."""
        if name in PATHS and isinstance(value, str) and is_path(value):
            return self._at("fields", value, lambda v: _existing(self._path(v)), name)
        return value

    # --- names

    def _policies(self) -> tuple[str, ...]:
        names = self._names("policies", ("conv",))
        if ALL in names:
            rest = [p for p in POLICIES if p not in names]
            self.optional = frozenset(rest)
            place = names.index(ALL)
            names = (*names[:place], *rest, *names[place + 1 :])
        for name in names:
            self._at("policies", name, lambda n: find_policy(self._path(n)))
        return names

    def _baseline(self, policies: Sequence[str]) -> str | None:
        given = self.table.get("baseline")
        if given is None:
            return None
        if given not in policies:
            raise self.error(
                f"the baseline {shown(given)} is not among the policies", "", "baseline",
                hint=did_you_mean(given, policies) or f"there are {', '.join(policies)}",
            )  # fmt: skip
        return given

    def _check_programs(self, found: Definition) -> None:
        for name in found.programs:
            if name.endswith((".sasm", ".sbc")):
                raise self.error(
                    f"{name} is a kernel: a sweep must know how it is launched", "", "programs",
                    name, hint="write a table [[kernels]] with file, items and args",
                )  # fmt: skip
            if is_path(name):
                self._at("programs", name, lambda n: _existing(self._path(n)))
                continue
            entry = self._at("programs", name, find_program)
            for size in found.sizes:
                if size not in entry.workload.sizes:
                    raise self.error(
                        f"{entry.name} has no size {size!r}; it has "
                        f"{', '.join(entry.workload.sizes)}", "", "sizes", size,
                        hint=did_you_mean(size, tuple(entry.workload.sizes)),
                    )  # fmt: skip

    def _path(self, name: str) -> str:
        return str((self.folder / name).resolve()) if is_path(name) else name

    def _at(self, key: str, name: str, find: Any, inner: str = "") -> Any:
        """Return what a name means; an error gets the place of the name, unless it has one."""
        try:
            return find(name)
        except SimtError as error:
            first = error.first
            table, key = (key, inner) if inner else ("", key)
            span = self.places.of(table, key, name) if self.places is not None else None
            if span is None or first.span is not None:
                raise
            found = Diagnostic(first.code, first.message, span, hint=first.hint)
            error.diagnostics = (found, *error.diagnostics[1:])
            raise


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield `l2.hit_latency` also where it was written without quotes, as a key in a table."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _spelled(name: str) -> str:
    """Return a field as machines spell it: `l2.hit-latency` is `l2.hit_latency`."""
    return name if name.startswith(("policy.", PARAMETER)) else name.replace("-", "_")


def _existing(path: str) -> str:
    if not Path(path).is_file():
        raise SweepError(f"the file {path} does not exist", code="SIM510")
    return path
