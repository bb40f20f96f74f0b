"""The page that shows a recording: template, program and data in one HTML file."""

from __future__ import annotations

import base64
import html
import io
import os
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..isa.errors import SimtError, UsageError
from ..isa.version import __version__

if TYPE_CHECKING:
    from ..recording.recording import Recording

MOST_BYTES = 5_000_000
"""What a page may have, so that it can be mailed and opens at once."""

Members = Mapping[str, np.ndarray]


def view(
    recording: Recording,
    path: str | os.PathLike[str],
    *,
    compare: Recording | None = None,
    title: str | None = None,
) -> Path:
    """Write the page of a recording, or of two that are compared, and return its path.

    The page has the values of registers and memory as far as they fit (`kept` warps), and none
    where a recording cannot be replayed. `compare` is another recording of the same kernels.
    Raises UsageError where the two have no kernel in common or `path` does not end in .html, and
    OSError.
    """
    name = os.fspath(path)
    if not name.endswith((".html", ".htm")):
        raise UsageError(
            f"a page ends in .html, not {name!r}",
            code="SIM515",
            hint=f"name it {Path(name).stem or 'recording'}.html",
        )
    recordings = [recording] if compare is None else [recording, compare]
    if compare is not None:
        _check_comparable(recording, compare)
    room = (MOST_BYTES - _size_of_assets()) * 3 // 4 // len(recordings)
    parts = [(r.facts["title"], packed(r, room)) for r in recordings]
    text = page_text(parts, title or " | ".join(part[0] for part in parts))
    found = Path(name)
    found.write_text(text, "utf-8", newline="\n")
    return found


def _check_comparable(a: Recording, b: Recording) -> None:
    names = [[k["name"] for k in r.facts["kernels"]] for r in (a, b)]
    if not set(names[0]) & set(names[1]):
        raise UsageError(
            f"the recordings have no kernel in common: one has {', '.join(names[0])}, the other "
            f"{', '.join(names[1])}",
            code="SIM515",
            hint="compare two runs of one kernel, under two policies for example",
        )


def packed(recording: Recording, room: int) -> bytes:
    """Return the recording as an .npz file with values of as many warps as fit into `room` bytes.

    Tables and facts are always whole, so that the result may be larger than `room`.
    """
    members = {k: v for k, v in recording.arrays().items() if not k.startswith("program_")}
    plain = _npz(members)
    warps = sorted(set(recording.tables["issue"]["warp"].tolist()))
    kept: list[int] | None = None
    while True:
        try:
            values = recording.values(kept)
        except SimtError:  # begins later, or is too large: the page says that values are missing
            return plain
        extended = dict(members, value=values.value, address=values.address, stored=values.stored)
        if kept is not None:
            extended["facts"] = _with_kept(members["facts"], kept)
        file = _npz(extended)
        left = len(warps if kept is None else kept)
        if len(file) <= room:
            return file
        share = (room - len(plain)) / max(1, len(file) - len(plain))
        fits = min(left - 1, int(left * share * 0.95))
        if fits <= 0:
            return plain
        kept = warps[:fits]


def _with_kept(facts: np.ndarray, kept: Sequence[int]) -> np.ndarray:
    # The text is long, and one key is added at its beginning.
    text = facts.tobytes()
    assert text.startswith(b"{")
    return np.frombuffer(b'{"kept":%s,' % str(list(kept)).encode() + text[1:], np.uint8)


def _npz(members: Members) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **{k: np.asarray(v) for k, v in members.items()})
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
        # Inside a script element only its end tag has a meaning.
        "script": _asset("view.js").strip().replace("</script", "<\\/script"),
    }
    # One pass, so that a title may have braces.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: fields[mark[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text("utf-8")


def _size_of_assets() -> int:
    return sum(len(_asset(name)) for name in ("page.html", "view.css", "view.js"))
