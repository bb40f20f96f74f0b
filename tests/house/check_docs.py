"""`make docs-check`: the pages' links lead somewhere, and the Python sessions in them are true.

Checked are README.md, CHANGELOG.md, docs/**/*.md, and docs/**/*.myst, the pages of the site only:

- links to files and headings (addresses of other sites are left alone: the check needs no network);
- every `>>>` session, in pages and in docstrings, each page as one session from top to bottom;
- the width of lines of prose, in all pages but the changelog and the report of figures, which a
  command writes; tables, code and generated parts may be wider;
- that no page says a sentence twice, no table's rows are on one line, and none are parted from
  their table: merges do that;
- that the generated parts are current.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

WIDTH = 120
"""Columns of a line of prose."""

MADE = {
    "docs/isa.md": "simtlab.isa.reference",
    "docs/statistics.md": "simtlab.timing.results.reference",
    "docs/timing/hooks.md": "simtlab.timing.reference",
}
"""Pages with a part that a module writes."""

GENERATED = re.compile(r"^<!-- generated .*: begin -->$.*?^<!-- .*: end -->$", re.M | re.S)
FENCE = re.compile(r"^(?P<mark>`{3,}|~{3,}).*?^(?P=mark)\s*?$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
LINK = re.compile(
    r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+(\S+)", re.M
)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"|^\(([\w-]+)\)=$", re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.:])\s+|\n\n+")
JOINED = re.compile(r"\|[ \t]*\|-{3}")
PARTED = re.compile(r"\n\n\|.*\n(?!\|[ :]*-)")
"""A row after an empty line that is not the head of a table."""

LONG_SENTENCE = 80
"""Characters from which on a sentence is not repeated on purpose."""


def pages() -> list[Path]:
    """The pages, in the order in which they are reported."""
    top = [ROOT / name for name in ("README.md", "CHANGELOG.md")]
    docs = (page for end in ("md", "myst") for page in (ROOT / "docs").rglob(f"*.{end}"))
    return [page for page in top if page.exists()] + sorted(docs)


def blank(match: re.Match[str]) -> str:
    """As many lines of nothing, so that line numbers stay."""
    return "\n" * match.group().count("\n")


def anchors(text: str) -> set[str]:
    """What `#…` may name in a page: headings, spelt as GitHub spells them, and named anchors."""
    text = FENCE.sub(blank, text)
    found = {a or b for a, b in ANCHOR.findall(text)}
    seen: Counter[str] = Counter()
    for heading in HEADING.findall(text):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def broken_links(page: Path) -> Iterator[str]:
    """One message per link that leads nowhere."""
    text = CODE.sub(blank, FENCE.sub(blank, page.read_text("utf-8")))
    for match in LINK.finditer(text):
        target = match[1] or match[2]
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
        path, _, anchor = unquote(target).partition("#")
        goal = (page.parent / path).resolve() if path else page
        if not goal.is_relative_to(ROOT):
            yield f"{place}: {target} lies outside the repository"
        elif not goal.exists():
            yield f"{place}: {target} does not exist"
        elif anchor and goal.suffix == ".md" and anchor not in anchors(goal.read_text("utf-8")):
            yield f"{place}: {target}: that page has no such heading"


def wide_lines(page: Path) -> Iterator[str]:
    """Report each line of prose that has more than WIDTH columns."""
    text = GENERATED.sub(blank, FENCE.sub(blank, page.read_text("utf-8")))
    lines = text.split("\n")
    is_code = False
    for number, line in enumerate(lines, 1):
        above = lines[number - 2] if number > 1 else ""
        is_code = line.startswith("    ") and (is_code or not above.strip())
        if len(line) > WIDTH and not is_code and not line.lstrip().startswith(("|", "<")):
            yield f"{page.relative_to(ROOT)}:{number}: {len(line)} columns, {WIDTH} are allowed"


def damage(page: Path) -> Iterator[str]:
    """Report each long sentence that a page has twice, and tables on one line or in two parts."""
    text = GENERATED.sub(blank, FENCE.sub(blank, page.read_text("utf-8")))
    place = page.relative_to(ROOT)
    if JOINED.search(text):
        yield f"{place}: the rows of a table are on one line"
    if PARTED.search(text):
        yield f"{place}: an empty line parts the rows of a table"
    prose = "\n".join(line for line in text.split("\n") if not line.startswith(("|", "    ")))
    seen = Counter(" ".join(sentence.split()) for sentence in SENTENCE_END.split(prose))
    for sentence, times in seen.items():
        if times > 1 and len(sentence) >= LONG_SENTENCE:
            yield f"{place}: said {times} times: {sentence}"


def stale_parts() -> Iterator[str]:
    """Report each page whose generated part is not what its source gives."""
    for name, module in MADE.items():
        page = ROOT / name
        text = page.read_text("utf-8")
        if importlib.import_module(module).PART.rewrite(text) != text:
            yield f"{name} is not current: run python -m {module} {name}"


@contextmanager
def reader_folder(page: Path) -> Iterator[None]:
    """Go to a folder with the kernels that a reader of the tutorial has saved, and come back.

    Other pages are tried where the check was started: they name files of the repository.
    """
    if page.parent.name not in ("how-to", "tutorial"):
        yield
        return
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for source in (ROOT / "docs" / "tutorial", page.parent):
            for file in source.glob("*.sasm"):
                shutil.copy(file, folder)
        yield


def sessions() -> Iterator[tuple[str, doctest.TestResults]]:
    """Every page and module that shows a session, with how it went."""
    for page in pages():
        if ">>> " in page.read_text("utf-8"):
            with reader_folder(page):
                result = doctest.testfile(str(page), module_relative=False, optionflags=OPTIONS)
            yield str(page.relative_to(ROOT)), result
    outside = {"bench", "build", "dist", "docs", "scratch", "tests"}
    for source in sorted(ROOT.rglob("*.py")):
        inside = source.relative_to(ROOT).with_suffix("").parts
        if (
            inside[0] in outside
            or inside[0].startswith(".")
            or ">>> " not in source.read_text("utf-8")
        ):
            continue
        parts = [p for p in inside if p != "__init__"]
        module = importlib.import_module(".".join(("simtlab", *parts)))
        yield str(source.relative_to(ROOT)), doctest.testmod(module, optionflags=OPTIONS)


def main() -> int:
    """Print what is wrong, then one line of summary; 1 if anything was."""
    # This file's folder comes first on the path of a script, and holds nothing to import.
    sys.path.pop(0)
    broken = [message for page in pages() for message in broken_links(page)]
    prose = [p for p in pages() if p.name != "CHANGELOG.md" and p.parent.name != "reproduction"]
    wide = [message for page in prose for message in wide_lines(page)]
    damaged = [message for page in prose for message in damage(page)]
    stale = list(stale_parts())
    wrong = [*broken, *wide, *damaged, *stale]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    attempted = failed = 0
    for name, result in sessions():
        attempted += result.attempted
        failed += result.failed
        if result.failed:
            print(f"{name}: {result.failed} of {result.attempted} examples failed")
    print(
        f"docs-check: {len(pages())} pages, {len(broken)} broken links, {len(wide)} wide lines, "
        f"{attempted} examples, {failed} failed"
    )
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
