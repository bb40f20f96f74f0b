"""The generated part of docs/timing/hooks.md: every hook, from timing/engine/hooks.

python -m simtlab.timing.reference docs/timing/hooks.md           rewrite the generated part
python -m simtlab.timing.reference docs/timing/hooks.md --check   exit with 1 if it is not current
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from types import FunctionType

from ..isa.generated import GeneratedPart, folded
from .compiler.checks import FILES
from .compiler.compose import engine_files
from .compiler.inspection import hook_names, parameters_of
from .engine import hooks


def sections() -> dict[str, list[FunctionType]]:
    """Return the hooks of each family, by the title with which its file's docstring begins."""
    titles = {
        family.__name__: re.split("[:.]", family.__doc__ or "")[0] for family in hooks.FAMILIES
    }
    found: dict[str, list[FunctionType]] = {title: [] for title in titles.values()}
    for hook in hook_names().values():
        found[titles[hook.__module__]].append(hook)
    return found


def fillers() -> dict[str, list[str]]:
    """Return the engine files that define each hook, by the names that compositions use."""
    found: dict[str, list[str]] = {name: [] for name in hook_names()}
    for file, path in sorted(engine_files().items()):
        if file.startswith("hooks/") or file in FILES:
            continue  # they define hooks without being a part of a composition
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name in found:
                found[node.name].append(file)
    return found


def words(hook: str) -> list[str]:
    """Return the lists of the words of the state that a hook's caller and the hook set."""
    given = [f"- `S.{word}`: {text}" for word, text in hooks.GIVEN.get(hook, {}).items()]
    answers = [
        f"- `S.{word}`: {text} ({before} before the call)"
        for word, (before, text) in hooks.ANSWERS.get(hook, {}).items()
    ]
    lines: list[str] = []
    for title, listed in (("Its caller sets", given), ("It sets", answers)):
        if listed:
            lines += ["", f"{title}:", ""]
            lines += [line for word in listed for line in folded(word, "  ")]
    return lines


def kind(hook: str) -> str:
    """Return what holds for engines in which no file fills the hook."""
    if hook in hooks.REQUIRED:
        return "Required."
    return "Required where a file calls it." if hook in hooks.WHERE_USED else "Has a default."


def listing() -> str:
    """Return the generated part, as Markdown."""
    files = fillers()
    need = ", ".join(f"`{name}`" for name in hook_names() if name in hooks.REQUIRED)
    lines = folded(f"{len(hook_names())} hooks. Every composition fills {need}.")
    for title, below in sections().items():
        lines += ["", f"## {title}"]
        for hook in below:
            name = hook.__name__
            lines += ["", f"### {name}", "", f"    {name}({', '.join(parameters_of(hook))})"]
            for paragraph in inspect.cleandoc(hook.__doc__ or "").split("\n\n"):
                lines += ["", *folded(" ".join(paragraph.split()))]
            lines += words(name)
            names = ", ".join(f"`{file}`" for file in files[name])
            filled = f" Filled by {names}." if names else ""
            lines += ["", *folded(kind(name) + filled)]
    return "\n".join(lines)


PART = GeneratedPart("timing/engine/hooks", "simtlab.timing.reference", listing)

if __name__ == "__main__":
    sys.exit(PART.main(sys.argv[1:]))
