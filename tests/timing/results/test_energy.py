"""Energy and area: what the papers give as figures, and which way things go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simtlab.isa.errors import UsageError
from simtlab.timing.machines import machine
from simtlab.timing.results.energy.area import area_of, dws_entry_bits, generations
from simtlab.timing.results.energy.model import energy_of
from simtlab.timing.results.energy.parameters import Areas, Dynamic, Power, load, names
from simtlab.timing.results.mix import InstructionMix
from simtlab.timing.results.statistics import Statistics

DWS = machine.load("dws")
MIX = InstructionMix({}, {"int": 8000, "float": 4000}, 24_000, 12_000)
BUSY = Statistics(
    cycles=10_000, wpus=4, width=16, warp_instructions=1000, thread_instructions=12_000,
    instruction_mix=MIX, l1_hits=500, l1_misses=20, l2_hits=20, dram_accesses=3,
)  # fmt: skip


def test_every_parameter_has_a_source():
    for name in names():
        p = load(name)
        keys = {
            f"{table}.{name}"
            for table, cls in (("dynamic", Dynamic), ("power", Power), ("area", Areas))
            for name in cls.model_fields
        }
        assert set(p.sources) == keys


def test_a_memory_access_is_220_nanojoules():
    more = energy_of(replace(BUSY, dram_accesses=13), DWS)
    assert more.parts["DRAM"] - energy_of(BUSY, DWS).parts["DRAM"] == pytest.approx(2200)


def test_a_message_of_the_crossbar_costs_its_header_and_a_line_its_bytes_too():
    def crossbar(**counts: int) -> float:
        return energy_of(replace(BUSY, **counts), DWS).parts["crossbar"]

    assert crossbar() == 0
    assert crossbar(crossbar_messages=1000) == pytest.approx(12)  # 12 pJ each, in nJ
    assert crossbar(crossbar_lines=1000, crossbar_bytes=128_000) == pytest.approx(12 + 128 * 1.5)
    both = crossbar(crossbar_messages=1000, crossbar_lines=1000, crossbar_bytes=128_000)
    assert both == pytest.approx(24 + 192)


def test_the_parts_add_up():
    found = energy_of(BUSY, DWS)
    assert found.total == sum(found.parts.values())
    assert found.watts == pytest.approx(found.total / 10_000)  # nJ in 10,000 ns
    assert found.to_dict()["nanojoules"] == found.total
    assert "W; " in str(found)


def test_leakage_and_clock_grow_with_time_and_nothing_else_does():
    slow = energy_of(replace(BUSY, cycles=20_000), DWS)
    for name, n in energy_of(BUSY, DWS).parts.items():
        factor = 2 if name in ("clock", "leakage") else 1
        assert slow.parts[name] == pytest.approx(factor * n), name


def test_most_of_convs_energy_grows_with_time():
    """Q-DWS-42: a speedup of 1.71 that saves 30 % needs a share of 0.72 or more."""
    assert energy_of(BUSY, DWS).time_share >= 0.72
    faster = energy_of(replace(BUSY, cycles=int(10_000 / 1.71)), DWS)
    assert faster.total < 0.75 * energy_of(BUSY, DWS).total


def test_narrow_splits_cost_fetches_and_no_more():
    """Q-DWS-43: the same lanes in twice as many groups."""
    narrow = energy_of(replace(BUSY, warp_instructions=2000), DWS)
    for name, n in energy_of(BUSY, DWS).parts.items():
        factor = 2 if name in ("fetch and decode", "L1I") else 1
        assert narrow.parts[name] == pytest.approx(factor * n), name


def test_energy_goes_with_the_square_of_the_supply():
    low = energy_of(BUSY, machine.load("dws", {"vdd": "0.45"}))
    usual = energy_of(BUSY, DWS)
    assert low.parts["L1D"] == pytest.approx(usual.parts["L1D"] / 4)
    assert low.parts["leakage"] == pytest.approx(usual.parts["leakage"] / 2)
    assert low.parts["DRAM"] == usual.parts["DRAM"]


def test_nothing_costs_nothing():
    found = energy_of(Statistics(), DWS)
    assert (found.total, found.time_share, found.watts) == (0, 0, 0)
    assert str(found).startswith("0 ")


def test_the_warp_split_table_of_dws():
    """DWS 5.6: 84 bits or 11 bytes an entry, 16 of them, less than 1 % of storage and area."""
    area = area_of(DWS)
    assert dws_entry_bits(DWS) == 84
    assert (area.dws_entry_bytes, area.dws_bytes) == (11, 176)
    assert area.dws_share_of_l1 == pytest.approx(0.0036, abs=1e-4)
    assert area.share("dws") < 0.01


def test_the_scheduler_of_dws_has_twice_the_entries():
    """DWS 5.6: eight entries in place of four; the paper's claim holds with them."""
    table, scheduler = area_of(DWS).additions["dws"]
    assert (table.size, scheduler.size) == ("16 of 11 bytes", "4 entries")
    assert scheduler.mm2 == pytest.approx(4 * 0.02 * 0.49)
    assert area_of(DWS).structures[1].mm2 == pytest.approx(scheduler.mm2)
    wide = area_of(machine.load("dws", {"slots": "16"}))
    assert wide.additions["dws"][1].size == "12 entries"
    # Without a limit on slots: what the paper builds.
    assert area_of(machine.load("dws", {"slots": "0"})).additions["dws"][1].size == "4 entries"
    assert area_of(machine.load("dws", {"slots": "2"})).additions["dws"][1].mm2 == 0


def test_large_warps_need_a_decoder_for_each_lane():
    """LWM 3.3: up to 18.7 % of the register file, 1.5 to 3 % of a chip."""
    lwm = area_of(machine.load("lwm"))
    decoders, masks = lwm.additions["lwm"]
    (file,) = (s for s in lwm.structures if s.name == "register file")
    assert decoders.mm2 == pytest.approx(0.187 * (file.mm2 or 0))
    assert masks.mm2 == pytest.approx(96 / 1024 * 0.12 * 0.49)
    assert 0.01 < lwm.share("lwm") < 0.03
    assert lwm.share("lwm") == pytest.approx((decoders.share or 0) + (masks.share or 0))


def test_structures_add_up_to_a_wpu():
    area = area_of(DWS)
    assert sum(s.share or 0 for s in area.structures) == pytest.approx(1)
    assert area.wpu_mm2 == pytest.approx(sum(s.mm2 or 0 for s in area.structures))
    assert area.additions["ppc"][0].mm2 is None  # the paper gives a number only
    assert area.to_dict()["wpu_mm2"] == area.wpu_mm2


def test_the_tables_of_maws():
    """MAWS 5.5: 32 entries of 18 bytes, less than 2 %."""
    area = area_of(machine.load("maws-intro16k"))
    assert area.maws_bytes == 576
    assert area.maws_share_of_l1 == pytest.approx(0.0176, abs=1e-4)
    assert area.share("maws") < 0.02


def test_large_warps_and_comparators():
    """LWM 6.2: 768 bits, 96 bytes; PPC: one comparator in place of one per thread."""
    area = area_of(machine.load("lwm"))
    assert area.lwm_bits == 8 * 96
    assert (area.ppc_comparators, area.per_thread_comparators) == (1, 32)


def test_a_generation_shrinks_by_seven_tenths():
    assert generations(130, 65) == 2
    assert generations(65, 130) == -2
    old = area_of(machine.load("dws", {"technology_nm": "130"}))
    assert area_of(DWS).wpu_mm2 == pytest.approx(old.wpu_mm2 * 0.49)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("int_op = 2.5", "int_opp = 2.5"), "dynamic.int_opp: unknown key .did you mean `int_op`"),
        (("int_op = 2.5", ""), "dynamic.int_op: is missing"),
        (("int_op = 2.5", "int_op = true"), "dynamic.int_op: must be a valid number"),
        (("int_op = 2.5", "int_op = inf"), "dynamic.int_op: must be a finite number"),
        (("int_op = 2.5", "int_op = -1"), "dynamic.int_op: must be greater than 0 .got -1"),
        (("vdd = 0.9", ""), "own.toml is not a valid energy model: vdd: is missing"),
        (("[dynamic]", "[dynamic"), "own.toml"),
    ],
)
def test_mistakes_in_a_file(tmp_path, change, message):
    from importlib import resources

    text = (resources.files("simtlab.timing.results.energy") / "65nm.toml").read_text("utf-8")
    path = tmp_path / "own.toml"
    path.write_text(text.replace(*change))
    with pytest.raises(UsageError, match=message):
        load(path)


def test_parameters_that_do_not_exist():
    with pytest.raises(UsageError, match="did you mean `65nm`"):
        load("66nm")
    with pytest.raises(UsageError, match="cannot read"):
        load("none.toml")
