"""OpenCL C on the CPU through pyopencl: PoCL and Intel's runtime, one compute unit each.

A run is everything from the first `enqueue` to `finish`; buffers stay on the device, which is the
CPU.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .job import Job, Unavailable
from .problem import Problem, folder_of, launched

ENVIRONMENT = {
    "pocl": {
        "POCL_MAX_PTHREAD_COUNT": "1",
        "POCL_CPU_MAX_CU_COUNT": "1",
        "POCL_KERNEL_CACHE": "0",
        "PYOPENCL_NO_CACHE": "1",
    },
    "intel": {"DPCPP_CPU_NUM_CUS": "1", "PYOPENCL_NO_CACHE": "1"},
}
PLATFORMS = {"pocl": "Portable Computing Language", "intel": "Intel"}
HOW = {"pocl": "apt install pocl-opencl-icd", "intel": "pip install intel-opencl-rt"}
INTEL_NEEDS = ("libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so")


def use_wheel(folder: Path) -> None:
    """Make the loader find the runtime of Intel's wheel, which registers no path of its own."""
    runtime = Path(sys.prefix) / "lib" / "libintelocl.so"
    if runtime.exists():
        (folder / "intel.icd").write_text(f"{runtime}\n")
        os.environ["OCL_ICD_VENDORS"] = str(folder)
        for name in INTEL_NEEDS:
            if (needed := runtime.with_name(name)).exists():
                ctypes.CDLL(str(needed), ctypes.RTLD_GLOBAL)


def device(column: str) -> Any:
    """Return the CPU as a device of the column's platform. Raises Unavailable."""
    try:
        import pyopencl as cl  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise Unavailable(f"{error}; pip install pyopencl") from None
    try:
        platforms = [p for p in cl.get_platforms() if PLATFORMS[column] in p.name]
    except cl.Error:
        platforms = []
    if not platforms:
        raise Unavailable(f"no such OpenCL platform; {HOW[column]}")
    return platforms[0].get_devices(cl.device_type.CPU)[0]


def probe(column: str) -> str:
    """Return the runtime's version. Raises Unavailable."""
    found = device(column)
    return f"{found.platform.name} {found.driver_version}, one compute unit"


def prepare(kernel: str, problem: Problem, column: str, _folder: Path) -> Job:
    """Build the source and copy the arrays. Raises pyopencl.Error."""
    import pyopencl as cl  # pyright: ignore[reportMissingImports]

    context = cl.Context([device(column)])
    queue = cl.CommandQueue(context)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)  # Intel's says that it vectorised
        program = cl.Program(context, (folder_of(kernel) / "kernel.cl").read_text()).build()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = {n: cl.Buffer(context, flags, hostbuf=a) for n, a in problem.arrays.items()}
    again = buffers.get(problem.again)
    flag = np.zeros(1, np.uint32)
    steps = []
    for launch, arguments in launched(problem, buffers):
        function = cl.Kernel(program, launch.function)
        function.set_args(*arguments)
        items = tuple(n * g for n, g in zip(launch.groups, launch.group, strict=True))
        steps.append((function, items, launch.group))

    def run() -> None:
        for function, items, group in steps:
            if again is not None:
                flag[0] = 0
                cl.enqueue_copy(queue, again, flag, is_blocking=False)
            cl.enqueue_nd_range_kernel(queue, function, items, group)
            if again is not None:
                cl.enqueue_copy(queue, flag, again)
                if not flag[0]:
                    break
        queue.finish()

    def reset() -> None:
        for name in problem.written:
            cl.enqueue_copy(queue, buffers[name], problem.arrays[name])
        queue.finish()

    def result() -> dict[str, np.ndarray]:
        copies = {name: np.empty_like(problem.arrays[name]) for name in problem.written}
        for name, copy in copies.items():
            cl.enqueue_copy(queue, copy, buffers[name])
        return copies

    return Job(run, result, reset)
