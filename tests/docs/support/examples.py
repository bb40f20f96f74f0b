"""Commands in pages, with the output that the page shows for them."""

from __future__ import annotations

import re


def examples(page: str) -> list[tuple[str, str]]:
    """Return (command line, shown output) of every command in a page's console blocks."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n((?:.*\n)*?)```$", page, re.MULTILINE):
        assert block.startswith("$ simtlab "), block
        for part in re.split(r"^\$ simtlab ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            found.append((line, shown))
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether the output is what the page shows; `…` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in shown.split("…"))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None
