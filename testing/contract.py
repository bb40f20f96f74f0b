"""The examples of a contract: one failure, as AssertionError, remembered for its subject."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.database import ExampleDatabase
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

_T = TypeVar("_T")


@dataclass(frozen=True)
class Identity:
    """What a contract is about: a name, and the contents of all that its outcome depends on."""

    name: str
    parts: Sequence[str]

    @property
    def key(self) -> bytes:
        """A hash of both."""
        return hashlib.sha256(repr((self.name, tuple(self.parts))).encode()).digest()

    def seed(self) -> int:
        """Return the seed of the examples: another in each run unless derandomised."""
        return int.from_bytes(self.key[:8]) if settings().derandomize else random.getrandbits(64)


class OwnExamples(ExampleDatabase):
    """The part of a database that belongs to one subject: no other one's failures are in it."""

    def __init__(self, of: ExampleDatabase, identity: Identity) -> None:
        super().__init__()
        self._of, self._key = of, identity.key

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """Return the saved examples of a key."""
        return self._of.fetch(self._key + key)

    def save(self, key: bytes, value: bytes) -> None:
        """Keep an example."""
        self._of.save(self._key + key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        """Delete a saved example."""
        self._of.delete(self._key + key, value)

    def move(self, src: bytes, dest: bytes, value: bytes) -> None:
        """Keep an example under another key."""
        self._of.move(self._key + src, self._key + dest, value)


def check_examples(
    identity: Identity,
    drawn: SearchStrategy[_T],
    check: Callable[[_T], None],
    examples: int,
    *,
    shrink: bool,
    seed: int,
) -> None:
    """Call `check` with so many examples; raises AssertionError for the (shrunk) one that fails."""
    phases = [p for p in Phase if shrink or p not in (Phase.shrink, Phase.explain)]
    base: Any = settings().database

    # Above the seed, which would take the database away.
    @settings(
        max_examples=examples,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        database=None if base is None else OwnExamples(base, identity),
    )
    @seeded(seed)
    @given(drawn)
    def run(example: _T) -> None:
        check(example)

    try:
        run()
    except Flaky as error:
        raise AssertionError(
            f"{identity.name}: not the same twice, for the same kernel and machine: {error}"
        ) from error
