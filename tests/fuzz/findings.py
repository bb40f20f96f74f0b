"""Findings: what went wrong, told apart by a signature, and the folder of reproducers."""

from __future__ import annotations

import hashlib
import re
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import simtlab

from .example import Files

PACKAGE = str(Path(simtlab.__file__).parent)

KEPT = 5
"""Reproducers that are written for findings with the same signature."""


@dataclass(frozen=True)
class Finding:
    """One thing that went wrong in the example `key` of a generator."""

    generator: str
    key: str
    signature: str
    text: str
    files: Files = field(default_factory=dict)


def signature_of(error: BaseException) -> str:
    """The same text for errors that are likely to have the same cause.

    A wrong result is told by its first line without numbers, another exception by its type and
    the last function of this package on the way to it.
    """
    if isinstance(error, AssertionError) and str(error):
        first = str(error).partition("\n")[0]
        return re.sub(r"0x[0-9a-f]+|\d+", "#", first)[:200]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(PACKAGE) and "/tests/" not in f.filename]
    frame = (ours or frames)[-1]
    place = f"{Path(frame.filename).name}:{frame.name}"
    return f"{type(error).__name__} in {place}"


@dataclass
class Findings:
    """All findings of a run; the first few of each signature are written to `folder`."""

    folder: Path
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, finding: Finding) -> Path | None:
        """Count a finding; the folder of its reproducer, or None if there are enough already."""
        name = (finding.generator, finding.signature)
        self.counts[name] += 1
        number = self.counts[name]
        if number > KEPT:
            return None
        digest = hashlib.sha256(finding.signature.encode()).hexdigest()[:8]
        place = self.folder / f"{finding.generator}-{digest}" / str(number)
        place.mkdir(parents=True, exist_ok=True)
        (place / "finding.txt").write_text(
            f"{finding.signature}\n\nagain: python -m tests.fuzz --repeat {finding.key}\n\n"
            f"{finding.text}\n",
            encoding="utf-8",
            errors="backslashreplace",
        )
        for file, content in finding.files.items():
            data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
            (place / file).write_bytes(data)
        return place

    def known(self, generator: str) -> frozenset[str]:
        """The signatures of which enough reproducers are there."""
        return frozenset(s for (g, s), n in self.counts.items() if g == generator and n >= KEPT)
