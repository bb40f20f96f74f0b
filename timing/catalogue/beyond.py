"""Mixtures that no paper evaluates, but some name as future work.

More of them need no name: every scheduler goes with every splitter (`--set scheduler=two-level`),
and the parts of a policy are switched by its settings.
"""

from __future__ import annotations

from dataclasses import replace

from .dws import POLICIES as DWS

_BYPASS = next(p for p in DWS if p.name == "dws.lazy-split")

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
)
