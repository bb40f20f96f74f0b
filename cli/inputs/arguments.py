"""Arguments of a kernel from the words of `--arg name=value` and `--out name=file`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...emu.text.described import described_arguments, example_of
from ...isa.errors import ArgumentError, did_you_mean
from ...isa.program import Kernel
from .files import cannot, check_writable


def split_pairs(pairs: Sequence[str], option: str, kernel: Kernel) -> dict[str, str]:
    """Return `name=value` words as a dictionary.

    Raises ArgumentError for a word without a name or value, an unknown name, or a repeated name.
    """
    names = [p.name for p in kernel.params]
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.removeprefix("%")
        if not equals or not name or not value:
            param = next((p for p in kernel.params if p.name == name), None)
            example = param and (f"{name}.npy" if option == "--out" else example_of(param))
            raise ArgumentError(
                f"{option} takes name={'file' if option == '--out' else 'value'}, not {pair!r}",
                code="SIM320",
                hint=f"as {option} {name}={example}"
                if example
                else f"the signature: {kernel.signature}",
            )
        if name not in names:
            near = did_you_mean(name, names)
            signature = f"the signature: {kernel.signature}"
            raise ArgumentError(
                f"{option}: kernel {kernel.name} has no parameter {name!r}",
                code="SIM320",
                hint=f"{near} {signature}" if near else signature,
            )
        if name in values:
            raise ArgumentError(
                f"{option}: {name} is given twice, as {values[name]} and as {value}",
                code="SIM320",
                hint="leave one of them out",
            )
        values[name] = value
    return values


def kernel_arguments(kernel: Kernel, pairs: Sequence[str], seed: int) -> list[object]:
    """Return the arguments in declared order. Raises ArgumentError and UsageError."""
    values = split_pairs(pairs, "--arg", kernel)
    return described_arguments(kernel, values, seed)


def check_outputs(kernel: Kernel, pairs: Sequence[str]) -> dict[str, str]:
    """Return the files of --out by parameter. Raises ArgumentError and UsageError."""
    outputs = split_pairs(pairs, "--out", kernel)
    for name, path in outputs.items():
        param = next(p for p in kernel.params if p.name == name)
        if not param.is_pointer:
            raise ArgumentError(
                f"--out: {param} is not an array, so the kernel cannot change it",
                code="SIM320",
                hint=f"the signature: {kernel.signature}",
            )
        check_writable(path, f"--out {name}")
    paths = list(outputs.values())
    for path in paths:
        if paths.count(path) > 1:
            raise ArgumentError(f"--out: two arrays cannot both go to {path}", code="SIM320")
    return outputs


def save_array(path: str, array: np.ndarray) -> None:
    """Write an .npy file under exactly this name. Raises UsageError."""
    try:
        with open(path, "wb") as file:
            np.save(file, array, allow_pickle=False)
    except OSError as problem:
        raise cannot("write", path, problem) from None
