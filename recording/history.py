"""A recording as a table in words: what issued, stacks and groups, in the terms of the papers.

    history = History(recording)
    history.stack[1]    "(D,-,11111111)(C,D,00000110)(B,D,11111001)"   block, rpc, mask; top right
    history.groups[2]   "11100000@B ready, 00011001@x wait"            mask, place, status
    history.issued[3]   "11100000@B"                                   "-" where nothing issues
    history.entries[2]  2                                              of the warp-split table

Each is a dict of changes: time -> the value from the *end* of that time on (for `issued`: in it). A
place is the label of the instruction that a group issues next, or of the access that it waits for;
labels in capitals name blocks, others a single instruction. docs/recording.md has the statuses.
Texts of several warps are joined by "; ". Masks have lane 0 on the left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from ..emu.wording import mask_text
from .recording import Recording
from .tables import State

_T = TypeVar("_T")


class History:
    """The history of a recording, or of some `warps` of it.

    With `counts` a group's place is followed by the instructions that it has issued since it was
    whole (MAWS-11), as `11100000@x #1 ready`.
    """

    def __init__(
        self, recording: Recording, warps: Iterable[int] | None = None, *, counts: bool = False
    ) -> None:
        self.recording = recording
        self._counts = counts
        self._warps = range(len(recording.facts["warps"])) if warps is None else list(warps)
        times = range(recording.begin, recording.end)
        states = {v: self._states(v) for v in self._warps}
        self.issued = _changes(times, (self._issues.get(t, "-") for t in times))
        self.stack = _changes(
            times,
            ("; ".join(self._stack(states[v][i]) for v in self._warps) for i in range(len(times))),
        )
        self.groups = _changes(
            times,
            ("; ".join(self._groups(states[v][i], t) for v in self._warps)
             for i, t in enumerate(times)),
        )  # fmt: skip
        self.entries = _changes(
            times,
            (sum(states[v][i].get("entries", 0) for v in self._warps) for i in range(len(times))),
        )

    def __str__(self) -> str:
        """Return a line for each change: time, what changed, and its new value."""
        views: Mapping[str, Mapping[int, Any]] = {
            "issued": self.issued, "stack": self.stack, "groups": self.groups,
            "entries": self.entries,
        }  # fmt: skip
        return "\n".join(
            f"{t:6} {name:8}{changes[t]}"
            for t in range(self.recording.begin, self.recording.end)
            for name, changes in views.items()
            if t in changes
        )

    def _states(self, warp: int) -> list[State]:
        """Return the state at the end of every time."""
        rows = self.recording.tables["state"]
        mine = rows[rows["warp"] == warp]
        times, numbers = mine["t"].tolist(), mine["row"].tolist()
        found: list[State] = []
        current: State = {}
        at = 0
        for t in range(self.recording.begin, self.recording.end):
            while at < len(times) and times[at] <= t:
                current = self.recording.facts["states"][numbers[at]]
                at += 1
            found.append(current)
        return found

    @cached_property
    def _issues(self) -> dict[int, str]:
        found: dict[int, list[str]] = {}
        chosen = set(self._warps)
        for row in self.recording.issues.tolist():
            t, warp, _, launch, pc, n, mask = row
            if warp in chosen:
                self._launch = launch
                for i in range(n):
                    text = f"{self._mask(mask)}@{self._place(pc + i)}"
                    found.setdefault(t + i, []).append(text)
        return {t: ", ".join(texts) for t, texts in found.items()}

    # --- a state in words

    def _stack(self, state: State) -> str:
        entries = "".join(self._entry(entry) for entry in state.get("stack", ()))
        pairs = "".join(
            f"({self._block(pc)},{self._mask(mask)}|{self._block(other)},{self._mask(others)})"
            for pc, mask, other, others in state.get("pairs", ())
        )
        return entries + pairs or "-"

    def _entry(self, entry: list[Any]) -> str:
        pc, rpc, mask = entry
        return f"({self._block(pc)},{self._block(rpc)},{self._mask(mask)})"

    def _groups(self, state: State, t: int) -> str:
        found = [(int(g["mask"], 16), self._group(g, t)) for g in state.get("groups", ())] + [
            (
                int(mask, 16),
                f"{self._mask(mask)}@{self._place(pc, as_block=why != 'barrier-wait')} {why}",
            )
            for mask, pc, why in state.get("waiting", ())
        ]
        return ", ".join(text for _, text in sorted(found, key=lambda f: f[0] & -f[0])) or "-"

    def _group(self, group: Mapping[str, Any], t: int) -> str:
        status = group["status"]
        if status == "wait" and group["ready"] <= t + 1:
            status = "ready"
        local = "".join(self._entry(entry) for entry in group.get("stack", ()))
        count = f" #{group['count']}" if self._counts and "count" in group else ""
        return f"{self._mask(group['mask'])}@{self._place(group['pc'])}{local}{count} {status}"

    def _mask(self, mask: int | str) -> str:
        return mask_text(int(mask, 16) if isinstance(mask, str) else mask, self.recording.width)

    # --- places

    def _place(self, pc: int | None, *, as_block: bool = False) -> str:
        if pc is None:
            return "-"
        own = [label for label, at in self._labels if at == pc and not label.isupper()]
        return own[0] if own and not as_block else self._block(pc)

    def _block(self, pc: int | None) -> str:
        if pc is None:
            return "-"
        names = [label for label, at in self._labels if at <= pc and label.isupper()]
        return names[-1] if names else str(pc)

    @property
    def _labels(self) -> Iterator[tuple[str, int]]:
        # The recording of several kernels has the labels of its first one.
        yield from self.recording.facts["kernels"][0]["labels"].items()


def _changes(times: range, values: Iterable[_T]) -> dict[int, _T]:
    """Return time -> value for the times at which the value changes."""
    found: dict[int, _T] = {}
    last: object = object()
    for t, value in zip(times, values, strict=True):
        if value != last:
            found[t] = last = value
    return found
