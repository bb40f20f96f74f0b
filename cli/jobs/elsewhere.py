"""The place of words that `explain` does not explain: another command, or the text of an entry."""

from __future__ import annotations

import re

from ..pages import concepts

COMMANDS = (
    "asm", "disasm", "check", "fmt", "run", "debug", "time", "compare", "sweep", "view",
    "reproduce", "programs", "machines", "policies", "diff", "explain", "lsp", "doctor", "results",
    "exercise",
)  # fmt: skip
"""The commands of simtlab, which the layers above define."""

MOST = 3
"""Entries of the glossary that a hint names."""


def elsewhere(word: str) -> str:
    """Return a hint that says where a word is described, or an empty string."""
    return _named(word) or _mentioned(word)


def _named(word: str) -> str:
    """Return the command that shows what has this name: a policy, machine, program or cause."""
    from ...programs.index import catalogue
    from ...timing.engine.causes import NAMES as CAUSES
    from ...timing.machines.machine import names as machines
    from ...timing.policies import POLICIES

    if word in POLICIES:
        return f"it is a policy: `simtlab policies {word}` shows it"
    if word in machines():
        return f"it is a machine: `simtlab machines {word}` shows it"
    if any(word in (entry.name, entry.short) for entry in catalogue()):
        return f"it is a program: `simtlab programs {word}` shows it"
    if word in COMMANDS:
        return f"it is a command: `simtlab {word} --help` describes it"
    if word in CAUSES:
        return "it is a cause of waiting: `simtlab explain statistics` describes it"
    return ""


def _mentioned(word: str) -> str:
    """Return the entries of the glossary whose text has the word, also in the plural."""
    wanted = re.compile(rf"(?<!\w){re.escape(word.removesuffix('s'))}s?(?!\w)", re.IGNORECASE)
    found = [c.term for c in concepts() if wanted.search(re.sub(r"\]\([^)]*\)", "]", c.body))]
    if len(word) < 3 or not found:
        return ""
    # A word of many entries says little: the first ones are the basic ones.
    terms = ", ".join(f"`{term}`" for term in found[:MOST])
    return f"the glossary uses the word under {terms}; try `simtlab explain {found[0]}`"
