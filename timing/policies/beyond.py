"""Mixtures of mechanisms that no paper evaluates, though some name them as future work.

Other mixtures need no name: every scheduler works with every splitter
(`--set scheduler=two-level`), and settings switch the parts of a policy.
"""

from __future__ import annotations

from dataclasses import replace

from .dws import POLICIES as DWS
from .lwm import POLICIES as LWM
from .policy import Policy


def _named(name: str, policies: tuple[Policy, ...]) -> Policy:
    return next(p for p in policies if p.name == name)


_BYPASS = _named("dws.lazy-split", DWS)
_LARGE = _named("lwm", LWM)
_FORMED = _named("dwf.majority", LWM)
_REVIVE = (
    "If some lanes of an access hit and some miss, those that hit become {what} of their own "
    "unless other work can hide the latency. When the WPU stalls later, the waiting {kind} with "
    "the most served lanes is split: those lanes run ahead."
)

POLICIES = (
    replace(
        _BYPASS,
        name="dws.lat-spec",
        files=("schedule/miss_free", "policy/lat_spec", *_BYPASS.files),
        text="If some lanes of an access hit and some miss, its group is split where those that "
        "hit are expected to miss again before the data of the others arrive, as under "
        "maws.lat-spec. The rest is as under dws.lazy-split: splits pass branches by splitting "
        "again, and merge when they are ready at the same PC.",
        source="MAWS-09 and MAWS-10 with DWS-14",
        settings={
            **_BYPASS.settings,
            "memory-split": "latency",
            "first-latency": 0,
            "long-latency": 0,
            "count-split": False,
        },
        choices={
            **_BYPASS.choices,
            "memory-split": ("never", "aggressive", "lazy", "revive", "latency"),
        },
    ),
    replace(
        _LARGE,
        name="lwm+dws",
        text=f"{_LARGE.text} {_REVIVE.format(what='a pack', kind='pack')} Packs of a large warp "
        "share its stack and wait for each other at conditional branches, re-convergence points "
        "and barriers; packs that are ready at the same PC merge. Beyond the papers: subdivision "
        "on misses for large warps.",
        source="LWM-06..12 with DWS-09, DWS-12 and DWS-13",
        settings={**_LARGE.settings, "memory-split": "revive"},
    ),
    replace(
        _FORMED,
        name="dwf+dws",
        text=f"{_FORMED.text} {_REVIVE.format(what='a warp', kind='warp')} These warps merge with "
        "others of the pool at equal PCs. Beyond the papers: what subdivision adds to warp "
        "formation, where the sides of a branch are warps already.",
        source="LWM-17 and LWM-18 with DWS-09 and DWS-12",
        settings={**_FORMED.settings, "memory-split": "revive"},
    ),
)
