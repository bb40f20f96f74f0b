"""Mixtures that no paper evaluates, but some name as future work.

More of them need no name: every scheduler goes with every splitter (`--set scheduler=two-level`),
and the parts of a policy are switched by its settings.
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
    "An access of which some lanes hit and some miss makes those that hit {what} of their own if "
    "nobody else can hide the latency; when the WPU stalls later, the one that waits with the most "
    "lanes served parts from them."
)

POLICIES = (
    replace(
        _BYPASS,
        name="dws.lat-spec",
        files=("schedule/miss_free", "policy/lat_spec", *_BYPASS.files),
        text="An access of which some lanes hit and some miss splits its group if those that hit "
        "are expected to miss again before the others have their data, as under maws.lat-spec. "
        "Otherwise as dws.lazy-split: splits pass branches by splitting again, and merge where "
        "they are ready at the same PC.",
        source="MAWS-09 and MAWS-10 with DWS-14",
        settings={
            **_BYPASS.settings,
            "memory-split": "latency",
            "first-latency": 0,
            "long-latency": 0,
            "count-split": False,
        },
        choices={"memory-split": ("never", "aggressive", "lazy", "revive", "latency")},
    ),
    replace(
        _LARGE,
        name="lwm+dws",
        text=f"{_LARGE.text} {_REVIVE.format(what='a pack')} Packs of a large warp share its "
        "stack and wait for each other at conditional branches, re-convergence points and "
        "barriers; those that are ready at the same PC merge. Beyond the papers: subdivision on "
        "misses for large warps.",
        source="LWM-06..12 with DWS-09, DWS-12 and DWS-13",
        settings={**_LARGE.settings, "memory-split": "revive"},
    ),
    replace(
        _FORMED,
        name="dwf+dws",
        text=f"{_FORMED.text} {_REVIVE.format(what='a warp')} They merge with others in the pool, "
        "at equal PCs. Beyond the papers: what subdivision adds to warp formation, where the sides "
        "of a branch are warps already.",
        source="LWM-17 and LWM-18 with DWS-09 and DWS-12",
        settings={**_FORMED.settings, "memory-split": "revive"},
    ),
)
