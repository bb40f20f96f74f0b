"""Completions that the shell offers when the user presses the tab key."""

from __future__ import annotations

from glob import glob, iglob


def _starting(words: list[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def programs(incomplete: str) -> list[str]:
    """Return names of programs: short, and long once there is a slash."""
    from ...programs.index import catalogue

    names = [e.name if "/" in incomplete else e.short for e in catalogue()]
    return _starting(sorted(set(names)), incomplete)


def targets(incomplete: str) -> list[str]:
    """Return what `run` takes: programs, sources, object files and folders that may hold them."""
    files = [f for end in (".sasm", ".sbc") for f in iglob(f"{incomplete}*{end}")]
    return [*programs(incomplete), *sorted(files), *sorted(glob(f"{incomplete}*/"))]


def engines(incomplete: str) -> list[str]:
    """Return names of engines."""
    from ...emu.engine import engine_names

    return _starting(list(engine_names()), incomplete)


def schemes(incomplete: str) -> list[str]:
    """Return names of divergence schemes, and files that may be some."""
    from ...emu.schemes import SCHEMES

    return [*_starting(list(SCHEMES), incomplete), *sorted(iglob(f"{incomplete}*.py"))]


def machines(incomplete: str) -> list[str]:
    """Return names of presets, and machine files."""
    from ...timing.machines.machine import names

    return [*_starting(names(), incomplete), *sorted(iglob(f"{incomplete}*.toml"))]


def policies(incomplete: str) -> list[str]:
    """Return names of policies."""
    from ...timing.compiler.files import POLICIES

    return _starting(list(POLICIES), incomplete)


def policy_lists(incomplete: str) -> list[str]:
    """Return names of policies after those that are typed already, as `conv,d`."""
    from ...timing.compiler.choice import ALL

    before, comma, last = incomplete.rpartition(",")
    typed = before.split(",")
    names = [name for name in (ALL, *policies("")) if name not in typed]
    return [f"{before}{comma}{name}" for name in _starting(names, last)]


def experiments(incomplete: str) -> list[str]:
    """Return names of the papers' tables and figures."""
    from ...lab.experiment import experiments as every

    return _starting([*(e.name for e in every()), "all"], incomplete)


def exercises(incomplete: str) -> list[str]:
    """Return names of exercises, and folders that may be some."""
    from ...exercises.index import catalogue

    names = [exercise.name for exercise in catalogue()]
    return [*_starting(names, incomplete), *sorted(glob(f"{incomplete}*/"))]


def sizes(incomplete: str) -> list[str]:
    """Return the sizes that every program has."""
    return _starting(["tiny", "small", "paper"], incomplete)


def mappings(incomplete: str) -> list[str]:
    """Return names of mappings of tasks to work-items."""
    from ...programs.mappings import MAPPINGS

    return _starting(list(MAPPINGS), incomplete)


def explained(incomplete: str) -> list[str]:
    """Return mnemonics, terms of the glossary, and pages of the documentation."""
    from ...isa.table import BY_NAME
    from ..pages import concepts, names

    return _starting([*BY_NAME, *(c.term for c in concepts()), *names()], incomplete)
