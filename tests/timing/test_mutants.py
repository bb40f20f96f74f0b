"""Mistakes in hooks of every kind: the contracts find each of them, and say which hook it is."""

from __future__ import annotations

from collections import Counter

import pytest

from .mutants import MUTANTS, Mutant

QUICK = tuple(m for m in MUTANTS if m.is_quick)
"""A few of each kind, for every day."""


def test_there_are_ten_mistakes_of_each_kind_of_hook():
    kinds = Counter(mutant.kind for mutant in MUTANTS)
    assert len(kinds) == 9
    assert min(kinds.values()) >= 10
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def finds(mutant: Mutant, tmp_path) -> str:
    with pytest.raises(AssertionError) as caught:
        mutant.test(tmp_path)
    return str(caught.value)


@pytest.mark.parametrize("mutant", QUICK, ids=lambda mutant: mutant.name)
def test_the_default_contract_finds_it_and_shows_the_kernel(mutant: Mutant, tmp_path):
    message = finds(mutant, tmp_path)
    assert "kernel random(" in message
    assert "barrier" in message or "ret" in message


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutant", [m for m in MUTANTS if m not in QUICK], ids=lambda mutant: mutant.name
)
def test_the_default_contract_finds_every_other_one(mutant: Mutant, tmp_path):
    assert "kernel random(" in finds(mutant, tmp_path)
