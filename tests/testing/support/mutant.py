"""An engine file with one mistake, under a policy, scheduler or memory system that uses it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from simtlab.testing import memory_contract, policy_contract, scheduler_contract
from simtlab.timing.compiler.compose import source_of
from simtlab.timing.compiler.files import POLICIES
from simtlab.timing.compiler.inspection import ENGINE
from simtlab.timing.machines import machine


@dataclass(frozen=True)
class Mutant:
    """`old`, which a file has once, becomes `new`; with an empty `old`, `new` is appended."""

    kind: str
    text: str
    base: str
    file: str
    old: str
    new: str

    @property
    def name(self) -> str:
        """For the list of tests."""
        return f"{self.kind}: {self.text}"

    def write(self, folder: Path) -> Path:
        """The file with the mistake."""
        source = source_of(self.file)
        text = source.read_text(encoding="utf-8")
        if self.old:
            places = text.count(self.old)
            assert places == 1, f"{self.file} has {self.old!r} in {places} places"
        text = text.replace(self.old, self.new) if self.old else text + self.new
        package = ("simtlab", "timing", "engine", *source.relative_to(ENGINE).parts[:-1])
        for up in range(len(package), 0, -1):
            base = ".".join(package[: len(package) - up + 1])
            text = text.replace(f"from {'.' * up}", f"from {base}.")
        path = folder / f"{self.file.rpartition('/')[2]}_mutant.py"
        path.write_text(text, encoding="utf-8")
        return path

    def test(self, folder: Path) -> None:
        """Run the contract of its kind in its default form."""
        path = str(self.write(folder))
        if self.kind == "scheduler":
            scheduler_contract(path, shrink=False)
        elif self.kind == "memory system":
            like = folder / "memory.py"
            like.write_text(f'EXTENDS = ("memory/addresses", "memory/seen", {path!r})\n{_EMPTY}')
            fields = {"memory": str(like), "adversary_seed": 5}
            memory_contract(machine.load("toy", fields), shrink=False)
        else:
            policy = POLICIES[self.base]
            files = tuple(path if f == self.file else f for f in policy.files)
            assert path in files, f"{self.base} does not use {self.file}"
            policy_contract(replace(policy, name="mutant", files=files), shrink=False)


_EMPTY = """
from simtlab.timing.engine.intrinsics import device


@device
def fetch(S, w, s, t):
    return t
"""


def of_kind(kind: str, base: str, file: str, *rows: tuple[str, str, str]) -> list[Mutant]:
    """Return a mutant per row of (what is wrong, old text, new text)."""
    return [Mutant(kind, text, base, file, old, new) for text, old, new in rows]


def hook(head: str, *lines: str) -> str:
    """Return the text of a hook that is appended to a file."""
    return "\n\n@device\n" + head + "\n" + "".join(f"    {line}\n" for line in lines)
