"""One entry of the catalogue of policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..machines.machine import Machine


MOST = (1 << 32) - 1
"""The greatest value of a setting without a bound of its own."""


def _runs_everywhere(machine: Machine) -> None:
    """Accept every machine."""


@dataclass(frozen=True)
class Policy:
    """What warps do at branches, misses and joins: engine files and a description."""

    name: str
    files: tuple[str, ...]
    text: str
    source: str
    grain: str = "segment"
    """Where segments end: `segment`, `branch` if the policy acts on arrivals at branches, or
    `instruction` if it acts on every instruction."""
    settings: Mapping[str, bool | int | str] = field(default_factory=dict)
    """By name: the default of what `--set policy.NAME=VALUE` may change."""
    finer: Mapping[str, tuple[bool | int | str, str]] = field(default_factory=dict)
    """By setting: the value that needs another grain, and that grain."""
    scheme: str = "stack"
    """The functional scheme (emu/schemes) whose form of a program it runs: with markers or not."""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By setting: the words that it takes, if it takes words."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By setting: the least and greatest number that it takes, if not any number from 0 on."""
    scheduler: str | None = None
    """The scheduler unless the user has chosen one; None: that of the machine."""
    fetch_group: int | None = None
    """The size of a fetch group unless the user has chosen one; None: that of the machine."""
    issue: Mapping[str, str] = field(default_factory=dict)
    """By issue discipline: the policy's own issue file; it runs on machines with these only."""
    check: Callable[[Machine], object] = _runs_everywhere
    """Raises UsageError if the policy cannot run with the settings that the machine has."""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By setting: engine files that are added unless its value is `never`. With `NAME=VALUE` in
    place of a setting they are added for that value only."""

    def extra_files(self, chosen: Mapping[str, bool | int | str]) -> tuple[str, ...]:
        """Return the engine files that the chosen settings add to `files`."""
        found: list[str] = []
        for key, files in self.extra.items():
            name, _, value = key.partition("=")
            word = chosen.get(name, "never")
            if word == value if value else word != "never":
                found += files
        return tuple(found)
