"""Composition of one engine from the files that a machine and a policy name.

`compose` executes the sources in one fresh module, gives the other hooks their defaults, and checks
the code (docs/timing/engine.md, "Composition"). native/entry.py compiles the entry, engine_state.py
holds the state of a run.
"""

from __future__ import annotations

import hashlib
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...emu.recent import Recent
from ...isa.errors import did_you_mean
from ..engine import hooks, intrinsics
from ..engine.intrinsics import TABLES
from . import checks
from .inspection import (
    DECLARATIONS,
    ENGINE,
    CompositionError,
    check,
    first_user,
    hook_names,
    is_device,
    is_table,
    meant,
    place,
)
from .sources import code_of
from .wrappers import WITHOUT_ANSWERS, wrap

LOCK = threading.RLock()
"""Engines are composed and compiled by one thread at a time."""

PACKAGE = intrinsics.__package__ or "simtlab.timing.engine"

_A_POLICY = (
    "a policy names files to build upon in EXTENDS: `simtlab policies conv` "
    "lists those of conv, `simtlab explain your-own-policy` shows an example"
)
_A_SCHEDULER = (
    "a scheduler is a file with `rank(S, w, g, t)` under @device (`simtlab explain hooks`)"
)

CORE = ("causes", "state", "account", "stacks", "groups", "workgroups", "loop")
"""The files of every engine, in order; names of modules of engine/."""

Setup = Callable[[Any], dict[str, Any]]
"""The function of a file that gives fields and tables of the state for a machine."""

WaitingLanes = Callable[[Mapping[str, np.ndarray], Any, int], Iterator[tuple[int, int, bool]]]
"""The function of a file that yields the lanes of a warp that wait in the file's tables, not in
groups, those on top first: (mask, segment, whether they have issued it). Reports of a deadlock use
it."""


@dataclass
class Composition:
    """An engine: its namespace, tables and entry, and the Python-side functions of its files."""

    name: str
    files: tuple[str, ...]
    plain: bool
    namespace: ModuleType
    setups: list[Setup]
    waiting_lanes: list[WaitingLanes]
    tables: Mapping[str, np.dtype]
    own_spaces: list[dict[str, Any]] = field(default_factory=list)
    """The globals of the Python-side functions of each file with declarations."""
    fields: dict[str, int] = field(default_factory=dict)
    entry: Callable[[Any, int], int] | None = None
    fitted: Recent[tuple[int, ...], Any] = field(default_factory=partial(Recent, 16))
    """The code for the machines that it has run on last, by their numbers (fitted.py)."""

    def device_functions(self) -> dict[str, Any]:
        """Return the engine's functions by name."""
        return {n: f for n, f in vars(self.namespace).items() if is_device(f)}


def compose(files: Sequence[str], *, plain: bool = False, checked: bool = False) -> Composition:
    """Execute engine files, named as `memory/l1` (in this package) or by a path ending in .py.

    A `checked` engine checks the effects of hooks (checks.py), as the plain one always does. Raises
    CompositionError if a name is defined twice, no file fills a required hook, a file cannot be
    executed, or its code is none that an engine can have (inspection.py).
    """
    names = (*CORE, *files, *(checks.FILES if plain or checked else ()))
    with LOCK:
        key = (names, plain, _digest(names))
        found = _COMPOSED.find(key)
        if found is None:
            name = f"simtlab_engine_{'plain_' if plain else ''}{key[-1]}"
            module = sys.modules[name] = ModuleType(name)
            try:
                found = _COMPOSED.keep(key, _composed(names, plain, module))
            except BaseException:
                _forget(module)
                raise
        return found


def _forget(module: ModuleType) -> None:
    sys.modules.pop(module.__name__, None)


_COMPOSED: Recent[tuple[tuple[str, ...], bool, str], Composition] = Recent(
    256, forget=lambda composition: _forget(composition.namespace)
)
"""Engines that simulations may use again; one that runs has its engine itself."""


def _composed(names: tuple[str, ...], plain: bool, module: ModuleType) -> Composition:
    """Compose an engine in an empty module."""
    result = Composition(module.__name__, names, plain, module, [], [], {})
    tables: dict[str, np.dtype] = {}
    for name in names:
        if name not in checks.FILES:
            _execute(name, result, tables)
    filled = set(hook_names()) & set(vars(module))
    _fill_hooks(module)
    check(vars(module), plain=plain)
    _set_answers(module, filled)
    for own in result.own_spaces:
        own.update({key: value for key, value in vars(module).items() if key not in own})
    if names[-len(checks.FILES) :] == checks.FILES:
        before = dict(vars(module))
        for name in checks.FILES:
            _execute(name, result, tables)
        checks.interpose(module, before, filled)
    result.tables = tables
    return result


def source_of(name: str) -> Path:
    """Return the file that a name stands for; raise CompositionError if there is none."""
    if name.endswith(".py"):
        path = Path(name)
    else:
        path = engine_files().get(name, Path(f"{name}.py"))
    if not path.is_file():
        raise CompositionError(
            f"unknown engine file {name!r} ({path.name} not found)",
            hint=did_you_mean(name, tuple(engine_files())),
        )
    return path


@cache
def engine_files() -> dict[str, Path]:
    """Return the files of engine/ by name: `loop`, `memory/l1`, `policy/conv` (no family)."""
    found: dict[str, Path] = {}
    for path in ENGINE.rglob("*.py"):
        folder = path.relative_to(ENGINE).parts[0] if path.parent != ENGINE else ""
        found[f"{folder}/{path.stem}" if folder else path.stem] = path
    return found


def _execute(name: str, composition: Composition, tables: dict[str, np.dtype]) -> None:
    """Execute a file in the namespace, and take out its Python-side functions."""
    path = source_of(name)
    space = vars(composition.namespace)
    before = dict(space)
    inside = not name.endswith(".py")
    folders = path.parent.relative_to(ENGINE).parts if inside else ()
    space["__package__"] = ".".join((PACKAGE, *folders))
    space["__file__"] = str(path)
    # Imported constants and dtypes are those of the package; device functions never are.
    code = code_of(str(path), path.read_text(encoding="utf-8"), space)
    if inside:
        exec(code, space)
    else:
        _execute_own(code, space)
        _keep_declarations(path, composition)
    for kept, role in (
        (composition.setups, "setup"),
        (composition.waiting_lanes, "waiting_lanes"),
    ):
        function = space.pop(role, None)
        if function is not None:
            if not isinstance(function, FunctionType):
                raise CompositionError(f"{path.name}: {role} is not a function")
            kept.append(function)
    for key, value in space.items():
        if is_table(value) and before.get(key) is not value:
            table, dtype = TABLES[value]
            if table in tables and tables[table] != dtype:
                raise CompositionError(f"{path.name} declares table {table!r} a second time")
            tables[table] = dtype
        if key.startswith("__") or key in _IGNORED or key not in before:
            continue
        if name in checks.FILES and key in checks.REPLACED:
            continue
        if before[key] is not value and not _same(before[key], value):
            raise CompositionError(
                f"{_whose(path, value)} defines {key!r}, which another file of this engine has "
                "defined",
                hint=_CHOSEN_BY.get(key, "two files that fill the same hook exclude each other"),
            )


def _execute_own(code: CodeType, space: dict[str, Any]) -> None:
    """Execute a file from outside the package; report an exception with its line in that file."""
    try:
        exec(code, space)
    except ImportError as e:
        known = dir(intrinsics) if e.name == intrinsics.__name__ else ()
        name = re.match(r"cannot import name '(\w+)'", e.msg)
        message = f"{e.name} has no {name[1]!r}" if name else e.msg
        hint = meant(name[1], known) if name else ""
        raise CompositionError(f"{raised_at(e, code)}: {message}", hint=hint) from None
    except (Exception, SystemExit) as e:
        raise CompositionError(f"{raised_at(e, code)}: {in_a_line(e)}") from None


def _keep_declarations(path: Path, composition: Composition) -> None:
    """Take a file's declarations out of the namespace, so that every file may have its own.

    Only Python reads them: the file's functions that are not engine code, as `setup`, keep them
    among their globals.
    """
    space = vars(composition.namespace)
    own = {name: space.pop(name) for name in DECLARATIONS if name in space}
    if not own:
        return
    composition.own_spaces.append(own)
    for name, value in list(space.items()):
        if not isinstance(value, FunctionType) or is_device(value) or is_table(value):
            continue
        if name.startswith("on_") or name in hook_names():
            continue  # meant as a hook: the checks of engine code refuse it
        if value.__code__.co_filename == str(path):
            twin = FunctionType(value.__code__, own, name, value.__defaults__, value.__closure__)
            twin.__kwdefaults__ = value.__kwdefaults__
            own[name] = space[name] = twin


def raised_at(error: BaseException, code: CodeType) -> str:
    """Return the place in the file of some code where an exception was raised, `file:line`."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return f"{Path(code.co_filename).name}:{lines[-1] if lines else code.co_firstlineno}"


def in_a_line(error: BaseException) -> str:
    """Return an exception as one line of text."""
    return ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))


_MEMORY = "a file that fills it is a memory system: --set memory=F.py"
_CHOSEN_BY = {
    "rank": "a file that fills it is a scheduler: --set scheduler=F.py",
    "fetch": _MEMORY,
    "simd_access": _MEMORY,
}
"""By hook that each engine has filled: how a file that fills it takes the place of the other."""

_IGNORED = {"annotations", "TYPE_CHECKING", "Any", "State"}


def _whose(path: Path, value: object) -> str:
    """Return the file that defines a value, with the line if it is a function."""
    return place(value) if isinstance(value, FunctionType) else path.name


def _same(a: object, b: object) -> bool:
    """Return whether two files give a constant the same value."""
    return type(a) is type(b) and isinstance(a, (int, str, tuple, np.dtype)) and a == b


def _fill_hooks(module: ModuleType) -> None:
    """Give hooks that no file fills their default; raise CompositionError for those without one."""
    space = vars(module)
    for name, stub in hook_names().items():
        if name in space:
            continue
        first = (stub.__doc__ or "").partition("\n")[0]
        if name in hooks.REQUIRED:
            raise CompositionError(
                f"no file of this engine fills {name!r}: {first}",
                hint=_A_SCHEDULER if name == "rank" else _A_POLICY,
            )
        if name in hooks.WHERE_USED:
            caller = first_user(space, name)
            if caller:
                raise CompositionError(
                    f"no file of this engine fills {name!r}, which {caller} calls: {first}"
                )
            continue
        twin = FunctionType(stub.__code__, space, name)
        space[name] = intrinsics.device(twin)


def declared_words() -> dict[str, int]:
    """Return the words of the state that hooks declare, with their first values."""
    return {word: 0 for words in (*hooks.GIVEN.values(), *hooks.ANSWERS.values()) for word in words}


def _set_answers(module: ModuleType, filled: set[str]) -> None:
    """Set the answers that hooks declare to their defaults before each call."""
    for name in filled & set(hooks.ANSWERS):
        settings = [f"S.{word} = {before}" for word, (before, _) in hooks.ANSWERS[name].items()]
        wrap(vars(module), name, WITHOUT_ANSWERS, [*settings, "return {call}"])


def _digest(names: Sequence[str]) -> str:
    """Return a hash of everything that compiled code depends on, except the header's layout."""
    digest = hashlib.sha256()
    for part in (*_surroundings(), *names):
        digest.update(repr(part).encode())
    for name in names:
        digest.update(_content(name))
    return digest.hexdigest()[:24]


def _content(name: str) -> bytes:
    """Return the content of a file; one of this package is read again only after a change."""
    path = source_of(name)
    if name.endswith(".py"):
        return path.read_bytes()
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(1024)
def _read(path: Path, *_version: int) -> bytes:
    return path.read_bytes()


@cache
def _surroundings() -> tuple[str, ...]:
    """Return versions, and hashes of the sources that every engine imports.

    `compile_text` adds those of the CPU, of LLVM and of emu/jit.
    """
    here = Path(__file__).parent
    stubs = sorted((ENGINE / "hooks").glob("*.py"))
    sources = (*sorted(here.rglob("*.py")), ENGINE / "intrinsics.py", *stubs)
    return (
        sys.version,
        *(hashlib.sha256(path.read_bytes()).hexdigest() for path in sources),
    )
