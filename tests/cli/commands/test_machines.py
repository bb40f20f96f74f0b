"""`simtlab machines`: fields, and the area of a WPU by structure."""

from __future__ import annotations

import json

import pytest

from simtlab.timing.machines.machine import load, names
from simtlab.timing.results.energy.area import area_of


def test_the_area_of_a_machine_by_structure_and_by_family(cli):
    found = cli("machines", "dws", "--area")
    rows = [line.split() for line in found.out.splitlines()]
    assert ["scheduler", "4", "entries", "0.039", "0.09%"] in rows
    assert "dws warp-split table 16 of 11 bytes 0.010 0.02% DWS-24".split() in rows
    assert "dws scheduler 4 entries 0.039 0.09% DWS-24".split() in rows
    assert "lwm register decoders 16, one per lane 0.528 1.25% LWM-20".split() in rows
    assert "ppc PC comparators 1 - - PPC-HW".split() in rows


@pytest.mark.parametrize("name", names())
def test_the_area_as_json_is_that_of_python(cli, name):
    found = cli("machines", name, "--area", "--json").json
    assert found == json.loads(json.dumps({"name": name, **area_of(load(name)).to_dict()}))
    assert sum(s["share"] for s in found["structures"]) == pytest.approx(1)
    assert [a["family"] for a in found["additions"]] == ["dws", "maws", "lwm", "ppc", "per-thread"]
    for addition in found["additions"]:
        parts = [s["mm2"] for s in addition["structures"] if s["mm2"] is not None]
        assert addition["mm2"] == pytest.approx(sum(parts))


def test_an_area_is_that_of_a_machine(cli):
    found = cli("machines", "--area")
    assert found.status == 2
    assert "--area needs the name of a machine" in found.err
