"""A report of many experiments as a folder: a page per paper, with pictures and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...isa.version import __version__
from ..characterisation import CharacterisationReport
from ..runs.sources import version_digest
from ..tables import Table
from .claims import Verdict
from .drawing import draw
from .study import StudyReport

PAPERS = {
    "dws": "Dynamic warp subdivision",
    "maws": "MAWS",
    "ppc": "Paired-path comparison",
    "lwm": "Large warps and two-level scheduling",
    "ablations": "What each choice is worth",
}
"""Titles of the pages, by the prefix of their experiments."""


class Report(Protocol):
    """A report on an experiment of any kind."""

    def markdown(self) -> str:
        """Return the report as Markdown."""
        ...


@dataclass(frozen=True)
class Section:
    """An experiment and its report."""

    name: str
    title: str
    source: str
    report: Report


def write(sections: Sequence[Section], folder: Path, command: str, scale: str) -> list[Path]:
    """Write index and pages as Markdown and HTML, and each figure as PNG and SVG; return pages.

    Raises UsageError without matplotlib, and OSError.
    """
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    pages: dict[str, str] = {"index": _index(sections, command, scale)}
    for paper, title in PAPERS.items():
        chosen = [s for s in sections if s.name.partition("-")[0] == paper]
        if chosen:
            parts = [f"# {title}", *(_section(s, figures, scale) for s in chosen)]
            pages[paper] = "\n\n".join(parts) + "\n"
    written = []
    for name, text in pages.items():
        for path, content in (
            (folder / f"{name}.md", text),
            (folder / f"{name}.html", html(text)),
        ):
            path.write_text(content, "utf-8")
            written.append(path)
    return written


def _section(section: Section, figures: Path, scale: str) -> str:
    report = section.report
    head = f"## {section.name}: {section.title}\n\n{section.source}."
    if isinstance(report, StudyReport) and report.scale != scale:
        head += f" Programs of size `{report.scale}`."
    if not isinstance(report, StudyReport):
        return f"{head}\n\n{report.markdown()}"
    pictures = {}
    for figure in report.figures:
        if any(value is not None for row in figure.series.values() for value in row):
            draw(figure, figures / f"{figure.name}.png", figures / f"{figure.name}.svg")
            pictures[figure.name] = f"figures/{figure.name}.svg"
    return f"{head}\n\n{report.markdown(pictures)}"


def _index(sections: Sequence[Section], command: str, scale: str) -> str:
    rows = tuple(_rows(sections))
    heads = ("experiment", "source", *(str(v) for v in Verdict), "figures alike")
    table = Table(heads, rows)
    papers = [p for p in PAPERS if any(s.name.partition("-")[0] == p for s in sections)]
    links = "\n".join(f"- [{PAPERS[p]}]({p}.md)" for p in papers)
    return (
        "# Reproduction of the papers' evaluations\n\n"
        f"Made by `{command}` with simtlab {__version__} (sources {version_digest()}), programs of "
        f"size `{scale}`. A claim "
        "holds if the effect that we measure is between 2/3 and 3/2 of the paper's; in direction "
        "only if it has the same sign and at least a tenth of the size. Tables of programs' "
        "properties make no claims; of these, the figures are counted that are like the "
        "paper's.\n\n"
        f"{links}\n\n{table.markdown()}\n"
    )


def _rows(sections: Sequence[Section]) -> Iterator[tuple[str, ...]]:
    totals = dict.fromkeys(Verdict, 0)
    for section in sections:
        if isinstance(section.report, StudyReport):
            counts = counted(section.report)
            for verdict, n in counts.items():
                totals[verdict] += n
            yield (section.name, section.source, *(str(n or "") for n in counts.values()), "")
        else:
            yield (section.name, section.source, *("" for _ in Verdict), _alike(section.report))
    yield ("all", "", *(str(n) for n in totals.values()), "")


def _alike(report: Report) -> str:
    """Return how many figures of a table of properties are like the paper's."""
    if not isinstance(report, CharacterisationReport):
        return ""
    return f"{report.alike} of {report.judged}"


def counted(report: StudyReport) -> Mapping[Verdict, int]:
    """Return the number of claims by verdict."""
    return {v: sum(f.verdict is v for f in report.findings) for v in Verdict}


def html(text: str) -> str:
    """Return a page of Markdown as a page of HTML; links to other pages stay in the report."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(text)
    body = body.replace('.md">', '.html">')
    title = text.partition("\n")[0].lstrip("# ")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{_STYLE}</style></head>
<body>
{body}</body></html>
"""


_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1em 0; }
th, td { padding: 0.2em 0.7em; border-bottom: 1px solid #8888; }
img { max-width: 100%; background: #fff; }
code { background: #8882; padding: 0 0.2em; }
summary { cursor: pointer; }
"""
