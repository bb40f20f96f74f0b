"""A page that cannot be shown says why, in a sentence."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simtlab.debugger.session import debug
from simtlab.isa.errors import UsageError
from simtlab.recording.recording import Recording
from simtlab.viewer.page import page_of, page_text, view

from ..timing.support import scenarios
from ..timing.support.history import History
from .support.browse import Shown

Show = Callable[..., Shown]


@pytest.fixture(scope="module")
def split() -> Recording:
    return History(scenarios.F12, "dws.lazy-split").recording


def damaged(recording: Recording, change: Callable[[dict[str, Any]], None]) -> str:
    """Return the page of a recording whose facts were changed."""
    members = recording.arrays()
    facts = json.loads(members["facts"].tobytes())
    change(facts)
    members["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, **members)
    return page_text([("x", file.getvalue())], "x")


def test_a_damaged_recording_is_a_sentence(show: Show, split: Recording) -> None:
    whole = page_of([split]).text
    begin = whole.index('simtlab-recording" data-name')
    cases = {
        "cannot be unpacked": whole[: begin + 4500] + whole[whole.index("</script>", begin) :],
        "not base64": whole[: begin + 500] + "%%%%" + whole[begin + 504 :],
        "version 9": damaged(split, lambda f: f.update(version=9)),
        "there is none": page_text([], "x"),
        "99 lanes": damaged(split, lambda f: f.update(width=99)),
    }
    for words, text in cases.items():
        shown = show(text=text)
        alert = shown.page.get_by_role("alert").inner_text()
        assert alert.startswith("The recording in this page cannot be shown: "), words
        assert words in alert


def test_a_browser_without_a_feature_is_told_which(show: Show, split: Recording) -> None:
    shown = show(split, init="delete window.ResizeObserver; delete window.BigInt")
    alert = shown.page.get_by_role("alert").inner_text()
    assert alert.startswith("This browser lacks what the page needs (BigInt")
    shown.problems.clear()  # that it stops is the point


def test_what_is_not_a_recording_is_refused_in_python(split: Recording, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    for function, call in {
        "simtlab.view": lambda given: view(given, page),
        "simtlab.debug": debug,
    }.items():
        with pytest.raises(UsageError, match=rf"{function} takes a recording or the name of"):
            call(3)
    with pytest.raises(UsageError, match=r"simtlab\.view takes"):
        view(split, page, compare=3)  # pyright: ignore[reportArgumentType]
    assert not page.exists()


def test_a_page_is_made_of_the_names_of_files(split: Recording, tmp_path: Path) -> None:
    page, name = tmp_path / "page.html", tmp_path / "run.npz"
    split.save(name)
    view(str(name), page, compare=name)
    by_name = page.read_text()
    view(split, page, compare=split)
    assert by_name == page.read_text()
