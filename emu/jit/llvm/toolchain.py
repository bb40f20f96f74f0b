"""The way from LLVM IR text to functions in memory, through an object that is kept on disk.

    parse -> passes -> object code -> [cache] -> link

LLVM's new pass manager with the pipeline of a `Level`, code for the CPU at hand, and ORC's linker.
The linker gets the host addresses of the helpers that IR declares, as `symbols`. They are never
part of the IR, so an object fits any process.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import struct
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache as remember
from itertools import count
from pathlib import Path
from threading import Event, Lock, Thread, current_thread, main_thread

import llvmlite
import llvmlite.binding as llvm

from ....isa.errors import UsageError
from ....isa.version import __version__
from . import cache, passes, unlocked
from .compiling import compiling
from .passes import Level
from .text import VECTORISED


@dataclass(frozen=True)
class Compiled:
    """Functions in memory. The code lives as long as this object does."""

    addresses: Mapping[str, int]
    from_cache: bool
    _library: object

    def __getitem__(self, name: str) -> int:
        """Return the address of a function."""
        return self.addresses[name]


def compile_text(
    ir: str | Callable[[], str],
    names: Sequence[str],
    *,
    level: Level = Level.FULL,
    key: str | None = None,
    symbols: Mapping[str, int] | None = None,
) -> Compiled:
    """Compile a module and return the addresses of the functions `names`.

    `key` says what the text depends on (program bytes, width, facts; or the text itself): a module
    with the same key, level, host and versions comes from the disk cache, and `ir`, where it is a
    function, is not called. Without a key nothing is cached. `symbols` are the addresses of the
    functions that the module declares and does not define.
    """
    digest = None if key is None else _digest(key, level)
    if digest is not None:
        payload = cache.load(digest)
        if payload is not None:
            try:
                return _link(payload, names, symbols or {}, from_cache=True)
            except RuntimeError:
                pass  # an object without these functions: compile it anew, over the old one
    with compiling():
        payload = _compile(ir if isinstance(ir, str) else ir(), level)
    if digest is not None:
        cache.store(digest, payload)
    return _link(payload, names, symbols or {}, from_cache=False)


def dump(ir: str, what: str, level: Level = Level.FULL) -> str:
    """Return the optimised IR ("llvm") or the assembly ("asm") of a module."""
    with _optimised(ir, level) as (machine, module):
        return str(module) if what == "llvm" else machine.emit_assembly(module)


@remember
def host_has(feature: str) -> bool:
    """Return whether the CPU has a feature, in LLVM's spelling: "avx512f", "fma"."""
    return bool(_host_features().get(feature))


@remember
def function_attributes() -> str:
    """Return the attributes that every function of a module must have, for ModuleText."""
    attributes = ["nounwind"]
    if host_has("avx512f"):
        # LLVM prefers half-width vectors on CPUs that lowered their clock for the full width.
        attributes += ['"prefer-vector-width"="512"', '"min-legal-vector-width"="512"']
    return " ".join(attributes)


def _host_features() -> llvm.FeatureMap:
    try:
        return llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know on this system: the CPU's name must do
        return llvm.FeatureMap()


@remember
def _cpu() -> tuple[str, str]:
    """Return name and features of the CPU that code is made for, as LLVM wants them."""
    return llvm.get_host_cpu_name(), _host_features().flatten()


@remember
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _machine(effort: int = 2, without: str = "") -> llvm.TargetMachine:
    """Return a target machine for the CPU at hand; it belongs to the caller.

    `without` are features to leave out, in LLVM's spelling: "-avx512vl".
    """
    _initialise()
    cpu, features = _cpu()
    features = ",".join(filter(None, (features, without)))
    # Position-independent code with near data: the linker places a module as one piece and makes
    # stubs for functions far away; constants are then memory operands, one instruction less each.
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu,
        features=features,
        opt=effort,
        reloc="pic",
        codemodel="small",
        jit=True,
    )


def _compile(ir: str, level: Level) -> bytes:
    """Return the object code of a module, as _packed; Ctrl-C works meanwhile.

    Python sees a signal only between two calls of LLVM, each of which may take a second. So other
    threads make them, one for each part of the module. After Ctrl-C they stop at the end of their
    current call.
    """
    # Code from the cache does without.
    from .split import split

    abandoned, lines = Event(), ir.count("\n")
    parts = split(ir, _cpus()) if _is_by_function(ir, level) else [ir]
    results: list[Future[bytes]] = [Future() for _ in parts]

    def work(part: str, result: Future[bytes]) -> None:
        try:
            result.set_result(_object(part, level, abandoned, lines))
        except BaseException as problem:
            result.set_exception(problem)

    if current_thread() is not main_thread() and len(parts) == 1:  # only that one gets signals
        return _object(ir, level, abandoned)
    compilers = [
        Thread(target=work, args=two, name="simtlab-compiler")
        for two in zip(parts, results, strict=True)
    ]
    try:
        for compiler in compilers:
            compiler.start()
        for compiler in compilers:
            while compiler.is_alive():
                compiler.join(POLL_SECONDS)
    except RuntimeError:  # the system has no more threads
        abandoned.set()
        return _object(ir, level, Event())
    except BaseException:
        abandoned.set()
        raise
    return _packed([result.result() for result in results])


def _is_by_function(ir: str, level: Level) -> bool:
    """Return whether passes see one function at a time, so that the others make no difference."""
    return level is Level.QUICK or (level is Level.KERNEL and VECTORISED not in ir)


def _cpus() -> int:
    """Return how many threads of this process may run at a time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_PACKED = b"objects\n"
_SIZE = struct.Struct("<Q")


def _packed(objects: Sequence[bytes]) -> bytes:
    """Return one payload for objects that are linked as one; a single one is its own."""
    if len(objects) == 1:
        return objects[0]
    return _PACKED + b"".join(_SIZE.pack(len(code)) + code for code in objects)


def _objects_of(payload: bytes) -> list[bytes]:
    """Return the objects of a payload."""
    if not payload.startswith(_PACKED):
        return [payload]
    found, at = list[bytes](), len(_PACKED)
    while at < len(payload):
        begin = at + _SIZE.size
        at = begin + _SIZE.unpack_from(payload, at)[0]
        found.append(payload[begin:at])
    return found


POLL_SECONDS = 0.1
"""Seconds between looks for Ctrl-C, on systems that cannot interrupt a waiting thread."""


class _Abandoned(Exception):
    """The caller no longer waits for this module."""


def _object(ir: str, level: Level, abandoned: Event, lines: int = 0) -> bytes:
    """Return the object code of a module, or of a part of one that has so many lines."""
    # Selecting instructions with more effort is worth 1 to 3% of the engine, and takes no longer.
    effort = {Level.WHOLE: 3, Level.PLAIN: 0, Level.BARE: 0}.get(level, 2)
    lines = lines or ir.count("\n")
    with _optimised(ir, level, effort, abandoned, lines=lines) as (machine, module):
        code = unlocked.emit_object(machine, module)
    if _moves_signs(code):
        without = "-avx512vl"
        with _optimised(ir, level, effort, abandoned, without, lines) as (machine, module):
            code = unlocked.emit_object(machine, module)
    return code


_SIGNS_MOVED = re.compile(
    # Two- or three-byte VEX; no second source; opcode; a register as the source.
    rb"(?:\xc5|\xc4[\x01\x21\x41\x61\x81\xa1\xc1\xe1])"
    rb"[\x78\x79\x7c\x7d\xf8\xf9\xfc\xfd][\x50\xd7][\xc0-\xff]",
    re.DOTALL,
)
"""The bytes of `vmovmskps`, `vmovmskpd` and `vpmovmskb`."""


def _moves_signs(code: bytes) -> bool:
    """Return whether code has an instruction that LLVM 22 may have put in wrongly.

    With AVX-512, LLVM 22 writes `vmovmsk` for a pair of `vpmov*2m` and `kmov`. It does so where the
    vector is in one of the registers 16 to 31, which `vmovmsk` cannot name (another one is read),
    and where the mask is used later (its issues 191304 and 198197). The pair needs AVX512VL.
    """
    is_faulty = llvm.llvm_version_info[0] >= 22 and host_has("avx512vl")
    return is_faulty and _SIGNS_MOVED.search(code) is not None


@contextmanager
def _optimised(
    ir: str,
    level: Level,
    effort: int = 2,
    abandoned: Event | None = None,
    without: str = "",
    lines: int = 0,
) -> Iterator[tuple[llvm.TargetMachine, llvm.ModuleRef]]:
    """Give the module after its passes, and its machine. Raises _Abandoned between two of them.

    They are freed at the end, each before what it refers to. An exception that is kept would
    leave them to the garbage collector, which knows no order, and then LLVM crashes.
    """

    def stop_if_abandoned() -> None:
        if abandoned is not None and abandoned.is_set():
            raise _Abandoned

    with ExitStack() as freed:
        machine = freed.enter_context(_machine(effort, without))
        context = freed.enter_context(llvm.create_context())
        # The layout comes before the text because the parser fills in alignments by it.
        layout = f'target datalayout = "{machine.target_data}"'
        text = f'{layout}\ntarget triple = "{machine.triple}"\n{ir}'
        module = freed.enter_context(llvm.parse_assembly(text, context))
        stop_if_abandoned()
        module.verify()  # takes 0.1 ms; LLVM may crash on an invalid module
        stop_if_abandoned()
        passes.run(machine, module, level, ir, lines or ir.count("\n"))
        stop_if_abandoned()
        yield machine, module


@remember
def _linker() -> llvm.LLJIT:
    """Return the linker of the process; a library is removed with its `Compiled`."""
    return llvm.create_lljit_compiler(_machine(), use_jit_link=True)


_one_linker = Lock()
"""Held while the linker is made: a second one would remove its libraries when it is freed."""

_object_numbers = count()

_alive: set[int] = set()
"""The numbers of the objects whose code is in memory."""


@remember
def most_modules() -> int:
    """Return how many modules may be in memory.

    Each takes three mappings of memory, and LLVM aborts the process when none is left. A quarter of
    the mappings is left to others.
    """
    try:
        return int(Path("/proc/sys/vm/max_map_count").read_text(encoding="ascii")) // 4
    except (OSError, ValueError):  # not Linux: no such limit
        return 1 << 20


def _make_room(objects: int) -> None:
    """Make room for more objects. Raises UsageError."""
    if len(_alive) + objects > most_modules():
        gc.collect()
    if len(_alive) + objects > most_modules():
        raise UsageError(
            f"the code of {len(_alive):,} kernels is in memory and in use, which is all that the "
            "system has mappings for",
            code="SIM313",
            hint="let go of modules, launches and simulators that are not needed any more",
        )


def _link(
    payload: bytes, names: Sequence[str], symbols: Mapping[str, int], from_cache: bool
) -> Compiled:
    objects = _objects_of(payload)
    _make_room(len(objects))
    builder = llvm.JITLibraryBuilder()
    for code in objects:
        builder.add_object_img(code)
    # The process itself comes last: fma and its like on hosts that have no instruction for them.
    builder.add_current_process()
    for name, address in symbols.items():
        builder.import_symbol(name, address)
    for name in names:
        builder.export_symbol(name)
    with _one_linker:
        linker = _linker()
    numbers = [next(_object_numbers) for _ in objects]
    library = builder.link(linker, f"simtlab{numbers[0]}")
    _alive.update(numbers)
    weakref.finalize(library, _alive.difference_update, numbers).atexit = False
    return Compiled({name: library[name] for name in names}, from_cache, library)


def host_key(what: str) -> str:
    """Return the cache's key for what is measured of the host, by its name."""
    return _digest(what, Level.FULL)


def _digest(key: str, level: Level) -> str:
    return hashlib.sha256(f"{_surroundings()}\n{level}\n{key}".encode()).hexdigest()


@remember
def _surroundings() -> str:
    """Return all that generated code depends on besides the program."""
    _initialise()
    return "\n".join(
        (
            __version__,
            llvmlite.__version__,
            ".".join(map(str, llvm.llvm_version_info)),
            llvm.get_process_triple(),
            *_cpu(),
            _sources(),
        )
    )


def _sources() -> str:
    """Return a hash over the files that generate code: graphs, analyses, the JIT, the table."""
    package = Path(__file__).parents[3]
    total = hashlib.sha256()
    files = [
        path
        for folder in ("isa", "asm/flow", "emu/analysis", "emu/jit")
        for path in (package / folder).rglob("*")
        if path.suffix in (".py", ".ll")
    ]
    for path in sorted(files):
        total.update(path.relative_to(package).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()
