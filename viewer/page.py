"""The page that shows a recording: template, program and data in one HTML file."""

from __future__ import annotations

import base64
import html
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..isa import expect
from ..isa.errors import SimtError, UsageError
from ..isa.version import __version__
from ..recording.recording import Recording

MOST_BYTES = 5_000_000
"""What a page may have, so that it can be mailed and opens at once."""

Members = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Page:
    """A page as text, and what it had to leave out, a sentence each."""

    text: str
    remarks: list[str]


def view(
    recording: Recording | str | Path,
    path: str | os.PathLike[str],
    *,
    compare: Recording | str | Path | None = None,
    title: str | None = None,
) -> Path:
    """Write the page of a recording, or of two that are compared, and return its path.

    The name of a recording's file may be given instead, for either.
    The page has the values of registers and memory as far as they fit, and none where a recording
    cannot be replayed. `compare` is another recording of the same kernels. Raises UsageError where
    the two have no kernel in common, one has no issue, or `path` does not end in .html, and
    OSError.
    """
    found = page_path(path)
    given = [recording] if compare is None else [recording, compare]
    page = page_of([Recording.given(one, "simtlab.view") for one in given], title)
    found.write_text(page.text, "utf-8", newline="\n")
    return found


def page_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a page. Raises UsageError for another ending."""
    name = expect.path(path, "a page")
    if not name.endswith((".html", ".htm")):
        raise UsageError(
            f"a page ends in .html, not {name!r}",
            code="SIM515",
            hint=f"name it {Path(name).stem or 'recording'}.html",
        )
    return Path(name)


def page_of(
    recordings: Sequence[Recording], title: str | None = None, most: int | None = None
) -> Page:
    """Return the page of one or two recordings.

    It leaves out values so as to have at most `most` bytes (MOST_BYTES), but is larger where the
    rest has more. Raises UsageError without a common kernel, or where nothing was issued.
    """
    for recording in recordings:
        if not len(recording.issues):
            raise UsageError(
                f"{recording.facts['title']}: there is nothing to show: {recording.coverage}",
                code="SIM515",
                hint="record another window, or all of the run",
            )
    names = [{k["name"] for k in r.facts["kernels"]} for r in recordings]
    if not set.intersection(*names):
        listed = [", ".join(sorted(n)) for n in names]
        raise UsageError(
            f"the recordings have no kernel in common: one has {listed[0]}, the other {listed[1]}",
            code="SIM515",
            hint="compare two runs of one kernel, under two policies for example",
        )
    titles = [str(r.facts["title"]) for r in recordings]
    title = title or " | ".join(titles)
    around = len(page_text([(name, b"") for name in titles], title))
    room = ((MOST_BYTES if most is None else most) - around) * 3 // 4 // len(recordings)
    files = [_packed(r, room) for r in recordings]
    parts = [(name, file) for name, (file, _) in zip(titles, files, strict=True)]
    remarks = [
        f"{name}: {remark}" for name, (_, remark) in zip(titles, files, strict=True) if remark
    ]
    text = page_text(parts, title)
    if len(text) > MOST_BYTES:
        remarks.append(
            f"the page has {len(text) / 1_000_000:.1f} MB, and a browser may be slow: its runs "
            f"have {sum(len(r.issues) for r in recordings):,} issues; record a part of them"
        )
    return Page(text, remarks)


def _packed(recording: Recording, room: int) -> tuple[bytes, str]:
    """Return the recording as an .npz file, and a remark on what is missing.

    It has the values of as many warps as fit into `room` bytes. Tables and facts are always whole,
    so that the file may be larger.
    """
    members = {k: v for k, v in recording.arrays().items() if not k.startswith("program_")}
    plain = _npz(members)
    warps = np.unique(recording.tables["issue"]["warp"]).tolist()
    kept: list[int] | None = None
    while True:
        try:
            values = recording.values(kept)
        except SimtError as problem:
            reason = problem.first.message
            return plain, f"the page has no values of registers and memory: {reason}"
        extended = dict(members, value=values.value, address=values.address, stored=values.stored)
        if kept is not None:
            extended["facts"] = _with_fact(members["facts"], "kept", kept)
        elif _is_whole(recording) and not values.is_exact:
            extended["facts"] = _with_fact(members["facts"], "inexact", True)
        file = _npz(extended)
        if len(file) <= room:
            few = f"the page has the values of {len(kept or ())} of {len(warps)} warps, so as to "
            return file, few + "stay small" if kept is not None else ""
        left = len(warps if kept is None else kept)
        share = (room - len(plain)) / max(1, len(file) - len(plain))
        fits = min(left - 1, int(left * share * 0.95))
        if fits <= 0:
            return plain, "the page has no values of registers and memory, so as to stay small"
        kept = warps[:fits]


def _is_whole(recording: Recording) -> bool:
    """Return whether nothing of the run is missing, so that its final memory can be compared."""
    facts = recording.facts
    return not facts["lost"] and facts["begin"] == 0 and facts["outcome"] is None


def _with_fact(facts: np.ndarray, name: str, value: object) -> np.ndarray:
    # The text is long, and one key is added at its beginning.
    text = facts.tobytes()
    assert text.startswith(b"{")
    return np.frombuffer(f'{{"{name}":{json.dumps(value)},'.encode() + text[1:], np.uint8)


def _npz(members: Members) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **cast(Any, dict(members)))
    return file.getvalue()


def page_text(recordings: Sequence[tuple[str, bytes]], title: str) -> str:
    """Return the HTML of .npz files with their names."""
    data = "\n".join(
        f'<script type="application/x-simtlab-recording" data-name="{html.escape(name)}">'
        f"{base64.b64encode(file).decode()}</script>"
        for name, file in recordings
    )
    fields = {
        "version": __version__,
        "title": html.escape(title),
        "style": _asset("view.css").strip(),
        "recordings": data,
        "licences": _asset("licences.txt"),
        # Inside a script element only its end tag has a meaning.
        "script": _asset("view.js").strip().replace("</script", "<\\/script"),
    }
    # One pass, so that a title may have braces.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: fields[mark[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return resources.files(__name__.rpartition(".")[0]).joinpath("assets", name).read_text("utf-8")
