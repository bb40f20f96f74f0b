"""The choice of policies: those that a machine can run, and those that a list names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ...isa.errors import UsageError, did_you_mean
from ..machines.machine import Machine, load, names
from ..policies import POLICIES, Policy
from .compose import compose
from .files import configured, files_of, find
from .inspection import CompositionError

ALL = "all"
"""The name for every policy of the catalogue that the machine can run."""

_SETTING = "policy."
"""How keys of `--set` begin that belong to the policy."""

Value = TypeVar("Value")


def refusal(machine: Machine, policy: Policy) -> UsageError | None:
    """Return the error for a policy that a machine cannot run; None where it can."""
    try:
        compose(files_of(configured(machine, policy), policy))
    except UsageError as error:
        return error
    return None


def presets_for(policy: Policy) -> list[Machine]:
    """Return the machines of this package that can run a policy."""
    return [machine for machine in map(load, names()) if refusal(machine, policy) is None]


def sets_for(policy: Policy, sets: Mapping[str, Value]) -> dict[str, Value]:
    """Return `sets` without the settings of other policies."""
    return {
        key: value
        for key, value in sets.items()
        if not key.startswith(_SETTING) or key.removeprefix(_SETTING) in policy.settings
    }


def machine_for(
    policy: Policy, machine: str | Path | Machine, sets: Mapping[str, object]
) -> Machine:
    """Return a preset, TOML file or machine with `sets`, except those of other policies.

    Raises MachineError.
    """
    own = sets_for(policy, sets)
    return machine.replaced(own) if isinstance(machine, Machine) else load(machine, own)


def choose(
    wanted: str | Sequence[str | Policy],
    machine: str | Path | Machine,
    sets: Mapping[str, object],
    baseline: str | None = None,
) -> tuple[list[Policy], str]:
    """Return the policies of a list, or of a text with commas, and the name of the baseline.

    The baseline is the first one unless named. `all` adds what the machine can run and the list
    does not name. Raises UsageError for a list that is empty or names a policy twice, for a
    baseline that is not in it, and for a setting that none of the policies has.
    """
    words = wanted.split(",") if isinstance(wanted, str) else _listed(wanted)
    words = [word.strip() if isinstance(word, str) else word for word in words]
    if not words or not all(isinstance(word, Policy) or word for word in words):
        raise UsageError(
            "expected a list of policies: names separated by commas",
            code="SIM515",
            hint="for example conv,dws.revive-split, or all; `simtlab policies` lists the names",
        )
    found = [w if isinstance(w, Policy) else _contender(w) for w in words if w != ALL]
    if ALL in words:
        known = {policy.name for policy in found}
        bare = {key: value for key, value in sets.items() if not key.startswith(_SETTING)}
        place = words.index(ALL)
        found[place:place] = [
            p
            for p in POLICIES.values()
            if p.name not in known and refusal(machine_for(p, machine, bare), p) is None
        ]
    listed = [policy.name for policy in found]
    for twice in (ALL, *listed):
        if (words if twice == ALL else listed).count(twice) > 1:
            raise UsageError(f"the list of policies has {twice} twice", code="SIM515")
    _check_settings(found, sets)
    first = _contender(baseline).name if baseline is not None else listed[0]
    if first not in listed:
        raise UsageError(
            f"the baseline {first} is not among the policies",
            code="SIM515",
            hint=f"there are {', '.join(listed)}",
        )
    return found, first


def _listed(wanted: object) -> list[str | Policy]:
    """Return the entries of a list of names and policies; an empty list for anything else."""
    if not isinstance(wanted, Sequence) or isinstance(wanted, bytes):
        return []
    return list(wanted) if all(isinstance(word, (str, Policy)) for word in wanted) else []


def _contender(word: str) -> Policy:
    """Return a policy by name; one of a file that is not an engine file refuses every machine."""
    try:
        return find(word)
    except CompositionError as error:
        refusal = error

    def refuse(machine: Machine) -> None:
        raise refusal

    return Policy(Path(word).stem, (), "", word, check=refuse)


def _check_settings(policies: Sequence[Policy], sets: Mapping[str, object]) -> None:
    known = [name for policy in policies for name in policy.settings]
    for key in sets:
        name = key.removeprefix(_SETTING)
        if key.startswith(_SETTING) and name not in known:
            raise UsageError(
                f"none of the policies has a setting {name!r}",
                code="SIM602",
                hint=did_you_mean(name, known)
                or f"they have {', '.join(dict.fromkeys(known)) or 'none'}",
            )
