"""Machines: the presets say what the papers say, and mistakes are told by key."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from simtlab.timing.machines.machine import KEYS, MachineError, load, names

PRESETS = (
    "dws",
    "gpu-small",
    "lwm",
    "maws-bulk",
    "maws-coherent",
    "maws-intro16k",
    "ppc",
    "toy",
)


def test_these_are_the_presets():
    assert tuple(names()) == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_every_value_of_a_preset_has_a_source_and_no_other_has(name):
    text = (resources.files("simtlab.timing") / "machines" / f"{name}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    sources = table.pop("sources")
    given = {
        f"{key}.{inner}" if isinstance(value, dict) else key
        for key, value in table.items()
        for inner in (value if isinstance(value, dict) else [key])
    }
    assert set(sources) == given - {"title"}
    assert load(name).name == name
    assert load(name).title


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # DWS Table 3 and section 3.3
        (
            "dws",
            {
                "wpus": 4, "warps": 4, "width": 16, "clock_ghz": 1.0, "vdd": 0.9, "slots": 8,
                "wst_entries": 16, "interval": 100_000, "l1i.size": 16 << 10, "l1i.ways": 4,
                "l1i.line": 128, "l1i.mshrs": 4, "l1d.size": 32 << 10, "l1d.ways": 8,
                "l1d.line": 128, "l1d.hit_latency": 3, "l1d.mshrs": 32, "l1d.targets": 32,
                "l2.size": 4 << 20, "l2.ways": 16, "l2.line": 128, "l2.hit_latency": 30,
                "l2.mshrs": 256, "l2.targets": 64, "crossbar.bytes_per_cycle": 57.0,
                "crossbar.clock_mhz": 300.0, "bus.bytes_per_cycle": 16.0, "dram.latency": 100,
                "memory": "coherent",
            },
        ),
        # MAWS Table 3
        (
            "maws-coherent",
            {
                "wpus": 4, "warps": 8, "width": 8, "l1d.size": 32 << 10, "l1d.ways": 4,
                "l1d.line": 32, "l1d.hit_latency": 3, "l1d.mshrs": 16, "l1i.line": 32,
                "l2.size": 2 << 20, "l2.ways": 16, "l2.line": 128, "l2.mshrs": 64,
                "dram.latency": 300, "memory": "coherent", "crossbar.clock_mhz": 300.0,
            },
        ),
        # MAWS Table 4
        (
            "maws-bulk",
            {
                "wpus": 4, "warps": 4, "width": 8, "l1d.size": 32 << 10, "l1d.ways": 4,
                "l1d.line": 32, "l1d.mshrs": 16, "l2.size": 0, "dram.latency": 300,
                "memory": "bulk", "crossbar.bytes_per_cycle": 57.0, "crossbar.clock_mhz": 300.0,
            },
        ),
        ("maws-intro16k", {"warps": 4, "width": 8, "l1d.size": 16 << 10}),
        ("ppc", {"width": 16, "scheduler": "rr", "first": "minpc", "l1d.size": 32 << 10}),
        # LWM Table 1
        (
            "lwm",
            {
                "wpus": 1, "warps": 32, "width": 32, "pipeline": 7, "registers": 16,
                "l1i.size": 4 << 10, "l1d.size": 32 << 10, "l1d.ways": 4, "l1d.line": 128,
                "l1d.hit_latency": 1, "dram.banks": 8, "dram.row": 4096, "dram.row_hit": 100,
                "dram.row_conflict": 300, "private": "on-chip", "private_bytes": 128,
                "issue": "barrel", "memory": "gpu", "bus.bytes_per_cycle": 32.0,
            },
        ),
        ("toy", {"wpus": 1, "width": 8, "scheduler": "fifo", "dram.latency": 10}),
    ],
)  # fmt: skip
def test_presets_have_the_values_of_the_tables(name, expected):
    found = {v.key: v.value for v in KEYS.values(load(name))}
    assert {key: found[key] for key in expected} == expected


def test_sizes_that_the_papers_give_in_total():
    lwm = load("lwm")
    assert lwm.contexts == 1024
    assert lwm.core_contexts * lwm.registers * 4 == 64 << 10
    assert lwm.core_contexts * lwm.private_bytes == 128 << 10
    assert load("dws").core_contexts == load("maws-coherent").core_contexts == 64
    assert load("maws-bulk").core_contexts == 32


def test_bandwidths_are_the_papers_in_bytes_a_second():
    dws = load("dws")
    assert dws.crossbar.bytes_per_cycle * dws.clock_ghz == 57
    assert dws.bus.bytes_per_cycle * dws.clock_ghz == 16
    assert dws.crossbar.fraction == (57, 1)
    assert dws.crossbar_cycle * dws.crossbar.fraction[0] == 190  # bytes in a crossbar cycle
    assert dws.crossbar.latency == 0  # Q-DWS-2: the crossbar cycle that a transfer takes


@pytest.mark.parametrize("name", PRESETS)
def test_every_key_is_told_with_unit_text_and_source(name):
    for value in KEYS.values(load(name)):
        assert value.text, value.key
        assert value.source, value.key
    assert {v.key for v in KEYS.values(load(name))} <= set(KEYS.all)


def test_a_value_set_by_the_user_says_so():
    machine = load("dws", {"l1d.size": "16KiB", "policy.loop-bypass": "false"})
    assert machine.l1d.size == 16 << 10
    assert machine.sources["l1d.size"] == "set by the user"
    assert machine.sources["l1d.ways"] == "DWS Table 3"
    assert machine.policy == {"loop-bypass": False}


def test_a_machine_file_of_the_users(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("wpus = 2\n[l1d]\nsize = '8KiB'\nways = 2\n")
    machine = load(path, {"warps": "8"})
    assert (machine.name, machine.wpus, machine.warps, machine.l1d.size) == ("mine", 2, 8, 8192)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"l1d.szie": 1}, "l1d.szie: unknown key (did you mean `l1d.size`?)"),
        ({"sizes": 1}, "sizes: unknown key"),
        ({"warp": 8}, "warp: unknown key (did you mean `width` or `policy.warp`?)"),
        ({"lanes": 8}, "lanes: unknown key (did you mean `width`?)"),
        ({"sms": 8}, "sms: unknown key (did you mean `wpus`?)"),
        ({"policy": "conv"}, "policy: is a table of settings, as policy.percent=50; the policy"),
        ({"pc-merge": False}, "pc_merge: unknown key (did you mean `policy.pc-merge`?)"),
        ({"mshrs": 1}, "(did you mean `l1i.mshrs`, `l1d.mshrs` or `l2.mshrs`?)"),
        ({"l2.latency": 1}, "l2.latency: unknown key (did you mean `l2.hit_latency`?)"),
        ({"l1.size": 1}, "l1.size: unknown key (did you mean `l1i.size` or `l1d.size`?)"),
        ({"dram.lat": 1}, "dram.lat: unknown key (did you mean `dram.latency`?)"),
        ({"bus.width": 1}, "bus.width: unknown key (bus has latency, bytes_per_cycle)"),
        ({"l1d.size": "-32KiB"}, "l1d.size: must be a number of bytes, such as"),
        ({"l1d.size": -1}, "l1d.size: must be greater than or equal to 0 (got -1)"),
        ({"wpus": 0}, "wpus: must be greater than or equal to 1 (got 0)"),
        ({"width": 65}, "width: must be less than or equal to 64 (got 65)"),
        ({"warps": "4.5"}, "warps: must be a valid integer (got 4.5)"),
        ({"scheduler": "rrr"}, "scheduler: must be fifo, rr, lrr, swf, gto, two-level, or a path"),
        ({"memory": "coherrent"}, "(did you mean `coherent`?)"),
        ({"issue": "barell"}, "issue: takes "),
        ({"dram.model": "row"}, "dram.model: takes flat or rows, not 'row' (did you mean `rows`?)"),
        ({"l1d": 3}, "l1d: is a table of keys, such as l1d.size"),
        ({"wpus.x": 3}, "'wpus.x' is not a key of a machine: 'wpus' is a single value"),
        ({"l1d.line": 96}, "l1d: line = 96: must be a power of two"),
        ({"l1d.size": "33KiB"}, "must be a power of two"),
        ({"l2.size": "3MB", "l2.ways": 7}, "l2: 24576 lines cannot be divided into 7 ways\n"),
        ({"l1d.size": 100}, ": l1d: size = 100: must be a multiple of line = 128"),
        ({"l1d.size": 0}, "memory = 'coherent' needs an l1d with a size"),
        ({"l2.size": 0}, "memory = 'coherent' needs an l2 with a size"),
        ({"l2.line": 64}, "l2.line must be a multiple of l1d.line"),
        ({"group_banks": 3}, "group_banks = 3: must be a power of two"),
        ({"dram.row_hit": 500}, "dram.row_conflict must be at least dram.row_hit"),
        ({"bus.bytes_per_cycle": "inf"}, "bus.bytes_per_cycle: must be less than"),
        ({"bus.bytes_per_cycle": "nan"}, "bus.bytes_per_cycle: "),
    ],
)
def test_mistakes_are_told_by_key(overrides, message):
    with pytest.raises(MachineError) as error:
        load("dws", overrides)
    assert message in str(error.value)


def test_all_mistakes_are_told_at_once():
    with pytest.raises(MachineError) as error:
        load("dws", {"wpus": 0, "l1d.wyas": 1})
    assert "wpus: " in str(error.value)
    assert "l1d.wyas: " in str(error.value)


def test_sources_name_keys(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("wpus = 2\n[sources]\nwpuss = 'a book'\n")
    with pytest.raises(MachineError, match=r"sources names wpuss.*did you mean `wpus`"):
        load(path)


@pytest.mark.parametrize("content", [b"wpus = ", b"\xff\xfe"])
def test_a_file_that_is_no_machine(tmp_path, content):
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(MachineError, match=r"mine\.toml"):
        load(path)


def test_a_machine_that_does_not_exist():
    with pytest.raises(MachineError, match="did you mean `lwm`"):
        load("lvm")
    with pytest.raises(MachineError, match="cannot read machine file"):
        load("no-such.toml")


def test_words_of_a_key():
    assert KEYS.choices("dram.model") == ("flat", "rows")
    assert KEYS.choices("wpus") == KEYS.choices("nothing") == ()
