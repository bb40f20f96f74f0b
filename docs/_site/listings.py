"""Listings of what simtlab registers: commands, machines, policies, error codes, the glossary.

A page of the site has a line `<!-- listing: commands -->`; the text that replaces it in the built
page is made from the registry when the site is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import dedent

import typer
from api import api
from sphinx.application import Sphinx

from simtlab.cli.app import app as command
from simtlab.isa.codes import Entry, codes
from simtlab.timing.machines.machine import KEYS, Machine, load, names
from simtlab.timing.policies import POLICIES
from simtlab.timing.policies.policy import Policy
from simtlab.timing.policies.settings import settings_of, title_of

DOCS = Path(__file__).parents[1]
MARK = re.compile(r"^<!-- listing: (\w+) -->$", re.MULTILINE)


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the listings of a page where it asks for them; Sphinx calls this with every page."""
    source[0] = MARK.sub(lambda mark: LISTINGS[mark[1]](), source[0])


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], name: str = "") -> str:
    """Return a table in Markdown, in a container of a name; cells are Markdown, too."""
    lines = [list(heads), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    text = "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)
    return f":::{{container}} {name}\n\n{text}\n:::" if name else text


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def code(text: object) -> str:
    """Return text as Markdown's code."""
    return f"`{text}`" if str(text) else ""


def plain(text: str) -> str:
    """Return text with options as code, and everything escaped that Markdown would read."""
    parts = re.split(r"(`[^`]+`|(?<![\w-])--[a-z][a-z-]*)", text)
    return "".join(
        p
        if p.startswith("`")
        else code(p)
        if p.startswith("--")
        else re.sub(r"([\\*_<>\[\]#|$])", r"\\\1", p)
        for p in parts
    )


# --- pages


def other_pages() -> str:
    """Return a table of contents of the pages that index.myst has not placed yet."""
    index = (DOCS / "index.myst").read_text("utf-8").splitlines()
    pages = (page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md"))
    found = sorted(page for page in pages if page not in index)
    return "\n".join(["```{toctree}", ":caption: More", ":hidden:", "", *found, "```"]) * bool(
        found
    )


# --- commands


def commands() -> str:
    """Return every command with its help, arguments and options."""
    group = typer.main.get_command(command)
    return "\n\n".join(_commands(group, ()))


def _commands(group, above: tuple[str, ...]) -> Iterator[str]:
    for name, found in group.commands.items():
        if found.hidden:
            continue
        path = (*above, name)
        yield _command(found, " ".join(path), 2 + len(above))
        if hasattr(found, "commands"):
            yield from _commands(found, path)


def _command(found, name: str, level: int) -> str:
    text, _, examples = dedent(found.help or "").partition("For example:")
    parts = [f"{'#' * level} {name}", plain(text.replace("\b", "").strip())]
    arguments = [p for p in found.params if p.param_type_name == "argument"]
    options = [p for p in found.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join(["simtlab", name, "[OPTIONS]" if options else "", *map(_metavar, arguments)])
    parts.append(f"```console\n$ {' '.join(usage.split())}\n```")
    if arguments:
        rows = [(code(_metavar(a)), plain(getattr(a, "help", "") or "")) for a in arguments]
        parts.append(table(("argument", ""), rows, "options"))
    panels: dict[str, list] = {}
    for option in options:
        panels.setdefault(getattr(option, "rich_help_panel", None) or "option", []).append(option)
    parts += [table((panel, ""), map(_option, found), "options") for panel, found in panels.items()]
    if examples.strip():
        lines = dedent(examples.replace("\b", "").strip("\n")).strip("\n")
        parts.append(f"```text\n{lines}\n```")
    return "\n\n".join(part for part in parts if part)


def _metavar(param) -> str:
    word = param.metavar or param.name.upper()
    word = f"{word}..." if param.nargs != 1 and not word.endswith("...") else word
    return word if param.required else f"[{word}]"


def _option(option) -> tuple[str, str]:
    spellings = ", ".join([*option.opts, *option.secondary_opts])
    metavar = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    default = option.default
    shown = isinstance(default, str | int) and not isinstance(default, bool) and default != ""
    note = f" Default: `{default}`." if shown and not option.is_flag else ""
    return code(f"{spellings}{metavar}"), plain(option.help or "") + note


# --- machines and policies


def machines() -> str:
    """Return every preset with all of its fields."""
    every = [load(name) for name in names()]
    first = table(
        ("machine", "title"), ((f"[{m.name}](#{_slug(m.name)})", plain(m.title)) for m in every)
    )
    return "\n\n".join([first, *map(_machine, every)])


def _machine(machine: Machine) -> str:
    rows = [
        (code(v.key), code(v.value), plain(v.unit), plain(v.text), plain(v.source))
        for v in KEYS.values(machine)
    ]
    return (
        f"## {machine.name}\n\n{plain(machine.title)}.\n\n"
        f"{table(('key', 'value', 'unit', 'meaning', 'source'), rows, 'wide')}"
    )


def policies() -> str:
    """Return every policy with text, source and settings."""
    rows = [(f"[{p.name}](#{_slug(p.name)})", plain(title_of(p))) for p in POLICIES.values()]
    return "\n\n".join([table(("policy", "what it does"), rows), *map(_policy, POLICIES.values())])


def _policy(policy: Policy) -> str:
    parts = [f"## {policy.name}", plain(policy.text), f"*Source:* {plain(policy.source)}"]
    if policy.scheduler:
        parts.append(f"*Scheduler:* `{policy.scheduler}`, unless another one is set.")
    rows = [
        (code(f"policy.{s.name}"), code(str(s.value).lower()), plain(s.takes), plain(s.text))
        for s in settings_of(policy)
    ]
    if rows:
        parts.append(table(("setting", "value", "takes", "what it does"), rows, "wide"))
    return "\n\n".join(parts)


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


# --- error codes


def errors() -> str:
    """Return every error code with cause and remedy, and wrong and right source."""
    return "\n\n".join(_error(entry) for entry in codes().values())


def _error(entry: Entry) -> str:
    parts = [
        f"({entry.code})=\n## {entry.code}: {plain(entry.title)}",
        plain(entry.cause),
        f"*What to do:* {plain(entry.remedy)}",
    ]
    if entry.bad:
        parts.append(f"Wrong:\n\n```sasm\n{entry.bad.rstrip()}\n```")
        parts.append(f"Right:\n\n```sasm\n{entry.good.rstrip()}\n```")
    return "\n\n".join(parts)


LISTINGS: dict[str, Callable[[], str]] = {
    "api": api,
    "commands": commands,
    "errors": errors,
    "machines": machines,
    "other_pages": other_pages,
    "policies": policies,
}
"""What a page can ask for."""
