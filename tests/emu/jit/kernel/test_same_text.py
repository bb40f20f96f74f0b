"""Code of a kernel is the same text in each process, whatever seed strings are hashed with."""

from __future__ import annotations

import os
import subprocess
import sys

SEEDS = ("1", "2")

NAMES = (
    "basics/bfs", "basics/bitonic", "basics/kmeans", "dws/fft", "dws/filter", "dws/hotspot",
    "dws/lu", "lwm/decrypt", "lwm/needleman", "lwm/viterbi",
)  # fmt: skip

TEXTS = f"""
import hashlib

from simtlab import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.programs import find

# Processes may measure something else.
for decision in ("shifts_fast", "takes_many", "takes_integers", "takes_many_lines", "finds_limit"):
    setattr(launch_facts, decision, lambda *_: True)
launch_facts.together_from = lambda: 65
launch_facts.gathers_fast = lambda: False
for name in {NAMES}:
    program = assemble(find(name).path)
    for function in program.kernels:
        kernel = program[function].kernel
        for size in ((64, 4), 128):
            geometry = Geometry.of(groups=(4, 4), group_size=size)
            for facts_of in (launch_facts.facts_of, launch_facts.facts_for_counting):
                facts = facts_of(kernel, geometry)
                text = repr(facts) + generate(kernel, 0, facts)
                print(name, function, size, hashlib.sha256(text.encode()).hexdigest())
"""


def test_code_does_not_depend_on_hashes_of_strings() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", TEXTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in SEEDS
    ]
    assert len(runs[0].splitlines()) >= 4 * len(NAMES)
    assert runs.count(runs[0]) == len(SEEDS)
