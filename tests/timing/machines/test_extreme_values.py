"""Numbers of machines and policies have bounds: whatever is given, a run ends or is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simtlab.timing.compiler.files import POLICIES
from simtlab.timing.machines.machine import MachineError, load

SCRIPT = Path(__file__).parents[1] / "support" / "extreme_values.py"
BARREL = ("lwm", "dwf", "density-time")
"""How policies begin that run on the machine of large warps only."""


def walk(machine: str, policy: str) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, machine, policy], capture_output=True, text=True, check=False
    )
    last = "\n".join(done.stdout.splitlines()[-3:])
    assert done.returncode == 0, f"{last}\n{done.stderr}"
    _, ran, _, refused = last.splitlines()[-1].split()
    assert int(ran) > 80
    assert int(refused) > 400


@pytest.mark.parametrize(
    ("machine", "policy"), [("dws", "conv"), ("lwm", "lwm"), ("maws-bulk", "maws.lat-spec")]
)
def test_extreme_numbers_of_a_machine_and_its_policy_end_or_are_refused(
    machine: str, policy: str
) -> None:
    walk(machine, policy)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_extreme_numbers_of_every_policy_end_or_are_refused(policy: str) -> None:
    walk("lwm" if policy.startswith(BARREL) else "dws", policy)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("dram.latency", 1 << 62, "dram.latency: must be less than or equal to 1048576"),
        (
            "l2.size",
            "1GiB",
            "the caches have 8,390,144 lines altogether: must be at most 4,194,304",
        ),
        ("wpus", "1" * 5000, "wpus: must be a valid integer (got '1111"),
        ("wpus", 10**5000, "(got a whole number of 16,610 bits)"),
        ("wpus", "[" * 5000, "wpus: must be a valid integer (got '[[[["),
    ],
    ids=["latency", "lines", "digits", "bits", "nesting"],
)
def test_a_number_out_of_bounds_is_told_with_its_key_and_its_bound(
    key: str, value: object, message: str
) -> None:
    with pytest.raises(MachineError) as found:
        load("dws", {key: value})
    assert message in found.value.first.message
    assert len(str(found.value)) < 500
