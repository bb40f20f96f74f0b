"""Recordings whose file is whole, and whose contents another program has changed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.debugger.commands.run import Commands
from simtlab.debugger.session import Session
from simtlab.isa.errors import SimtError, UsageError
from simtlab.recording.recording import Recording
from simtlab.viewer.page import page_of

from .support.runs import functional, two_launches

Members = dict[str, Any]


def stored(recording: Recording) -> Members:
    return dict(recording.arrays())


def with_facts(members: Members, change: Callable[[Any], None]) -> Members:
    facts = json.loads(members["facts"].tobytes())
    change(facts)
    return {**members, "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8)}


def written(folder: Path, members: Members) -> Path:
    path = folder / "run.npz"
    np.savez(path, **members)
    return path


@pytest.mark.parametrize("scheme", ["stack", "ppc", "per-thread"])
def test_a_run_is_read_as_it_was_written(tmp_path: Path, scheme: str) -> None:
    recording = functional(scheme)
    recording.save(tmp_path / "run.npz")
    again = Recording.load(tmp_path / "run.npz")
    assert again.facts == json.loads(json.dumps(recording.facts))
    assert all(np.array_equal(again.tables[name], rows) for name, rows in recording.tables.items())


@pytest.mark.parametrize(
    ("policy", "preset", "fields"),
    [
        ("dws.revive-split", "dws", {}),
        ("ppc", "toy", {}),
        ("lwm", "lwm", {"policy.warp": 32}),
        ("dwf.majority", "lwm", {}),
        ("slip", "dws", {}),
    ],
)
def test_a_simulation_is_read_as_it_was_written(
    tmp_path: Path, policy: str, preset: str, fields: dict[str, int]
) -> None:
    recording, _ = two_launches(policy, preset, **fields)
    recording.save(tmp_path / "run.npz")
    assert Recording.load(tmp_path / "run.npz").facts == json.loads(json.dumps(recording.facts))


def put(*place: str | int, value: object) -> Callable[[Any], None]:
    """Return a function that replaces one entry of the facts."""

    def change(facts: Any) -> None:
        for key in place[:-1]:
            facts = facts[key]
        facts[place[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (put("width", value=65), "width should be a whole number from 1 to 64, not 65"),
        (put("width", value=True), "width should be a whole number from 1 to 64, not True"),
        (put("begin", value=10**9), "is before its begin, 1,000,000,000"),
        (put("launches", 0, "kernel", value=3),
         "launches[0].kernel should be a whole number from 0 to 0, not 3"),
        (put("launches", 0, "groups", value=[9, 1, 1]),
         "launches[0].groups should be [3, 1, 1], not [9, 1, 1]"),
        (put("launches", 0, "kernargs", value="zz"),
         "launches[0].kernargs should be 8 bytes in hexadecimal, not 'zz'"),
        (put("launches", 0, "buffers", 0, "size", value=81),
         "launches[0].buffers[0] is beyond its buffer"),
        (put("buffers", 0, "size", value=1 << 40), "has more bytes than the recording"),
        (put("kernels", 0, "name", value="other"),
         "kernels[0] is called other, which is not in its object file"),
        (put("states", 0, "stack", value=[[0, 1]]),
         "states[0].stack[0] should be a list of 3, not [0, 1]"),
        (lambda facts: facts.pop("warps"), "the recording has no warps"),
    ],
)  # fmt: skip
def test_a_fact_that_cannot_be_is_named(
    tmp_path: Path, change: Callable[[Any], None], text: str
) -> None:
    path = written(tmp_path, with_facts(stored(functional("stack")), change))
    with pytest.raises(UsageError) as caught:
        Recording.load(path)
    assert caught.value.first.code == "SIM510"
    assert str(caught.value).startswith(f"error[SIM510]: {path} is damaged, or another program has")
    assert text in caught.value.first.message


@pytest.mark.parametrize(
    ("member", "value", "text"),
    [
        ("issue_pc", 99, "row 0 of table issue has pc 99; expected -1 to"),
        ("issue_warp", -1, "row 0 of table issue has warp -1; expected 0 to"),
        ("issue_mask", 1 << 40, "row 0 of table issue has mask 1,099,511,627,776; expected 0 to"),
        ("issue_t", 1 << 40, "the times of table issue are not in order"),
        ("state_row", 1 << 20, "row 0 of table state has row 1,048,576"),
    ],
)
def test_a_row_that_cannot_be_is_named(
    tmp_path: Path, member: str, value: int, text: str
) -> None:  # fmt: skip
    members = stored(functional("stack"))
    members[member] = members[member].copy()
    members[member][0] = value
    with pytest.raises(UsageError) as caught:
        Recording.load(written(tmp_path, members))
    assert text in caught.value.first.message


def test_a_warp_that_its_launch_does_not_have_is_found_by_the_replay(tmp_path: Path) -> None:
    members = stored(functional("stack"))
    members["occupant_wave"] = members["occupant_wave"] + np.int32(70)
    recording = Recording.load(written(tmp_path, members))
    with pytest.raises(UsageError, match="contradicts itself: its launch has no warp"):
        recording.registers(0, 3)
    [remark] = page_of([recording]).remarks
    assert "no values of registers and memory: this recording contradicts itself" in remark


def test_columns_of_other_types_and_lengths_are_refused(tmp_path: Path) -> None:
    for name, change in (
        ("issue_t", lambda a: a.astype(np.float64)),
        ("issue_pc", lambda a: a[:-1]),
        ("wait_mask", lambda a: a.reshape(1, -1)),
        ("memory_bytes", lambda a: a.astype(np.uint16)),
    ):
        members = stored(functional("stack"))
        members[name] = change(members[name])
        with pytest.raises(UsageError, match="is not a recording"):
            Recording.load(written(tmp_path, members))


WRONG = (None, -1, 0, 7, 1 << 40, 1 << 70, 1.5, "x", "ff", [], {}, [1, 2, 3], True)


def altered(members: Members, rng: random.Random) -> Members:
    """Change one entry of the facts, or one element of a table."""
    if rng.random() < 0.6:

        def change(facts: Any) -> None:
            key = rng.choice(list(facts))
            while isinstance(facts[key], (dict, list)) and facts[key] and rng.random() < 0.8:
                facts = facts[key]
                key = rng.choice(list(facts) if isinstance(facts, dict) else range(len(facts)))
            if rng.random() < 0.2:
                del facts[key]
            elif type(facts[key]) is int and rng.random() < 0.5:
                facts[key] += rng.choice((-1, 1, 2))
            else:
                facts[key] = rng.choice(WRONG)

        return with_facts(members, change)
    name = rng.choice([name for name, column in members.items() if column.size > 1])
    column = members[name].copy()
    other = rng.choice((0, 1, 3, 127, int(column[rng.randrange(column.size)])))
    column[rng.randrange(column.size)] = other
    return {**members, name: column}


LINES = (
    "info", "where", "stack", "list", "step 3", "print $s0", "lanes $s0", "disasm", "back",
    "warp 1", "item 3", "memory words", "writer $s1", "break 9", "continue", "finish",
    "back continue", "to diverge", "goto end", "where", "set $s0 = 5", "step", "undo",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_an_altered_recording_ends_in_a_message_wherever_it_is_read(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    runs = functional("stack"), functional("ppc"), two_launches("dws.revive-split")[0]
    members = stored(runs[seed % 3])
    shown = 0
    for _ in range(40):
        path = written(tmp_path, altered(members, rng))
        try:
            recording = Recording.load(path)
            page_of([recording])
            for name in ("run.json", "run.kanata"):
                recording.export(tmp_path / name)
            recording.waits_of(0, 0)
            str(recording.why(0))
            commands = Commands(Session(recording))
        except SimtError:
            continue
        shown += 1
        for line in LINES:
            try:
                commands.run(line)
            except SimtError:
                pass
    assert shown > 5


def test_the_command_shows_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from simtlab.cli import main

    monkeypatch.chdir(tmp_path)
    written(tmp_path, with_facts(stored(functional("stack")), put("width", value=0)))
    for words in (["view", "run.npz"], ["debug", "run.npz"]):
        assert main(words) == 2
        assert capsys.readouterr().err == (
            "error[SIM510]: run.npz is damaged, or another program has changed it: width should be "
            "a whole number from 1 to 64, not 0\n = help: record the run again\n"
        )


def test_simtlab_reads_what_it_records_of_a_window(tmp_path: Path) -> None:
    (kernel,) = simtlab.assemble(
        "kernel k(global u32* %y) {\n    workitemabsid_u32 $s0, 0\n    nop\n    nop\n    ret\n}"
    )
    recording = simtlab.record(kernel, items=8, group_size=4, warp=4, window=(2, 4))(
        np.zeros(8, np.uint32)
    )
    recording.save(tmp_path / "part.npz")
    assert repr(Recording.load(tmp_path / "part.npz")) == repr(recording)
