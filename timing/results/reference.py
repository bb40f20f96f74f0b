"""The tables of docs/statistics.md: every count and every derived figure, from `Statistics`.

python -m simtlab.timing.results.reference docs/statistics.md           rewrite the generated part
python -m simtlab.timing.results.reference docs/statistics.md --check   exit with 1 if not current
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import fields

from ...isa.generated import GeneratedPart
from .statistics import DERIVED, Statistics


def listing() -> str:
    """Return the generated part, as Markdown."""
    counts = [
        (f"`{f.name}`", f.metadata["unit"], f.metadata["text"], f.metadata["source"])
        for f in fields(Statistics)
    ]
    derived = [(f"`{name}`", _first_line(name)) for name in DERIVED]
    return "\n\n".join((
        "## Counters",
        _table(("field", "unit", "what", "asked for by"), counts),
        "## Derived figures",
        _table(("property", "what"), derived),
    ))  # fmt: skip


def _first_line(name: str) -> str:
    text = vars(Statistics)[name].__doc__ or ""
    return text.partition("\n")[0].rstrip(".")


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, *rows]
    text = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([text[0], f"|{'---|' * len(heads)}", *text[1:]])


PART = GeneratedPart("timing/results/statistics.py", "simtlab.timing.results.reference", listing)


if __name__ == "__main__":
    sys.exit(PART.main(sys.argv[1:]))
