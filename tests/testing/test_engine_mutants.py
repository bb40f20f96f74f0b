"""Mistakes in hooks of every kind: the contracts find each of them, and say which hook it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

from .support.engine_mutants import MUTANTS
from .support.mutant import Mutant

REST = [mutant for number, mutant in enumerate(MUTANTS) if number % 6]
"""Those that `make test` leaves out; it has some of each kind of hook."""


@pytest.fixture(autouse=True)
def the_same_examples():
    """A mistake that is found is found in every run."""
    settings.register_profile("fixed", settings(), derandomize=True, database=None)
    before = settings.get_current_profile_name()
    settings.load_profile("fixed")
    yield
    settings.load_profile(before)


def test_there_are_ten_mistakes_of_each_kind_of_hook():
    kinds = Counter(mutant.kind for mutant in MUTANTS)
    assert len(kinds) == 9
    assert min(kinds.values()) >= 10
    assert {mutant.kind for mutant in MUTANTS[::6]} == kinds.keys()
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def test_every_mistake_replaces_text_that_its_file_has(tmp_path):
    for mutant in MUTANTS:
        mutant.write(tmp_path)


def finds(mutant: Mutant, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"kernel (random|leaving|trips)\(") as caught:
        mutant.test(tmp_path)
    assert "error[SIM4" in str(caught.value)


@pytest.mark.parametrize("mutant", MUTANTS[::6], ids=lambda mutant: mutant.name)
def test_the_contract_finds_it_and_shows_the_kernel(mutant: Mutant, tmp_path):
    finds(mutant, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", REST, ids=lambda mutant: mutant.name)
def test_the_contract_finds_all_of_them(mutant: Mutant, tmp_path):
    finds(mutant, tmp_path)
