"""Runs with everything that their results depend on: names become programs, machines, policies.

The key of a run is a digest over all of that. Two runs with the same key have the same result, on
every host, so that a store need not keep more than one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...asm.assemble import Markers
from ...emu.module import Module
from ...emu.recent import Recent
from ...emu.schemes import SCHEMES
from ...emu.text.described import array_files
from ...isa.errors import UsageError
from ...isa.objectfile import dumps
from ...isa.quoting import shown
from ...programs.index import Entry
from ...programs.index import find as find_program
from ...programs.runner import size_of
from ...timing.compiler.compose import compose
from ...timing.compiler.files import Policy, configured, files_of, grain_of
from ...timing.compiler.files import find as find_policy
from ...timing.machines.machine import Machine, load
from .inputs import data_digest, inputs_of
from .own import OwnEntry, Texts, assembled, launched, raised_in, read, workload_of
from .run import PARAMETER, Run
from .sources import (
    digest_of,
    engine_digest,
    own_workload_digest,
    version_digest,
    workload_digest,
)

_NO_VALUES = ("name", "title", "sources")
"""Fields of a machine that change no result."""


@dataclass(frozen=True)
class Resolved:
    """A run with its program, machine and policy; `parts` are the digests that make its key."""

    run: Run
    entry: Entry
    module: Module
    machine: Machine
    policy: Policy
    source: str
    """The digest of the files that make inputs and launch kernels."""
    parts: Mapping[str, str]

    @property
    def key(self) -> str:
        """The name of the result: 32 hexadecimal digits."""
        return digest_of(json.dumps(self.parts, sort_keys=True))[:32]

    @property
    def fields(self) -> dict[str, object]:
        """Every field of the machine and setting of the policy, as `l2.hit_latency`.

        Parameters of the program that the run replaces are among them.
        """
        return fields_of(self.machine) | {PARAMETER + k: v for k, v in self.run.parameters.items()}


def fields_of(machine: Machine) -> dict[str, object]:
    """Return the values of a machine by key, with the settings of the policy as `policy.NAME`."""
    found: dict[str, object] = {}
    for key, value in machine.model_dump(exclude=set(_NO_VALUES)).items():
        if isinstance(value, dict):
            found |= {f"{key}.{inner}": v for inner, v in value.items()}
        else:
            found[key] = value
    return found


@dataclass(frozen=True)
class _Program:
    """A program as it is run: its name, its code, and a digest of each."""

    entry: Entry
    module: Module
    code: str
    source: str
    """The digest of the files that make inputs and launch kernels."""


class Resolver:
    """Resolves runs; what several runs share is made once.

    Files of the user's are read again for each run, and processed again after a change.
    """

    def __init__(self) -> None:
        self._packaged: dict[tuple[object, ...], tuple[Module, str, str]] = {}
        self._own: Recent[tuple[object, ...], _Program] = Recent()
        self._texts: Recent[tuple[Path, Markers], tuple[Texts, bytes, Module, str]] = Recent()
        self._machines: Recent[tuple[object, ...], _Configured] = Recent()

    def resolved(
        self, run: Run, machine: Machine | None = None, policy: Policy | None = None
    ) -> Resolved:
        """Return the program, machine and policy of a run, and its key.

        `machine` and `policy` are given if they exist as objects only. Raises SimtError for what
        does not exist or cannot be run together.
        """
        if not isinstance(run, Run):
            raise UsageError(f"expected a Run, not {shown(run)}", code="SIM515")
        policy = policy or find_policy(run.policy)
        program = self._program(run, policy)
        entry = program.entry
        sizes = size_of(entry, run.size)
        if machine is not None:
            found = _configured(machine.replaced(run.fields), policy)
        else:
            found = self._machine(run, policy)
        configured_machine, values, engine = _digested(*found, policy)
        inputs = (
            entry.mapping.name,
            program.source,
            json.dumps(dict(sizes), sort_keys=True),
            str(run.seed),
            *((f"sample {run.sample}",) if run.sample else ()),
        )
        parts = {
            "program": program.code,
            "inputs": " ".join((*inputs, self._data(entry, program.source, run))),
            "machine": values,
            "engine": engine,
            "simtlab": version_digest(),
        }
        return Resolved(
            run, entry, program.module, configured_machine, policy, program.source, parts
        )

    def _data(self, entry: Entry, source: str, run: Run) -> str:
        """Return the digest of a user's inputs, which a file may have read from anywhere."""
        if not run.program.endswith(".py"):
            return ""
        return data_digest(inputs_of(entry, source, run.size, run.seed).pristine)

    # --- programs

    def _program(self, run: Run, policy: Policy) -> _Program:
        # As on the command line: explicit schemes need `reconverge` instructions.
        markers: Markers = "explicit" if SCHEMES[policy.scheme].explicit else "auto"
        if run.is_file:
            return self._own_program(run, markers)
        if run.launch is not None:
            raise UsageError(
                f"the program {run.program} has launches of its own",
                code="SIM517",
                hint="leave out the launch; a kernel of your own is a file that ends in .sasm",
            )
        entry = find_program(run.program).chosen(run.parameters)
        # Parameters are inputs; what else was chosen shapes the code.
        key = (entry.path, entry.mapping.name, markers)
        if key not in self._packaged:
            module = Module(entry.assemble(markers))
            source = workload_digest(find_program(run.program).path.with_suffix(".py"))
            self._packaged[key] = (module, _code_digest(module), source)
        return _Program(entry, *self._packaged[key])

    def _own_program(self, run: Run, markers: Markers) -> _Program:
        path = Path(run.program)
        if path.suffix == ".py":
            return self._own_workload(run, path, markers)
        if run.launch is None:
            raise UsageError(
                f"{path} is a kernel, and no launch of it is given",
                code="SIM551",
                hint="say how many work-items it has, and its arguments: `simtlab explain sweeps`",
            )
        module, code = self._module(path, markers)
        arrays = array_files(dict(run.launch.args))
        data = digest_of(*(read(path.parent / name) for name in arrays))
        key = (path, code, run.size, run.seed, run.launch, data)
        found = self._own.find(key)
        if found is None:
            workload = launched(module, path, run.size, run.seed, run.launch)
            words = json.dumps(run.launch.to_dict(), sort_keys=True)
            entry = OwnEntry("", path.name, file=path, source=path, given=workload)
            made = _Program(entry, module, code, digest_of(words, data)[:16])
            found = self._own.keep(key, made)
        return found

    def _own_workload(self, run: Run, path: Path, markers: Markers) -> _Program:
        if run.launch is not None:
            raise UsageError(f"{path} has launches of its own", code="SIM517")
        source = read(path)
        module, code = self._module(path.with_suffix(".sasm"), markers)
        try:
            digest = own_workload_digest(path)
        except SyntaxError as error:
            raise raised_in(Path(error.filename or path), error) from None
        key = (path, digest, code)
        found = self._own.find(key)
        if found is None:
            workload = workload_of(path, source, digest)
            entry = OwnEntry(
                "", path.name, file=path.with_suffix(".sasm"), source=path, given=workload
            )
            found = self._own.keep(key, _Program(entry, module, code, digest))
        return found

    def _module(self, path: Path, markers: Markers) -> tuple[Module, str]:
        """Return the kernels of a file and their digest, assembled again after any change."""
        content = read(path)
        kept = self._texts.find((path, markers))
        if kept is not None and kept[1] == content and _unchanged(kept[0]):
            return kept[2], kept[3]
        program, texts = assembled(path, markers)
        module = Module(program)
        code = _code_digest(module)
        self._texts.keep((path, markers), (texts, content, module, code))
        return module, code

    # --- machines and policies

    def _machine(self, run: Run, policy: Policy) -> _Configured:
        """Return the machine of a run, which is configured once."""
        text = read(Path(run.machine)) if run.machine.endswith(".toml") else b""
        key = (
            run.machine,
            text,
            tuple(run.fields.items()),
            policy.files,
            policy.name,
            repr(policy.settings),
        )
        found = self._machines.find(key)
        if found is None:
            machine = _beside(load(run.machine, run.fields), run)
            found = self._machines.keep(key, _configured(machine, policy))
        return found


_Configured = tuple[Machine, tuple[str, ...], str]
"""A machine as a policy configures it, the files of their engine, a digest of the values."""


def _configured(machine: Machine, policy: Policy) -> _Configured:
    machine = configured(machine, policy)
    files = files_of(machine, policy)
    compose(files)  # refuses files that do not fit together, before anything is run
    values = json.dumps(_without_own(fields_of(machine)), sort_keys=True)
    return machine, files, digest_of(values)[:16]


def _digested(
    machine: Machine, files: tuple[str, ...], values: str, policy: Policy
) -> tuple[Machine, str, str]:
    """Return a configured machine, and the digests of its values and of its engine."""
    return machine, values, f"{engine_digest(files)} {grain_of(machine, policy)} {policy.scheme}"


def _beside(machine: Machine, run: Run) -> Machine:
    """Return a machine whose own engine files are found: those of its file lie beside it."""
    paths = {key: Path(getattr(machine, key)) for key in ("memory", "scheduler")}
    folder = Path(run.machine).parent
    found = {
        key: str(folder / path)
        for key, path in paths.items()
        if path.suffix == ".py"
        and key not in run.values
        and run.machine.endswith(".toml")
        and (folder / path).is_file()
    }
    return machine.replaced(found) if found else machine


def _without_own(fields: Mapping[str, object]) -> dict[str, object]:
    """Return fields without the names of own engine files, which count by their content."""
    return {k: v for k, v in fields.items() if not (isinstance(v, str) and v.endswith(".py"))}


def _unchanged(texts: tuple[tuple[Path, str], ...]) -> bool:
    """Return whether files still have these texts: a source and what it includes."""
    try:
        return all(path.read_text("utf-8-sig") == text for path, text in texts)
    except (OSError, ValueError):
        return False


def _code_digest(module: Module) -> str:
    return digest_of(dumps(module.program))[:16]
