"""One engine out of the files that a machine and a policy name: docs/timing.md, "Composition".

`compose` executes the sources in one fresh module, fills the hooks that nobody defines, checks what
can be checked before numba sees it, and makes the entry function. Compiled entries are cached on
disk under a hash of everything that the namespace can reach.
"""

from __future__ import annotations

import ctypes
import dis
import hashlib
import inspect
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..emu.jit.build import Compiled, Level, compile_text
from ..isa.errors import UsageError, did_you_mean
from . import hooks, intrinsics
from .intrinsics import TABLES, PlainState

PACKAGE = __package__ or "simtlab.timing"

CORE = ("causes", "state", "account", "stacks", "groups", "launch", "engine")
"""The files of every engine, in order; names of modules of this package."""

ENTRY = "simtlab_engine"
"""The name of the function that is called from Python."""

_LITERAL = re.compile(r"Literal\[\w+\]\((.*?)\)")
"""How numba writes the type of a constant."""

_lock = threading.RLock()


class CompositionError(UsageError):
    """Files that do not fit together."""

    code = "SIM610"


@dataclass
class Composition:
    """An engine: its namespace, tables, entry, and the `setup` functions of its files."""

    name: str
    files: tuple[str, ...]
    plain: bool
    namespace: ModuleType
    setups: list[Callable[[Any], dict[str, Any]]]
    tables: Mapping[str, np.dtype]
    fields: dict[str, int] = field(default_factory=dict)
    entry: Native | Callable[[Any, int], int] | None = None

    def device_functions(self) -> dict[str, Any]:
        """The engine's functions by name; as numba has compiled them, if it had to."""
        return {n: f for n, f in vars(self.namespace).items() if _is_device(f)}


def compose(files: Sequence[str], *, plain: bool = False) -> Composition:
    """Execute engine files, named as `memory/l1` (in this package) or by a path ending in .py.

    Raises CompositionError where a name is defined twice, a required hook is open, a hook has the
    wrong arguments, or code uses a name that nobody defines.
    """
    names = (*CORE, *files)
    with _lock:
        return _composed(names, plain, _digest(names))


@cache
def _composed(names: tuple[str, ...], plain: bool, digest: str) -> Composition:
    module = ModuleType(f"simtlab_engine_{'plain_' if plain else ''}{digest}")
    sys.modules[module.__name__] = module
    result = Composition(module.__name__, names, plain, module, [], {})
    tables: dict[str, np.dtype] = {}
    for name in names:
        _execute(name, module, result.setups, tables)
    _fill_hooks(module)
    result.tables = tables
    _check_hooks(module)
    _check_names(module)
    return result


def source_of(name: str) -> Path:
    """The file behind a name; raises CompositionError where there is none."""
    if name.endswith(".py"):
        path = Path(name)
    else:
        path = Path(__file__).parent / f"{name}.py"
    if not path.is_file():
        raise CompositionError(f"there is no engine file {name!r} ({path.name} not found)")
    return path


def _execute(
    name: str,
    module: ModuleType,
    setups: list[Callable[[Any], dict[str, Any]]],
    tables: dict[str, np.dtype],
) -> None:
    path = source_of(name)
    space = vars(module)
    before = dict(space)
    inside = not name.endswith(".py")
    folder = "." + name.rpartition("/")[0].replace("/", ".") if "/" in name else ""
    space["__package__"] = PACKAGE + folder if inside else PACKAGE
    space["__file__"] = str(path)
    space.pop("setup", None)
    # Imported constants and dtypes are those of the package; device functions never are.
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    setup = space.pop("setup", None)
    if setup is not None:
        setups.append(setup)
    for key, value in space.items():
        if (
            callable(value)
            and _hashable(value)
            and value in TABLES
            and before.get(key) is not value
        ):
            table, dtype = TABLES[value]
            if table in tables and tables[table] != dtype:
                raise CompositionError(f"{path.name} declares table {table!r} a second time")
            tables[table] = dtype
        if key.startswith("__") or key in _IGNORED or key not in before:
            continue
        if before[key] is not value and not _same(before[key], value):
            raise CompositionError(
                f"{path.name} defines {key!r}, which another file of this engine has defined",
                hint="two files that fill the same hook exclude each other",
            )


_IGNORED = {"annotations", "TYPE_CHECKING", "Any", "State"}


def _hashable(value: object) -> bool:
    return isinstance(value, FunctionType)


def _same(a: object, b: object) -> bool:
    """Whether a constant that two files define or import is one and the same."""
    return type(a) is type(b) and isinstance(a, (int, str, tuple, np.dtype)) and a == b


def _is_device(value: object) -> bool:
    return getattr(value, "is_device", False)  # numba's functions have the marks of ours


def _hook_names() -> dict[str, FunctionType]:
    return {
        n: f
        for n, f in vars(hooks).items()
        if isinstance(f, FunctionType) and f.__module__ == hooks.__name__ and n != "required"
    }


def _fill_hooks(module: ModuleType) -> None:
    """Give the hooks that nobody defines a function that does nothing; required ones are errors."""
    space = vars(module)
    for name, stub in _hook_names().items():
        if name in space:
            continue
        if name in hooks.REQUIRED:
            first = (stub.__doc__ or "").partition("\n")[0]
            raise CompositionError(f"no file of this engine fills {name!r}: {first}")
        twin = FunctionType(stub.__code__, space, name)
        space[name] = intrinsics.device(twin)


def _check_hooks(module: ModuleType) -> None:
    known = _hook_names()
    for name, value in vars(module).items():
        if not isinstance(value, FunctionType):
            continue
        if name.startswith("on_") and name not in known:
            raise CompositionError(
                f"{name!r} is no hook of the engine", hint=did_you_mean(name, list(known))
            )
        if name in known:
            wanted = list(inspect.signature(known[name]).parameters)
            given = list(inspect.signature(value).parameters)
            if len(wanted) != len(given):
                raise CompositionError(
                    f"hook {name!r} takes ({', '.join(wanted)}), not ({', '.join(given)})"
                )


def _check_names(module: ModuleType) -> None:
    """Every global that engine code uses exists."""
    import builtins

    space = vars(module)
    for name, value in list(space.items()):
        if not isinstance(value, FunctionType) or value.__globals__ is not space:
            continue
        for step in dis.get_instructions(value):
            if step.opname == "LOAD_GLOBAL" and step.argval not in space:
                if hasattr(builtins, str(step.argval)):
                    continue
                line = step.positions.lineno if step.positions else value.__code__.co_firstlineno
                raise CompositionError(
                    f"{Path(value.__code__.co_filename).name}:{line}: {name} uses "
                    f"{step.argval!r}, which no file of this engine defines",
                    hint=did_you_mean(str(step.argval), list(space)),
                )


# --- the entry


def finish(composition: Composition, fields: Sequence[str]) -> None:
    """Fix the layout of the header and make the entry function, once."""
    with _lock:
        wanted = {name: word for word, name in enumerate(fields)}
        if composition.entry is not None:
            if wanted != composition.fields:
                raise CompositionError("the fields of the header depend on the machine")
            return
        composition.fields = wanted
        if composition.plain:
            composition.entry = vars(composition.namespace)["run"]
            return
        composition.entry = native(composition, "run")


class Native:
    """Engine code in memory: call it with the header's address and a number."""

    def __init__(self, code: Compiled, name: str) -> None:
        self.code = code
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code[name])

    def __call__(self, header: int, n: int) -> int:
        """What the function answers."""
        return self._call(header, n)


def native(composition: Composition, what: str) -> Native:
    """The function `what(S, n)` of a compiled engine, from disk if it is there.

    Raises CompositionError for what numba refuses. numba is not even imported where nothing has to
    be compiled.
    """

    def ir() -> str:
        from numba.core.errors import NumbaError

        from .linking import ForeignCode, native_ir

        try:
            return native_ir(vars(composition.namespace), what, ENTRY, composition.fields)
        except (NumbaError, ForeignCode) as e:
            raise CompositionError(
                reason_of(str(e)),
                hint="engine code computes with 64-bit integers, fields of records and functions "
                "of the engine only (docs/timing.md)",
            ) from None

    key = f"{composition.name} {what} {composition.fields}"
    return Native(compile_text(ir, [ENTRY], level=Level.WHOLE, key=key), ENTRY)


def reason_of(text: str) -> str:
    """What numba's report on engine code comes down to: the innermost place, and the reason."""
    lines = [line.strip() for line in text.splitlines()]
    reason = next((x for x in lines if x and not x.startswith("Failed in ")), "numba refuses it")
    if reason.startswith("No implementation of function"):
        wanted = next((x[4:] for x in lines if x.startswith(">>> ")), "")
        reason = "there is no " + _LITERAL.sub(r"\1", wanted)
    elif match := re.match(r"Unknown attribute ('\w+') of type (\w+?)_", reason):
        reason = f"{match[2]} has no field {match[1]}"
    elif match := re.search(r'due to "(?:TypeError: )?(.*?)\.?"\.?$', reason):
        reason = match[1]
    place = re.search(r"\bat (\S+\.py) \((\d+)\)", text)
    return f"{Path(place[1]).name}:{place[2]}: {reason}" if place else reason


def _digest(names: Sequence[str]) -> str:
    """A hash over all that compiled code depends on, but the layout of the header."""
    digest = hashlib.sha256()
    for part in (*_surroundings(), *names):
        digest.update(repr(part).encode())
    for name in names:
        digest.update(source_of(name).read_bytes())
    return digest.hexdigest()[:24]


@cache
def _surroundings() -> tuple[str, ...]:
    """Versions, and the sources that every engine imports.

    Those of the CPU, of LLVM and of emu/jit are `compile_text`'s business.
    """
    here = Path(__file__).parent
    sources = ("intrinsics.py", "compiled.py", "linking.py", "compose.py", "hooks.py")
    return (
        sys.version,
        metadata.version("numba"),
        *(hashlib.sha256((here / name).read_bytes()).hexdigest() for name in sources),
    )


# --- states


class EngineState:
    """Header and tables of one run, in memory that compiled code may use; `S` is its plain view."""

    def __init__(self, composition: Composition, machine: Any) -> None:
        values: dict[str, Any] = {}
        for setup in composition.setups:
            for key, value in _given(setup, machine).items():
                if key in values:
                    raise CompositionError(f"two files give the state's field {key!r}")
                values[key] = value
        missing = set(composition.tables) - set(values)
        if missing:
            raise CompositionError(f"no file says how large table {min(missing)!r} is")
        names = [n for n in values if n not in composition.tables]
        # Addresses of tables come first, since their offsets fit into shorter instructions.
        fields = [*(f"p_{n}" for n in composition.tables), *names]
        finish(composition, fields)
        self.composition = composition
        self.words = aligned(len(fields), np.dtype(np.int64))
        self.rows: dict[str, np.ndarray] = {}
        self.S: Any = PlainState(self.words, composition.fields, {})
        for name in names:
            setattr(self.S, name, int(values[name]))
        for name, dtype in composition.tables.items():
            value = values[name]
            rows = aligned(max(1, len(value) if isinstance(value, np.ndarray) else value), dtype)
            if isinstance(value, np.ndarray):
                rows[: len(value)] = value
            self.put_table(name, rows)

    def put_table(self, name: str, rows: np.ndarray) -> None:
        """Give a table its records, which are kept alive; their address goes to the header."""
        self.rows[name] = rows
        self.S.put_table(name, rows)
        setattr(self.S, f"p_{name}", rows.ctypes.data)

    def run(self, events: int) -> int:
        """Run the engine for at most so many events; the status (state.py)."""
        entry = self.composition.entry
        assert entry is not None
        header = self.S if self.composition.plain else self.words.ctypes.data
        return int(entry(header, events))


def _given(setup: Callable[[Any], dict[str, Any]], machine: Any) -> dict[str, Any]:
    """The fields of a file; one that wants a setting which nobody gives is an error."""
    try:
        return setup(machine)
    except KeyError as missing:
        if missing.args and missing.args[0] in machine.policy:
            raise
        raise CompositionError(
            f"{Path(setup.__code__.co_filename).name} wants the setting {missing}, which the "
            "policy does not have",
            hint="give it with the others in SETTINGS; `simtlab policies NAME` lists those of a "
            "policy with the same files",
        ) from None


def aligned(n: int, dtype: np.dtype) -> np.ndarray:
    """n zeroed records at an address that 64 divides; 64 bytes behind them may be read."""
    raw = np.zeros(n * dtype.itemsize + 128, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + n * dtype.itemsize].view(dtype)
