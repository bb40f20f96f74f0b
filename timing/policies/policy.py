"""The catalogue's entry of a policy."""

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
    """Where segments end: `segment`; `branch` where the policy decides at branches; `instruction`
    where it decides at every instruction."""
    settings: Mapping[str, bool | int | str] = field(default_factory=dict)
    """Settings that `--set policy.NAME=VALUE` changes, with their values here."""
    finer: Mapping[str, tuple[bool | int | str, str]] = field(default_factory=dict)
    """Setting -> the value that needs another grain, and that grain."""
    scheme: str = "stack"
    """The functional scheme (emu/schemes) whose form of a program it needs: with markers or not."""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Setting -> the words that it takes, if it takes words."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Setting -> the least and greatest number that it takes, unless all from 0 on are allowed."""
    scheduler: str | None = None
    """The scheduler unless the user chooses one; None: the machine's."""
    fetch_group: int | None = None
    """The size of a fetch group unless the user chooses one; None: the machine's."""
    issue: Mapping[str, str] = field(default_factory=dict)
    """Issue discipline -> its own issue file; it runs on machines with one of these only."""
    check: Callable[[Machine], object] = lambda machine: None
    """Raises UsageError if it cannot run with the machine's settings."""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Setting -> engine files that it includes unless the setting is `never`."""

    def extra_files(self, chosen: Mapping[str, bool | int | str]) -> tuple[str, ...]:
        """Return the engine files that the chosen settings need besides `files`."""
        return tuple(
            file for name, files in self.extra.items() if chosen[name] != "never" for file in files
        )
