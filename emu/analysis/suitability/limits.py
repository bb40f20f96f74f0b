"""Kernels that are too large for native code.

Most steps take time in proportion to a kernel's size. Some grow faster: those about nested loops,
divergent branches and accesses. At these limits compiling takes about five seconds.
"""

from __future__ import annotations

from ....isa.program import Kernel

MOST_INSTRUCTIONS = 25_000
MOST_ACCESSES = 4_000
MOST_BRANCHES = 1_000
MOST_BACKWARD_BRANCHES = 128

OPTIMISED_INSTRUCTIONS = 2_000
OPTIMISED_BACKWARD_BRANCHES = 30
"""Beyond these LLVM allocates registers and reduces strength for minutes."""


def is_too_large(kernel: Kernel) -> bool:
    """Return whether compiling a kernel may take unreasonably long."""
    code = kernel.instructions
    return (
        len(code) > MOST_INSTRUCTIONS
        or sum(ins.row.is_memory for ins in code) > MOST_ACCESSES
        or sum(ins.target is not None for ins in code) > MOST_BRANCHES
        or backward_branches(kernel) > MOST_BACKWARD_BRANCHES
    )


def is_worth_optimising(kernel: Kernel) -> bool:
    """Return whether LLVM optimises a kernel in reasonable time."""
    return (
        len(kernel.instructions) <= OPTIMISED_INSTRUCTIONS
        and backward_branches(kernel) <= OPTIMISED_BACKWARD_BRANCHES
    )


def backward_branches(kernel: Kernel) -> int:
    """Return the number of backward branches; each loop has at least one."""
    code = kernel.instructions
    return sum(ins.target is not None and ins.target <= pc for pc, ins in enumerate(code))
