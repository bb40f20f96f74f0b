"""The fuzzer notices what goes wrong, and leaves what it takes to see it again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from simtlab.emu import second_opinion

from . import generators
from .driver import Driver
from .findings import KEPT, Finding, Findings, signature_of

WANTED = (
    "# lines are wrong", "KeyError in planted.py", "SystemExit in planted.py",
    "the process ended: SIGABRT", "no end within 5 s",
)  # fmt: skip
"""How the signatures of the planted mistakes begin."""


class AllFound(Exception):
    """Every kind of mistake was reported."""


class UntilAllFound(Driver):
    """A run that ends with the last kind of finding, however long that takes on this machine."""

    def report(self, finding: Finding) -> None:
        super().report(finding)
        kinds = [signature for _, signature in self.findings.counts]
        if all(any(kind.startswith(wanted) for kind in kinds) for wanted in WANTED):
            raise AllFound


def test_every_way_to_go_wrong_is_a_finding(tmp_path: Path) -> None:
    driver = UntilAllFound("7", [generators.find("planted")], Findings(tmp_path))
    with pytest.raises(AllFound):
        driver.run(600, workers=2)
    words = {path.read_text() for path in tmp_path.glob("*/1/word.txt")}
    assert {"wrong 1\n", "crash 8\n", "hang 8\n"} <= words, "the wrong one is made smaller"
    assert "# lines are wrong" in driver.summary()


def test_enough_is_enough(tmp_path: Path) -> None:
    findings = Findings(tmp_path)
    places = [findings.add(Finding("g", f"k{n}", "kind", "text")) for n in range(KEPT + 3)]
    assert places[KEPT:] == [None] * 3
    assert findings.known("g") == {"kind"}
    assert len(list(tmp_path.glob("*/*/finding.txt"))) == KEPT


def test_a_signature_has_no_numbers() -> None:
    first, second = (
        AssertionError("array 1 differs at 0x7f"),
        AssertionError("array 2 differs at 9"),
    )
    assert signature_of(first) == signature_of(second) == "array # differs at #"


@pytest.mark.parametrize("name", generators.NAMES)
def test_a_key_is_always_the_same_example(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    if name == "policies":
        pytest.skip("choosing its policies composes their engines")
    # A generator may lower this budget for its whole process, which here has other tests to run.
    monkeypatch.setattr(second_opinion, "VERDICT_BUDGET", second_opinion.VERDICT_BUDGET)
    draw = generators.find(name).open(tmp_path, random.Random("slice"))
    first, again = (draw(random.Random("7/x/1/2")).files() for _ in range(2))
    assert first == again


def test_an_unknown_generator_is_named() -> None:
    with pytest.raises(SystemExit, match="unknown generator 'sorces'; there are kernels"):
        generators.find("sorces")
