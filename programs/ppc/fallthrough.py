"""fallthrough: UTF-8 to code points, a switch whose cases fall through and may fail."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256
LONGEST = 60
"""Characters of a line."""
DAMAGED = 0.002
"""The share of bytes that something else has been written over."""
REPLACEMENT = 0xFFFD

ALPHABETS = (
    "etaoin shrdlu cmfwyp vbgkjqxz",  # letters of one byte,
    "etaoin srdlu cmpgh äöüéèñç",  # of one and two,
    "οαιε τσνηυ ρπκμλς ωδγχθφ",  # two,
    "的一是不了人我在有他这中大来上国",  # three,
    "日本語の文 と a😀🎉👍🚀",  # and up to four
)
"""What lines are made of: each of one language's letters, and every letter as likely as another."""


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Lines of random length and language, one after the other, with some bytes damaged."""
    letters = [[c.encode() for c in alphabet] for alphabet in ALPHABETS]
    languages = rng.integers(0, len(letters), n)
    lines = [
        b"".join(letters[which][i] for i in rng.integers(0, len(letters[which]), length))
        for which, length in zip(languages, rng.integers(0, LONGEST + 1, n), strict=True)
    ]
    return lines_of(lines, rng)


def lines_of(lines: list[bytes], rng: np.random.Generator | None = None) -> Data:
    """These lines; `rng`, where it is given, damages them.

    What is written at `points[start[i] + k]` is character k of line i.
    """
    text = np.frombuffer(b"".join(lines) or b"\0", np.uint8).copy()
    if rng is not None:
        damaged = rng.random(len(text)) < DAMAGED
        text[damaged] = rng.integers(0, 256, int(damaged.sum()), np.uint8)
    return {
        "n": len(lines),
        "start": np.cumsum([0, *map(len, lines)], dtype=np.uint32),
        "text": text,
        "points": np.zeros(len(text), np.uint32),
        "count": np.zeros(len(lines), np.uint32),
        "errors": np.zeros(len(lines), np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a line."""
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("fallthrough", groups=-(-data["n"] // group), group_size=group)
    kernel(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """Python's decoder, which replaces what is wrong in the way that Unicode recommends."""
    found = {name: np.zeros_like(data[name]) for name in ("points", "count", "errors")}
    octets, start = data["text"].tobytes(), data["start"].tolist()
    for line in range(data["n"]):
        decoded = octets[start[line] : start[line + 1]].decode("utf-8", "replace")
        points = np.frombuffer(decoded.encode("utf-32-le"), "<u4")
        found["points"][start[line] : start[line] + len(points)] = points
        found["count"][line] = len(points)
        found["errors"][line] = np.count_nonzero(points == REPLACEMENT)
    return found


WORKLOAD = Workload(
    title="fallthrough: UTF-8 to code points, by a switch whose cases fall through",
    source="PPC section IV, unstructured control flow; Unicode, table 3-7 and ConvertUTF.c",
    sizes={"tiny": {"n": 50}, "small": {"n": 20_000}, "paper": {"n": 200_000}},
    make=make,
    launch=launch,
    reference=reference,
)
