"""Arguments in words: `1024`, `@x.npy`, `zeros:f32:1024`, `rand:u32:64x64:seed=1` and so on.

The command takes them as `--arg NAME=WORDS`, a sweep in its file. `where` is what a message calls
that place, such as `--arg`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path

import numpy as np

from ...isa.errors import ArgumentError, UsageError, did_you_mean
from ...isa.program import Kernel, Param
from ...isa.types import MEMORY, Type
from .literals import parse_number

FORMS = "@file.npy, zeros:f32:1024, ones:, arange:, rand:f32:1024:seed=1, full:u32:64x64:7"

ELEMENT_TYPES = {t.name: t for t in MEMORY}

_SIZE = re.compile(r"[0-9_]+(x[0-9_]+)*\Z")
_NUMERIC = tuple("+-.0123456789")


def described_arguments(
    kernel: Kernel,
    values: Mapping[str, str],
    seed: int,
    *,
    where: str = "--arg",
    folder: Path | None = None,
) -> list[object]:
    """Return the arguments in declared order; `values` has words for parameters by name.

    `seed` is that of random arrays; files are relative to `folder`. Raises ArgumentError for a
    missing argument or one that does not fit, and UsageError for a file that cannot be read.
    """
    missing = [p for p in kernel.params if p.name not in values]
    if missing:
        raise ArgumentError(
            f"kernel {kernel.name} needs {_words([p.name for p in missing])}; "
            f"the signature: {kernel.signature}",
            code="SIM320",
            hint="give " + " ".join(f"{where} {p.name}={example_of(p)}" for p in missing),
        )
    return [
        _argument(param, values[param.name], [seed, position], where, folder)
        for position, param in enumerate(kernel.params)
    ]


def array_files(values: Mapping[str, str]) -> list[str]:
    """Return the files that such arguments name."""
    return [words[1:] for words in values.values() if words.startswith("@")]


def _words(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def example_of(param: Param) -> str:
    """Return words for an argument that fits a parameter."""
    if param.is_pointer:
        return f"zeros:{param.type}:1024"
    return "1.5" if param.type.is_float else "1024"


def _argument(param: Param, text: str, seed: list[int], where: str, folder: Path | None) -> object:
    name = f"{where} {param.name}"
    if param.is_pointer:
        if text.startswith("@"):
            return load_array(str(folder / text[1:]) if folder else text[1:], param, name)
        try:
            return ArraySpec(text, param, seed, name).make()
        except (MemoryError, ValueError) as problem:
            raise ArgumentError(
                f"{name}: {text} cannot be created: {problem}", code="SIM323"
            ) from None
    number = parse_number(text, param.type)
    if number is None:
        kind = "a number" if param.type.is_float else "a whole number"
        array = text.startswith("@") or ":" in text
        raise ArgumentError(
            f"{name}: {param} takes {kind}, not {text!r}",
            code="SIM321",
            hint="arrays are for parameters declared with `global`" if array else "",
        )
    return number


class ArraySpec:
    """One array as the user describes it: what to do, with which elements and shape."""

    def __init__(self, text: str, param: Param, default_seed: list[int], name: str) -> None:
        self.text = text
        self.name = name
        self.param = param
        self.default_seed = default_seed
        self.how, *parts = text.split(":")
        if self.how not in _MAKERS:
            raise self.error(
                f"{text!r} is not an array",
                _meant(text) or f"arrays are written as {FORMS}",
            )
        self.type = param.type
        if parts and not _SIZE.match(parts[0]) and not parts[0].startswith(_NUMERIC):
            self.type = self._element_type(parts.pop(0))
        if not parts or not _SIZE.match(parts[0]):
            given = f", not {parts[0]!r}" if parts else ""
            raise self.error(
                f"{text!r} needs a number of elements{given}", f"as {self.how}:{param.type}:1024"
            )
        self.shape = tuple(int(n) for n in parts.pop(0).split("x"))
        self.rest = parts
        if self.type is not param.type:
            fitting = text.replace(f":{self.type}:", f":{param.type}:", 1)
            raise self.error(
                f"{text} has {self.type} elements, and {param} needs {param.type}",
                f"write {fitting}",
            )
        _check_size(prod(self.shape) * self.type.size, text)

    def error(self, message: str, hint: str = "") -> ArgumentError:
        """Return an error about this argument."""
        return ArgumentError(f"{self.name}: {message}", code="SIM321", hint=hint)

    def make(self) -> np.ndarray:
        """Return the array. Raises ArgumentError."""
        with np.errstate(over="ignore", invalid="ignore"):
            array = _MAKERS[self.how](self)
        if self.rest:
            raise self.error(
                f"{self.text!r} has the extra fields {':'.join(self.rest)!r}",
                f"arrays are written as {FORMS}",
            )
        return array

    def _element_type(self, name: str) -> Type:
        if name not in ELEMENT_TYPES:
            raise self.error(
                f"{self.text!r} has the unknown element type {name!r}; "
                f"the types are {', '.join(ELEMENT_TYPES)}",
                _numpys(name) or did_you_mean(name, tuple(ELEMENT_TYPES)),
            )
        return ELEMENT_TYPES[name]

    def value(self) -> int | float:
        """Return the last field of `full`, as an element."""
        if not self.rest:
            raise self.error(f"{self.text!r} needs a value", f"as {self.text}:7")
        number = parse_number(self.rest[0], self.type)
        if number is None:
            raise self.error(f"{self.rest[0]!r} is not a value of type {self.type}")
        self.rest.pop(0)
        return number

    def seed(self) -> list[int] | int:
        """Return the seed of `rand`: the one given, or the run's with the parameter's position."""
        if not self.rest:
            return self.default_seed
        text = self.rest.pop(0).removeprefix("seed=")
        if not text.isdecimal():
            raise self.error(f"the seed must be a whole number, not {text!r}")
        return int(text)


def _arange(spec: ArraySpec) -> np.ndarray:
    # Through int64, so that small types wrap instead of failing.
    return np.arange(prod(spec.shape)).astype(spec.type.numpy).reshape(spec.shape)


def _rand(spec: ArraySpec) -> np.ndarray:
    rng = np.random.default_rng(spec.seed())
    dtype = np.dtype(spec.type.numpy)
    if dtype == np.float32 or dtype == np.float64:
        return rng.random(spec.shape, dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, spec.shape, dtype, endpoint=True)


_MAKERS: dict[str, Callable[[ArraySpec], np.ndarray]] = {
    "zeros": lambda s: np.zeros(s.shape, s.type.numpy),
    "ones": lambda s: np.ones(s.shape, s.type.numpy),
    "arange": _arange,
    "rand": _rand,
    "full": lambda s: np.full(s.shape, s.value(), s.type.numpy),
}


def load_array(path: str, param: Param, name: str) -> np.ndarray:
    """Return the array of an .npy file, for the argument `name`.

    Raises UsageError and ArgumentError.
    """
    try:
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as problem:
        raise _cannot_read(path, problem) from None
    except (ValueError, EOFError, KeyError, SyntaxError):
        raise ArgumentError(
            f"{name}: {path} is not an .npy file of numbers",
            code="SIM322",
            hint="numpy.save writes one; arrays of Python objects cannot be read",
        ) from None
    if not isinstance(loaded, np.ndarray):
        raise ArgumentError(
            f"{name}: {path} is an archive of several arrays",
            code="SIM322",
            hint="save one array with numpy.save",
        )
    wanted = np.dtype(param.type.numpy)
    if loaded.dtype != wanted:
        raise _wrong_type(param, f"{path} holds {loaded.dtype}", str(wanted), name)
    _check_size(loaded.nbytes, path)
    try:
        return np.array(loaded, order="C", ndmin=1)
    except OSError as problem:
        raise _cannot_read(path, problem) from None


def _meant(text: str) -> str:
    """Return a hint for words that are not an array: a file without its @, or a near word."""
    if text.endswith(".npy"):
        return f"a file is written with an at sign: @{text}"
    return did_you_mean(text.split(":")[0], tuple(_MAKERS))


def _numpys(name: str) -> str:
    """Return a hint with the type that NumPy calls by a name; nothing for other names."""
    found = next((t for t in MEMORY if np.dtype(t.numpy).name == name), None)
    return f"write {found}" if found else ""


def _cannot_read(path: str, problem: OSError) -> UsageError:
    reason = (problem.strerror or str(problem)).lower()
    return UsageError(f"cannot read {path or repr('')}: {reason}", code="SIM510")


def _wrong_type(param: Param, found: str, wanted: str, name: str) -> ArgumentError:
    """Return the error for an array of the wrong element type."""
    return ArgumentError(
        f"{name}: {found}, and {param} needs {wanted}",
        code="SIM321",
        hint=f"convert the array with .astype, or make it as zeros:{param.type}:1024",
    )


def _check_size(size: int, what: str) -> None:
    """Refuse what no memory of this machine holds: the system would kill the process instead."""
    try:
        available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        available = 1 << 40
    if size > available:
        raise ArgumentError(
            f"{what} takes {size / 2**30:,.1f} GiB, and this machine has "
            f"{available / 2**30:,.1f} GiB of memory",
            code="SIM323",
            hint="use fewer elements",
        )
