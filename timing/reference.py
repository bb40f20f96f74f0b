"""The generated part of docs/timing/hooks.md: every hook, from timing/engine/hooks.py.

python -m simtlab.timing.reference docs/timing/hooks.md           rewrite the generated part
python -m simtlab.timing.reference docs/timing/hooks.md --check   exit with 1 if it is not current
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from .engine import hooks

BEGIN = "<!-- generated from timing/engine/hooks.py: begin -->"
END = "<!-- generated from timing/engine/hooks.py: end -->"
COLUMNS = 120

_ENGINE = Path(hooks.__file__).parent
_SECTION = re.compile(r"^# --- (.+)$")
REQUIRED = "Required."
_KINDS = {"required": REQUIRED, "where_used": "Required where a file calls it."}
"""What a hook's decorator says about engines in which no file fills it."""
_CHECKERS = ("hooks", "checking", "faults")
"""Engine files that define hooks without being a part of a composition."""


@dataclass(frozen=True)
class Hook:
    """A hook: its section in hooks.py, its docstring's paragraphs, whether it must be filled."""

    name: str
    section: str
    arguments: str
    text: tuple[str, ...]
    kind: str


def hooks_of(source: str) -> list[Hook]:
    """Return the functions below the first section comment (`# --- title`) of a hooks file."""
    titles = {
        number: match[1]
        for number, line in enumerate(source.splitlines(), 1)
        if (match := _SECTION.match(line))
    }
    found: list[Hook] = []
    for node in ast.parse(source).body:
        above = [title for number, title in titles.items() if number < node.lineno]
        if not isinstance(node, ast.FunctionDef) or not above or node.name.startswith("_"):
            continue
        marks = {ast.unparse(mark) for mark in node.decorator_list}
        text = inspect.cleandoc(ast.get_docstring(node) or "")
        found.append(
            Hook(
                node.name,
                above[-1],
                ", ".join(argument.arg for argument in node.args.args),
                tuple(" ".join(part.split()) for part in text.split("\n\n")),
                next((kind for mark, kind in _KINDS.items() if mark in marks), "Has a default."),
            )
        )
    return found


def fillers(names: set[str], engine: Path = _ENGINE) -> dict[str, list[str]]:
    """Return the engine files that define each hook, by the names that compositions use."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for path in sorted(engine.rglob("*.py")):
        inside = path.relative_to(engine)
        if path.stem in (*_CHECKERS, "__init__"):
            continue
        folder = "" if path.parent == engine else f"{inside.parts[0]}/"
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                found[node.name].append(f"{folder}{path.stem}")
    return found


def words_of(declared: object, hook: str) -> list[str]:
    """Return the words of the state that a hook's declaration names, one list item each.

    `declared` has, by hook and word, what the word means; for an answer also its value before.
    """
    if not isinstance(declared, Mapping):
        return []
    found: list[str] = []
    for word, said in dict(declared.get(hook, {})).items():
        before, text = said if isinstance(said, tuple) else (None, said)
        tail = "" if before is None else f" ({before} before the call)"
        found.append(f"- `S.{word}`: {' '.join(str(text).split())}{tail}")
    return found


def listing() -> str:
    """Return the generated part, as Markdown."""
    found = hooks_of(inspect.getsource(hooks))
    files = fillers({hook.name for hook in found})
    need = ", ".join(f"`{hook.name}`" for hook in found if hook.kind == REQUIRED)
    intro = f"{len(found)} hooks. Every composition fills {need}."
    lines = _folded(intro)
    section = ""
    for hook in found:
        if hook.section != section:
            section = hook.section
            lines += ["", f"## {section[0].upper()}{section[1:]}"]
        lines += ["", f"### {hook.name}", "", f"    {hook.name}({hook.arguments})"]
        for part in hook.text:
            lines += ["", *_folded(part)]
        for title, declared in (("Its caller sets", "GIVEN"), ("It sets", "ANSWERS")):
            if words := words_of(getattr(hooks, declared, None), hook.name):
                lines += ["", f"{title}:", ""]
                lines += [line for word in words for line in _folded(word, "  ")]
        names = ", ".join(f"`{name}`" for name in files[hook.name])
        filled = f" Filled by {names}." if names else ""
        lines += ["", *_folded(hook.kind + filled)]
    return "\n".join(lines)


def _folded(text: str, indent: str = "") -> list[str]:
    return wrap(
        text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def rewrite(text: str) -> str:
    """Return the page with its generated part made new; raise ValueError if a mark is missing."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no part between {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{listing()}\n\n{END}{tail}"


def main(argv: list[str]) -> int:
    """Rewrite or check a page; see the module's docstring."""
    path = Path(argv[0])
    old = path.read_text(encoding="utf-8")
    new = rewrite(old)
    if "--check" in argv[1:]:
        if old != new:
            print(f"{path} is not current: run python -m simtlab.timing.reference {path}")
        return int(old != new)
    path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
