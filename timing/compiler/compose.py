"""One engine out of the files that a machine and a policy name.

docs/timing/engine.md, "Composition", explains the idea.

`compose` executes the sources in one fresh module, fills the hooks that nobody defines, checks what
can be checked before numba sees it, and makes the entry function. Compiled entries are cached on
disk under a hash of everything that the namespace can reach.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...emu.jit.llvm.toolchain import Compiled, Level, compile_text
from ...isa.errors import SimtError, did_you_mean
from ..engine import hooks, intrinsics
from ..engine.intrinsics import TABLES, PlainState
from . import checks
from .inspection import (
    COMPUTES,
    ENGINE,
    CompositionError,
    check,
    filler,
    first_user,
    hook_names,
    is_device,
    own_files,
    parameters_of,
    place,
)

PACKAGE = hooks.__package__ or "simtlab.timing.engine"

CORE = ("causes", "state", "account", "stacks", "groups", "workgroups", "loop")
"""The files of every engine, in order; names of modules of engine/."""

ENTRY = "simtlab_engine"
"""The name of the function that is called from Python."""

Setup = Callable[[Any], dict[str, Any]]
"""The function of a file that gives fields and tables of the state for a machine."""

WaitingLanes = Callable[[Mapping[str, np.ndarray], Any, int], Iterator[tuple[int, int, bool]]]
"""The function of a file that yields the lanes of a warp that wait in the file's tables, not in
groups, those on top first: (mask, segment, whether they have issued it). Reports of a deadlock use
it."""

_LITERAL = re.compile(r"Literal\[\w+\]\((.*?)\)")
"""How numba writes the type of a constant."""

_PLACE = re.compile(
    r'\b(?:at|from) (.+?\.py) \((\d+)\)|^File "(.+?\.py)", line (\d+):', re.MULTILINE
)
"""How numba names a place."""

_lock = threading.RLock()


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
    fields: dict[str, int] = field(default_factory=dict)
    entry: Native | Callable[[Any, int], int] | None = None

    def device_functions(self) -> dict[str, Any]:
        """The engine's functions by name; as numba has compiled them, if it had to."""
        return {n: f for n, f in vars(self.namespace).items() if is_device(f)}


def compose(files: Sequence[str], *, plain: bool = False, checked: bool = False) -> Composition:
    """Execute engine files, named as `memory/l1` (in this package) or by a path ending in .py.

    A `checked` engine looks at what hooks do (checks.py); the plain one always does. Raises
    CompositionError where a name is defined twice, a required hook is open, a file cannot be
    executed, or its code is none that an engine can have (inspection.py).
    """
    names = (*CORE, *files, *(checks.FILES if plain or checked else ()))
    with _lock:
        return _composed(names, plain, _digest(names))


@cache
def _composed(names: tuple[str, ...], plain: bool, digest: str) -> Composition:
    module = ModuleType(f"simtlab_engine_{'plain_' if plain else ''}{digest}")
    sys.modules[module.__name__] = module
    result = Composition(module.__name__, names, plain, module, [], [], {})
    tables: dict[str, np.dtype] = {}
    for name in names:
        if name not in checks.FILES:
            _execute(name, result, tables)
    filled = set(hook_names()) & set(vars(module))
    _fill_hooks(module)
    check(vars(module), plain=plain)
    _set_answers(module, filled)
    if names[-len(checks.FILES) :] == checks.FILES:
        before = dict(vars(module))
        for name in checks.FILES:
            _execute(name, result, tables)
        checks.interpose(module, before, filled)
    result.tables = tables
    return result


def source_of(name: str) -> Path:
    """The file behind a name; raises CompositionError where there is none."""
    if name.endswith(".py"):
        path = Path(name)
    else:
        path = _engine_files().get(name, Path(f"{name}.py"))
    if not path.is_file():
        raise CompositionError(f"there is no engine file {name!r} ({path.name} not found)")
    return path


@cache
def _engine_files() -> dict[str, Path]:
    """The files of engine/ by name: `loop`, `memory/l1`, `policy/conv` whatever its family."""
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
    code = _code_of(str(path), path.read_text(encoding="utf-8"))
    if inside:
        exec(code, space)
    else:
        _execute_own(code, space)
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
        if name in checks.FILES and key in checks.REPLACED:
            continue
        if before[key] is not value and not _same(before[key], value):
            raise CompositionError(
                f"{_whose(path, value)} defines {key!r}, which another file of this engine has "
                "defined",
                hint="two files that fill the same hook exclude each other",
            )


@cache
def _code_of(path: str, text: str) -> CodeType:
    """Return the compiled text of a file, which all engines share that have it."""
    return compile(text, path, "exec")


def _execute_own(code: CodeType, space: dict[str, Any]) -> None:
    """Execute a file from outside the package; what it raises is told at its line."""
    try:
        exec(code, space)
    except ImportError as e:
        known = dir(intrinsics) if e.name == intrinsics.__name__ else ()
        name = re.match(r"cannot import name '(\w+)'", e.msg)
        message = f"there is no {name[1]!r} in {e.name}" if name else e.msg
        hint = did_you_mean(name[1], list(known)) if name else ""
        raise CompositionError(f"{_raised_at(e, code)}: {message}", hint=hint) from None
    except (Exception, SystemExit) as e:
        raise CompositionError(f"{_raised_at(e, code)}: {_told(e)}") from None


def _raised_at(error: BaseException, code: CodeType) -> str:
    """Where in the file of some code an exception came from, `file:line`."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return f"{Path(code.co_filename).name}:{lines[-1] if lines else code.co_firstlineno}"


def _told(error: BaseException) -> str:
    """An exception in a line."""
    return ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))


_IGNORED = {"annotations", "TYPE_CHECKING", "Any", "State"}


def _whose(path: Path, value: object) -> str:
    """The file that defines something, with the line of a function."""
    return place(value) if isinstance(value, FunctionType) else path.name


def _hashable(value: object) -> bool:
    return isinstance(value, FunctionType)


def _same(a: object, b: object) -> bool:
    """Whether a constant that two files define or import is one and the same."""
    return type(a) is type(b) and isinstance(a, (int, str, tuple, np.dtype)) and a == b


def _fill_hooks(module: ModuleType) -> None:
    """Give hooks that no file fills their default; raise CompositionError for those without one."""
    space = vars(module)
    for name, stub in hook_names().items():
        if name in space:
            continue
        first = (stub.__doc__ or "").partition("\n")[0]
        if name in hooks.REQUIRED:
            raise CompositionError(f"no file of this engine fills {name!r}: {first}")
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
    """Return the words of the state that hooks.py declares, with their first values."""
    return {word: 0 for words in (*hooks.GIVEN.values(), *hooks.ANSWERS.values()) for word in words}


_SETS_ANSWERS = """\
def {name}({parameters}):
    {settings}
    return given_{name}({parameters})
"""


def _set_answers(module: ModuleType, filled: set[str]) -> None:
    """Put a function before each hook that declares answers, which sets them to their defaults."""
    space = vars(module)
    for name in filled & set(hooks.ANSWERS):
        parameters = parameters_of(hook_names()[name])
        settings = "; ".join(
            f"S.{word} = {before}" for word, (before, _) in hooks.ANSWERS[name].items()
        )
        text = _SETS_ANSWERS.format(name=name, parameters=", ".join(parameters), settings=settings)
        made: dict[str, Any] = {}
        exec(compile(text, f"<answers of {name}>", "exec"), made)
        space[f"given_{name}"] = space[name]
        space[name] = intrinsics.device(FunctionType(made[name].__code__, space, name))


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
        from numba.core.errors import NumbaError, UnsupportedBytecodeError

        from .linking import ForeignCode, native_ir

        space = vars(composition.namespace)
        try:
            return native_ir(space, what, ENTRY, composition.fields)
        except ForeignCode as e:
            reason = f"{place(space[e.function])}: {e}" if e.function in space else str(e)
        except (NumbaError, UnsupportedBytecodeError) as e:
            reason = reason_of(str(e), own_files(composition.files)) or _strange_answer(space)
            reason = reason or reason_of(str(e))
        raise CompositionError(reason, hint=COMPUTES)

    key = f"{composition.name} {what} {composition.fields}"
    return Native(compile_text(ir, [ENTRY], level=Level.WHOLE, key=key), ENTRY)


def reason_of(text: str, files: Sequence[str] = ()) -> str:
    """What numba's report on engine code comes down to: the innermost place, and the reason.

    With `files`, the innermost place in one of them; empty where the report names none of them.
    """
    lines = [line.strip() for line in text.splitlines()]
    reason = next((x for x in lines if x and not x.startswith("Failed in ")), "numba refuses it")
    if reason.startswith("No implementation of function"):
        wanted = next((x[4:] for x in lines if x.startswith(">>> ")), "")
        reason = "there is no " + _LITERAL.sub(r"\1", wanted)
    elif match := re.match(r"Unknown attribute ('\w+') of type (\w+?)_", reason):
        reason = f"{match[2]} has no field {match[1]}"
    elif match := re.match(r"Cannot resolve setattr: \((\w+)_\w+\)\.(\w+)", reason):
        reason = f"{match[1]} has no field {match[2]!r}"
    elif match := re.search(r'due to "(?:TypeError: )?(.*?)\.?"\.?$', reason):
        reason = match[1]
    found = _PLACE.findall(text)
    places = [(Path(a or b), m or n) for a, m, b, n in found]
    told = [f"{path.name}:{line}" for path, line in places]
    if not files:
        return f"{told[0]}: {reason}" if told else reason
    wanted = {Path(name).resolve() for name in files}
    own = next((i for i, (path, _) in enumerate(places) if path.resolve() in wanted), None)
    if own is None:
        return ""
    return f"{told[own]}: {reason}" + (f" (in what it calls, {told[0]})" if own else "")


def _strange_answer(space: Mapping[str, Any]) -> str:
    """The first hook that numba has compiled and that answers no number; empty if there is none."""
    from numba.core import types

    for name in hook_names():
        if name not in space:
            continue
        for compiled in getattr(space[name], "overloads", {}).values():
            kind = types.unliteral(compiled.signature.return_type)
            if not isinstance(kind, (types.Number, types.Boolean)):
                words = {"none": "nothing", "unicode_type": "a text"}
                what = words.get(str(kind), f"a {str(kind).rpartition('_')[0] or kind}")
                return f"{place(filler(space, name))}: {name} answers {what}, not a number"
    return ""


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
    sources = (*sorted(here.glob("*.py")), ENGINE / "intrinsics.py", ENGINE / "hooks.py")
    return (
        sys.version,
        metadata.version("numba"),
        *(hashlib.sha256(path.read_bytes()).hexdigest() for path in sources),
    )


# --- states


class EngineState:
    """Header and tables of one run, in memory that compiled code may use; `S` is its plain view."""

    def __init__(self, composition: Composition, machine: Any) -> None:
        values: dict[str, Any] = dict(declared_words())
        giver: dict[str, Setup] = {}
        own = bool(own_files(composition.files))
        for setup in composition.setups:
            for key, value in _given(setup, machine, own=own).items():
                if key in values:
                    other = place(giver[key]) if key in giver else "hooks.py, where it is declared"
                    raise CompositionError(
                        f"{place(setup)} gives the state's field {key!r}, as does {other}"
                    )
                values[key], giver[key] = value, setup
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
            value = values[name]
            setattr(self.S, name, _whole(name, value, giver[name]) if name in giver else value)
        for name, dtype in composition.tables.items():
            value = values[name]
            first = value if isinstance(value, np.ndarray) else None
            n = _whole(name, value, giver[name]) if first is None else len(first)
            rows = aligned(max(1, n), dtype)
            if first is not None:
                rows[:n] = first
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


def _given(setup: Setup, machine: Any, *, own: bool) -> dict[str, Any]:
    """The fields of a file; one that wants a setting which nobody gives is an error.

    With `own` files of the user's in the engine, whatever fails is: they have the settings.
    """
    code = setup.__code__
    try:
        inspect.signature(setup).bind(machine)
    except TypeError:
        raise CompositionError(f"{place(setup)}: setup takes one argument, the machine") from None
    try:
        found = setup(machine)
    except SimtError:
        raise
    except Exception as e:
        if isinstance(e, KeyError) and e.args and e.args[0] not in machine.policy:
            raise CompositionError(
                f"{_raised_at(e, code)}: setup wants the setting {e}, which the policy does not "
                "have",
                hint="give it with the others in SETTINGS; `simtlab policies NAME` lists those of "
                "a policy with the same files",
            ) from None
        if not own:
            raise
        raise CompositionError(f"{_raised_at(e, code)}: setup fails: {_told(e)}") from None
    if not isinstance(found, dict):
        raise CompositionError(
            f"{place(setup)}: setup answers {found!r}, not a dictionary",
            hint='return {"name": number}; the engine reads it as S.name',
        )
    return found


def _whole(name: str, value: object, setup: Setup) -> int:
    """A field, or how many records a table has."""
    if isinstance(value, (int, np.integer, np.bool_)) and -(1 << 63) <= value < 1 << 63:
        return int(value)
    raise CompositionError(
        f"{place(setup)}: setup gives {name!r} the value {value!r}; fields of the state are whole "
        "numbers of 64 bits"
    )


def aligned(n: int, dtype: np.dtype) -> np.ndarray:
    """n zeroed records at an address that 64 divides; 64 bytes behind them may be read."""
    raw = np.zeros(n * dtype.itemsize + 128, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + n * dtype.itemsize].view(dtype)
