"""The engine's coherent memory against the reference: same cycles, hits, counters and states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ...support import reference_memory as reference
from ...support.memory_rig import ATOMIC, EMPTY, FETCH, LOAD, STORE, Rig
from ...support.memory_streams import KINDS, WIDTH, Access, accesses, geometries

STATES = [None, reference.SHARED, reference.EXCLUSIVE, reference.MODIFIED]
FIELDS = {LOAD: {"is_load": 1}, STORE: {"is_store": 1}, ATOMIC: {"is_load": 1, "is_atomic": 1}}


def compare(fields: dict[str, Any], stream: Sequence[Access], *, plain: bool) -> None:
    rig = Rig(fields, plain=plain)
    model = reference.ReferenceMemory(rig.machine)
    t = 0
    for n, (w, kind, wait, addresses) in enumerate(stream):
        t += wait
        w %= rig.machine.wpus
        lanes = [(i, a) for i, a in enumerate(addresses) if a is not None]
        if kind == FETCH:
            # Code lies where no data are.
            line = (1 << 20) + lanes[0][1] // rig.machine.l1i.line
            (row,) = rig.lines([(w, line, FETCH, t)])
            assert row["ready"] == model.fetch(w, [line * rig.machine.l1i.line], t), n
            continue
        row = rig.simd(addresses, t, w, **FIELDS[kind])
        answer = model.access(w, KINDS[kind], lanes, t)
        hits = {i for i in range(WIDTH) if int(row["hits"]) >> i & 1}
        assert (n, int(row["ready"]), hits) == (n, answer.ready, set(answer.hits))
    counters = rig.counters()
    for name, count in model.n.items():
        assert counters.get(f"n_{name}", 0) == count, name
    for w, lines in enumerate(model.l1d):
        assert _lines_of(rig, w) == {
            (line.address // lines.cache.line, line.ready, line.state)
            for ways in lines.sets
            for line in ways
            if line is not None
        }


def _lines_of(rig: Rig, w: int) -> set[tuple[int, int, str | None]]:
    count = rig.machine.l1d.sets * rig.machine.l1d.n_ways
    rows = rig.places[w * count : (w + 1) * count]
    return {(int(r["tag"]), int(r["at"]), STATES[r["state"]]) for r in rows if r["tag"] != EMPTY}


@given(geometries(), st.lists(accesses(), min_size=1, max_size=60))
def test_random_streams(fields: dict[str, Any], stream: list[Access]) -> None:
    compare(fields, stream, plain=True)


@pytest.mark.slow
@settings(max_examples=3000)
@given(geometries(), st.lists(accesses(), min_size=1, max_size=200))
def test_thousands_of_random_streams(fields: dict[str, Any], stream: list[Access]) -> None:
    compare(fields, stream, plain=False)
