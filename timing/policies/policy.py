"""What the catalogue says of a policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..machines.machine import Machine


MOST = (1 << 32) - 1
"""The greatest number of a setting that has no bound of its own."""


@dataclass(frozen=True)
class Policy:
    """What warps do at branches, misses and joins: engine files, and a paragraph about it."""

    name: str
    files: tuple[str, ...]
    text: str
    source: str
    grain: str = "segment"
    """What its segments end at: `segment`, `branch` where it looks at who comes to a branch, or
    `instruction` where it looks at every one."""
    settings: Mapping[str, bool | int | str] = field(default_factory=dict)
    """What `--set policy.NAME=VALUE` may change, and its value here."""
    finer: Mapping[str, tuple[bool | int | str, str]] = field(default_factory=dict)
    """Settings with a value that asks for another grain, and that grain."""
    scheme: str = "stack"
    """The functional scheme (emu/schemes) whose form of a program it takes: with markers or not."""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The words that a setting takes, where it takes words."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The least and greatest number that a setting takes, where that is not any from 0 on."""
    scheduler: str | None = None
    """The scheduler unless the user has chosen one; None: that of the machine."""
    fetch_group: int | None = None
    """The size of a fetch group, likewise."""
    issue: Mapping[str, str] = field(default_factory=dict)
    """Its own issue files, by the machine's discipline; it then runs on no other machine."""
    check: Callable[[Machine], object] = lambda machine: None
    """Raises UsageError where it cannot run with the settings that the machine has."""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By setting: engine files that it takes along only where that is not `never`."""

    def extra_files(self, chosen: Mapping[str, bool | int | str]) -> tuple[str, ...]:
        """What settings ask for beside `files`."""
        return tuple(
            file for name, files in self.extra.items() if chosen[name] != "never" for file in files
        )
