"""Files of exports: the name's end chooses the form."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ...isa.errors import UsageError

if TYPE_CHECKING:
    from ..recording import Recording

SUFFIXES = (".json.gz", ".json", ".kanata")


def check_name(path: str) -> None:
    """Raise UsageError for a name without the ending of a known form."""
    if path.endswith(".npz"):
        raise UsageError(
            f"a trace is for other viewers and ends in .json.gz, .json or .kanata, not {path!r}",
            code="SIM515",
            hint=f"a NumPy file with all events is a recording: --record {path}, or "
            "Recording.save()",
        )
    if not path.endswith(SUFFIXES):
        raise UsageError(
            f"a trace ends in .json.gz, .json or .kanata, not {path!r}",
            code="SIM515",
            hint=".json.gz is for Perfetto, .kanata for Konata; --record F.npz keeps everything",
        )


def export(recording: Recording, path: str | Path) -> None:
    """Write a recording for another viewer. Raises UsageError and OSError."""
    from .kanata import kanata
    from .perfetto import perfetto

    name = str(path)
    check_name(name)
    if name.endswith(".kanata"):
        with open(name, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in kanata(recording))
        return
    data = json.dumps(perfetto(recording), separators=(",", ":")).encode()
    # No time stamp in the file: equal recordings are equal bytes.
    Path(name).write_bytes(gzip.compress(data, 6, mtime=0) if name.endswith(".gz") else data)
