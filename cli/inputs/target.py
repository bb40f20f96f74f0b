"""Targets of `run`, `time` and `compare`: a file, or a program that comes with simtlab."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...emu.engine import SchemeSpec
from ...emu.module import Module
from ...emu.schemes import resolve
from ...isa.errors import UsageError, did_you_mean
from ...programs.index import Entry, catalogue, find
from ..options.launch import LaunchOptions
from .files import STDIN, is_object_file, load_program
from .sources import Listings, assemble_source, read_source


@dataclass(frozen=True)
class Target:
    """A file by its name as given, or a program by its entry."""

    name: str
    entry: Entry | None = None

    @property
    def is_program(self) -> bool:
        return self.entry is not None


def chosen_target(name: str, options: LaunchOptions) -> Target:
    """Return what a word means, with the mapping and the data that the options ask for.

    Raises UsageError for a target or a variant that does not exist, and for options of the other
    kind of target.
    """
    target = find_target(name)
    refuse_unused(target, options)
    if target.entry is None:
        return target
    return replace(target, entry=target.entry.variant(options.mapping, options.data))


def find_target(name: str) -> Target:
    """Return the file or program that a word means. Raises UsageError.

    A word that ends in .sasm or .sbc, and `-`, mean a file; another one means a program where
    there is one of this name, else a file.
    """
    if name == STDIN or name.endswith((".sasm", ".sbc")):
        _must_exist(name)
        return Target(name)
    names = [n for e in catalogue() for n in (e.name, e.short)]
    if name in names:
        return Target(name, find(name))
    if os.path.isfile(name):
        return Target(name)
    if os.path.isdir(name):
        raise UsageError(f"{name} is a folder", code="SIM510", hint="name a .sasm or .sbc file")
    raise UsageError(
        f"unknown file or program {name!r}",
        code="SIM500",
        hint=_file_of_that_name(name)
        or did_you_mean(name, names)
        or "`simtlab programs` lists the programs",
    )


def refuse_unused(target: Target, options: LaunchOptions) -> None:
    """Refuse options that have no effect on this kind of target. Raises UsageError."""
    for_files = {
        "--kernel": options.kernel,
        "--grid": options.grid,
        "--block": options.block,
        "--items": options.items,
        "--arg": options.args or None,
        "--out": options.outs or None,
    }
    for_programs = {
        "--size": options.size,
        "--param": options.params or None,
        "--mapping": options.mapping,
        "--data": options.data,
        "--picture": options.picture,
    }
    given = [o for o, v in (for_files if target.entry else for_programs).items() if v is not None]
    if not given:
        return
    if target.entry:
        raise UsageError(
            f"{given[0]} is for files; {target.entry.name} is a program and brings its own "
            "inputs and launches",
            code="SIM517",
            hint=f"choose with --size and --seed, or run {target.entry.path.name} as a file",
        )
    raise UsageError(
        f"{given[0]} is for programs, and {target.name} is a file",
        code="SIM517",
        hint="`simtlab programs` lists the programs",
    )


def _file_of_that_name(name: str) -> str:
    """Return the hint where just the ending is missing."""
    found = [name + ending for ending in (".sasm", ".sbc") if os.path.isfile(name + ending)]
    return f"there is a file {found[0]}: name it with its ending" if found else ""


def _must_exist(name: str) -> None:
    if name == STDIN or os.path.exists(name):
        return
    stem = Path(name).stem
    is_program = any(e.short == stem for e in catalogue())
    hint = f"the program of that name runs as `simtlab run {stem}`" if is_program else ""
    raise UsageError(f"cannot read {name}: no such file", code="SIM510", hint=hint)


def load_module(
    target: Target,
    options: LaunchOptions,
    spec: SchemeSpec,
    listings: Listings,
    needs_source: Sequence[str] = (),
) -> Module:
    """Return the assembled or loaded program, with the markers that the scheme needs.

    `needs_source` names given options that object files cannot obey. Raises UsageError.
    """
    if target.name.endswith(".sbc") or (target.entry is None and is_object_file(target.name)):
        _refuse_assembling(target.name, options, listings, needs_source)
        return Module(load_program(target.name))
    scheme, _ = resolve(spec)
    markers = options.markers or ("explicit" if scheme.explicit else "auto")
    if scheme.explicit and markers == "none":
        raise UsageError(
            f"scheme {scheme.name} acts on `reconverge` instructions, which --markers none strips",
            code="SIM517",
            hint="leave out --markers: the assembler then inserts them at every join",
        )
    source = target.entry.path if target.entry is not None else read_source(target.name)
    includes = target.entry.includes if target.entry is not None else None
    program = assemble_source(source, markers, options.subdivide_limit, listings, includes)
    return Module(program)


def _refuse_assembling(
    name: str, options: LaunchOptions, listings: Listings, needs_source: Sequence[str]
) -> None:
    """Refuse options of the assembler for an object file. Raises UsageError."""
    given = ["--markers"] if options.markers is not None else []
    given += [*needs_source, *(f"--dump {pass_name}" for pass_name in listings.takers)]
    if given:
        raise UsageError(
            f"{given[0]} is for sources, and {name} is an object file",
            code="SIM517",
            hint="run the .sasm file",
        )
