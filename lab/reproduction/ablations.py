"""Ablations: what each choice that the papers leave open is worth, on the headline of its paper.

A row replaces one field of the machine or one setting of the policy. The baseline has the same
machine: a field of the machine changes it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ..runs.run import Scalar
from .figure import Figure, series
from .results import Config, Mean, Results
from .sets import DWS_PROGRAMS, LWM_PROGRAMS, MAWS_SIZES
from .study import Study

AS_IT_IS = "as it is"


@dataclass(frozen=True)
class Ablation:
    """A headline, and the alternatives to what it was measured with: by item, the replaced values.

    The headline is the mean speedup of `policy` over `base`.
    """

    name: str
    title: str
    source: str
    machine: str
    policy: str
    kind: Mean
    programs: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Scalar]]
    base: str = "conv"
    sizes: Mapping[str, str] | None = None

    def study(self) -> Study:
        """Return the experiment."""
        rows = {AS_IT_IS: {}, **self.rows}
        configs = {name: Config(self.machine, self.policy, sets) for name, sets in rows.items()}
        bases = {
            _base(name): Config(self.machine, self.base, _of_machine(sets))
            for name, sets in rows.items()
        }
        return Study(
            f"ablations-{self.name}", self.title, self.source, self.programs, configs | bases,
            partial(self._figures, tuple(rows)), sizes=self.sizes or {},
            note="Each row changes one thing; `simtlab explain papers` has the items.",
        )  # fmt: skip

    def _figures(self, rows: tuple[str, ...], results: Results) -> list[Figure]:
        def value(_: str, row: str) -> float:
            return results.mean_speedup(row, _base(row), self.kind)

        name, mean = f"ablations-{self.name}", f"speedup, {self.kind} mean"
        title = f"{self.policy} over {self.base}"
        values = series((mean,), rows, value)
        return [Figure(name, title, "bars", "choice", mean, rows, values, rule=1.0, digits=3)]


def _base(row: str) -> str:
    return f"base of {row}"


def _of_machine(sets: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {key: value for key, value in sets.items() if not key.startswith("policy.")}


def _each(item: str, field: str, *values: Scalar) -> dict[str, dict[str, Scalar]]:
    """Return a row per value of one field, named with its item."""
    return {f"{item}: {field.removeprefix('policy.')}={_word(v)}": {field: v} for v in values}


def _word(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_DWS = {
    **_each("Q-DWS-11", "first", "taken", "majority", "minpc"),
    "Q-DWS-2: no crossbar clock": {"crossbar.clock_mhz": 0, "crossbar.latency": 4},
    "Q-DWS-2: 57 GB/s in all": {"crossbar.bytes_per_cycle": 14.25},
    **_each("Q-DWS-5", "store_buffer", True),
    **_each("Q-DWS-6", "scheduler", "fifo", "lrr", "gto", "swf"),
    **_each("DWS 4.5", "other_warp_first", True),
    **_each("Q-DWS-8", "policy.hits-wait", True),
    **_each("Q-DWS-14", "policy.wst-full", "overflow", "stall"),
    **_each("Q-DWS-23, 24", "policy.compare-pcs", "alike", "after-access"),
    **_each("Q-DWS-26", "policy.compare-cycles", 4),
    **_each("Q-DWS-30", "policy.revive-mask", "served-now"),
    **_each("Q-DWS-31", "policy.revive-first", "oldest", "youngest", "round-robin"),
    **_each("DWS-17", "policy.slot-keeper", "fall-behind"),
    "DWS-17, 18: no limits": {"slots": 0, "wst_entries": 0},
}

_MAWS = {
    **_each("MAWS-11, 12", "scheduler", "rr", "fifo"),
    **_each("MAWS-04", "policy.laggard", "first"),
    **_each("MAWS-06", "policy.loop-bypass", False),
    **_each("Q-MAWS-10", "policy.push-uniform", False),
    **_each("Q-MAWS-12", "policy.loop-test", "rpc-only"),
    **_each("Q-MAWS-14", "policy.first-latency", 300),
    **_each("Q-MAWS-17", "policy.long-latency", 60),
    **_each("Q-MAWS-18", "policy.count-split", True),
}

_LWM = {
    **_each("Q-LWM-1", "bus.bytes_per_cycle", 81),
    **_each("Q-LWM-3", "pipeline", 5, 9),
    **_each("LWM-11", "policy.memory-rows", False),
    **_each("LWM-12", "policy.jump-once", False),
    **_each("LWM-14", "fetch_group", 1, 4),
    **_each("LWM-05", "dram.row_conflict", 100),
    **_each("Q-DWS-11", "first", "taken"),
}

ABLATIONS = (
    Ablation(
        "dws", "What each choice of DWS is worth", "DWS Figure 13, ReviveSplit", "dws",
        "dws.revive-split", "harmonic", DWS_PROGRAMS, _DWS,
    ),
    Ablation(
        "maws-bulk", "What each choice of MAWS is worth, bulk-synchronous", "MAWS Figure 7a",
        "maws-bulk", "maws.lat-spec", "arithmetic", DWS_PROGRAMS, _MAWS, sizes=MAWS_SIZES,
    ),
    Ablation(
        "maws-coherent", "What each choice of MAWS is worth, coherent", "MAWS Figure 7b",
        "maws-coherent", "maws.lat-spec", "arithmetic", DWS_PROGRAMS, _MAWS, sizes=MAWS_SIZES,
    ),
    Ablation(
        "lwm", "What each choice of LWM is worth", "LWM Figure 9, LWM+2Lev", "lwm",
        "lwm+two-level", "geometric", LWM_PROGRAMS, _LWM,
    ),
)  # fmt: skip


def studies() -> list[Study]:
    """Return an experiment per headline."""
    return [ablation.study() for ablation in ABLATIONS]
