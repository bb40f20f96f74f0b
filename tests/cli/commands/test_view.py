"""What `view` prints, and what it says when a page cannot be made."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from ..conftest import SCALE_ARGS
from ..support.view_effects import embedded, shown

FILE = ["scale.sasm", "--items", "8", *SCALE_ARGS]


@pytest.fixture
def files(cli) -> list[str]:
    for name, scheme in (("a.npz", "stack"), ("b.npz", "ppc")):
        assert cli("run", *FILE, "--scheme", scheme, "--record", name).status == 0
    return ["a.npz", "b.npz"]


def test_the_page_of_a_recording_is_that_of_the_run(cli, files):
    done = cli("view", "a.npz")
    assert (done.status, done.err) == (0, "")
    assert list(done.rows) == ["page", "shows"]
    assert done.rows["page"].startswith("a.html, ")
    [facts] = embedded(Path("a.html").read_text("utf-8"))
    [run] = shown(cli, *FILE)
    assert facts["masks"].tolist() == run["masks"].tolist()


def test_two_recordings_are_compared(cli, files):
    both = shown(cli, *files)
    assert [f["scheme"]["name"] for f in both] == ["stack", "ppc"]


def test_a_trap_leaves_a_page(cli):
    arguments = [*SCALE_ARGS[:-1], "y=ones:4"]
    done = cli("view", "scale.sasm", "--items", "8", *arguments, "-o", "page.html")
    assert done.status == 1
    assert "error[SIM401]" in done.err
    [facts] = embedded(Path("page.html").read_text("utf-8"))
    assert facts["outcome"]["code"] == "SIM401"


def test_lost_issues_are_said_once(cli):
    done = cli("view", *FILE, "--record-issues", "4", "-o", "page.html")
    assert (done.status, done.err.count("issues were not recorded")) == (0, 1)


def test_a_source_on_stdin_gives_view_html(cli, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(Path("scale.sasm").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert cli("view", "-", *FILE[1:]).status == 0
    assert embedded(Path("view.html").read_text("utf-8"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.npz", "b.npz", "a.npz"], "a page compares two recordings, not 3"),
        (["a.npz", "scale.sasm"], "a page is of one target or of recordings (.npz)"),
        (["a.npz", "--policy", "conv"], "--policy is for what is run, and a.npz is a recording"),
        (["a.npz", "--compare", "conv,ppc"], "--compare is for what is run"),
        (["a.npz", "--seed", "3"], "--seed is for what is run"),
        (["a.npz", "-o", "page.txt"], "a page ends in .html, not 'page.txt'"),
        (["a.npz", "-o", "nowhere/page.html"], "the folder nowhere does not exist"),
        (["none.npz"], "cannot read none.npz"),
        (["scale.npz"], "scale.npz is not a recording"),
        ([*FILE, "--compare", "conv"], "--compare takes two names, or one beside --policy"),
        ([*FILE, "--compare", "a,b,c"], "--compare takes two names"),
        ([*FILE, "--compare", "conv,nothing"], "'nothing'"),
        ([*FILE, "--scheme", "ppc", "--policy", "ppc"], "--policy asks for a simulation"),
        ([*FILE, "--picture", "p.png"], "no option --picture"),
    ],
)
def test_pages_that_cannot_be_made(cli, files, words, message):
    Path("scale.npz").write_bytes(b"nothing")
    done = cli("view", *words)
    assert done.status == 2, done
    assert message in done.err
    assert not list(Path().glob("*.html"))
