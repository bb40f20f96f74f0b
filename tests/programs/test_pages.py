"""docs/programs.md speaks of every program, with its sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from simtlab.programs import Entry, catalogue

PAGE = (Path(__file__).parents[2] / "docs" / "programs.md").read_text("utf-8")


@pytest.mark.parametrize("entry", catalogue(), ids=lambda e: e.name)
def test_the_page_has_a_section_with_the_sizes(entry: Entry) -> None:
    _, heading, section = PAGE.partition(f"### {entry.name}\n")
    assert heading, f"docs/programs.md has no section on {entry.name}"
    sizes = "; ".join(
        f"{name} `{' '.join(f'{k}={v}' for k, v in parameters.items())}`"
        for name, parameters in entry.workload.sizes.items()
    )
    paragraphs = section.split("\n## ")[0].split("\n### ")[0].split("\n\n")
    assert f"Sizes: {sizes}." in [" ".join(part.split()) for part in paragraphs]
