"""Shared libraries: plain C by gcc, and ISPC with one (x16) and four (x64) registers a gang."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .job import Job, Unavailable, aligned, on_host
from .problem import Problem, folder_of, launched

GCC = ("gcc", "-O3", "-march=native")
TARGETS = {"ispc-x16": "avx512icl-x16", "ispc-x64": "avx512icl-x64"}
TYPES = {
    "uint32": ctypes.c_uint32,
    "int32": ctypes.c_int32,
    "float32": ctypes.c_float,
    "uint64": ctypes.c_uint64,
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
}


def ispc() -> str:
    """The compiler: the command `ispc`, or what the variable ISPC names."""
    return os.environ.get("ISPC") or "ispc"


def probe(column: str) -> str:
    """Return the compiler's version. Raises Unavailable."""
    if column == "gcc":
        if not shutil.which("gcc"):
            raise Unavailable("gcc is not installed")
        version = subprocess.check_output(["gcc", "-dumpfullversion"], text=True).strip()
        return f"gcc {version} {' '.join(GCC[1:])}"
    if not shutil.which(ispc()):
        raise Unavailable(f"no command {ispc()!r}; the variable ISPC may name the compiler")
    cpu = Path("/proc/cpuinfo")
    if not cpu.exists() or "avx512_vbmi" not in cpu.read_text():
        raise Unavailable("needs a CPU with AVX-512 VBMI")
    said = subprocess.run([ispc(), "--version"], capture_output=True, text=True, check=True).stdout
    version = said.partition("(Intel(r) ISPC), ")[2].split()[0]
    return f"ISPC {version} -O3 --target={TARGETS[column]}"


def prepare(kernel: str, problem: Problem, column: str, folder: Path) -> Job:
    """Compile and bind the arguments. Raises CalledProcessError."""
    source = folder_of(kernel)
    library = folder / f"{kernel}.so"
    call = partial(subprocess.run, check=True, capture_output=True, text=True)
    if column == "gcc":
        call([*GCC, "-shared", "-fPIC", "-o", library, source / "kernel.c", "-lm"])
    else:
        target = f"--target={TARGETS[column]}"
        unit = library.with_suffix(".o")
        call([ispc(), "-O3", "--pic", target, "--wno-perf", source / "kernel.ispc", "-o", unit])
        call(["gcc", "-shared", "-o", library, unit])
    functions = ctypes.CDLL(str(library))
    arrays = aligned(problem.arrays)
    steps = []
    for launch, arguments in launched(problem, arrays):
        steps.append(partial(functions[launch.function], *map(native, arguments)))
    return on_host(problem, arrays, steps)


def native(argument: Any) -> Any:
    """An array's address, or a scalar in the C type of its NumPy type."""
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    return TYPES[argument.dtype.name](argument.item())
