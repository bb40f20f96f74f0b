"""The site builds without a warning, has every page, and its listings have every entry."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import simtlab
from simtlab.cli.app import app
from simtlab.isa.codes import codes
from simtlab.timing.machines.machine import names
from simtlab.timing.policies import POLICIES

DOCS = Path(simtlab.__file__).parent / "docs"

pytest.importorskip("furo", reason="the extra `docs` is not installed")


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_has_everything(tmp_path):
    done = subprocess.run(
        [
            sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", DOCS / "_site",
            "-d", tmp_path / "doctrees", "-b", "html", DOCS, tmp_path / "site",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    site = tmp_path / "site"
    missing = [
        page
        for page in (
            p.relative_to(DOCS) for p in DOCS.rglob("*.m*") if p.suffix in (".md", ".myst")
        )
        if not (site / page.with_suffix(".html")).is_file()
    ]
    assert not missing

    def ids(page: str) -> set[str]:
        return set(re.findall(r'id="([^"]+)"', (site / "reference" / page).read_text("utf-8")))

    commands = typer.main.get_command(app).commands  # pyright: ignore
    assert set(commands) <= ids("commands.html")
    assert {code.lower() for code in codes()} <= ids("errors.html")
    assert set(names()) <= ids("machines.html")
    policies = (site / "reference" / "policies.html").read_text("utf-8")
    assert all(f"<h2>{name}<a" in policies for name in POLICIES)
    api = ids("api.html")
    assert {f"simtlab.{name}" for name in simtlab.__all__ if name != "__version__"} <= api
    assert "simtlab.testing.policy_contract" in api
    pages = [*site.rglob("*.html")]
    loaded = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(https?://[^"]+)')
    assert not {url for page in pages for url in loaded.findall(page.read_text("utf-8"))}
    for page in pages:
        pictures = re.findall(r"<img [^>]*>", page.read_text("utf-8"))
        words = [found[1] if (found := re.search(r'alt="([^"]*)"', p)) else "" for p in pictures]
        assert all(text and not text.endswith(".png") for text in words), page
    frames = [
        page.parent / frame
        for page in pages
        for frame in re.findall(r'<iframe src="([^"#]+)', page.read_text("utf-8"))
    ]
    asked = [p for p in DOCS.rglob("*.m*") if "\n```{view}\n" in p.read_text("utf-8")]
    assert len(frames) == len(asked) >= 5
    assert all(frame.is_file() for frame in frames)


def test_every_option_is_in_the_listing(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_site"))
    import listings  # pyright: ignore[reportMissingImports]

    text = listings.commands()
    for name, command in typer.main.get_command(app).commands.items():  # pyright: ignore
        _, heading, section = text.partition(f"## {name}\n")
        assert heading, name
        section = re.split(r"^## ", section, maxsplit=1, flags=re.MULTILINE)[0]
        for option in (p for p in command.params if p.param_type_name == "option"):
            assert option.hidden or all(spelling in section for spelling in option.opts)
