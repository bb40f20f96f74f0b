"""Edges between nodes: masks of waiting lanes, and copies into phis.

A phi is a variable; that of a loop header has a second one for the next iteration, which becomes
the first at the latch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from ....analysis.lanes.equal_lane import EqualLane, equal_lane
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.loops.word_walks import walks_in
from ....analysis.values.ssa import Phi, same_value
from ..counting.counters import Counters
from ..defaults import Defaults
from ..equal_lanes import is_among, lane_of, name_of
from ..lane_code import LaneCode
from ..memory.records.row_words import left_in_words

if TYPE_CHECKING:
    from ..counting.split_counts import SplitCounts
    from ..loops.refilled import RefilledLanes


class Edges:
    """Hands lanes from node to node. The code of node `i` begins at the label `<version>n<i>`.

    `counters` if the code counts; a warp that has run continues at the label `after`.
    """

    def __init__(
        self,
        lanes: LaneCode,
        plan: LanePlan,
        counters: Counters | SplitCounts | None = None,
        version: str = "",
        after: str = "warp_over",
    ) -> None:
        self.lanes = lanes
        self.plan = plan
        self.counters = counters
        self.version = version
        self._after = after
        self._flow = lanes.flow
        self._masks = plan.masks
        self._waits = plan.waits
        self._rests_of: dict[int, list[int]] = {}
        """Branch -> the nodes that run for those of its lanes that have not gone elsewhere."""
        self._gone: dict[tuple[int, int], list[int]] = {}
        """(source, where its lanes wait) -> the nodes that these lanes will not run."""
        for number, rest in plan.masks.rests.items():
            self._rests_of.setdefault(rest.branch, []).append(number)
            for way in rest.elsewhere:
                self._gone.setdefault(way, []).append(number)
        self._defaults = Defaults(lanes, plan)
        self._walks = {
            loop.header: (loop, [left_in_words(lanes.ssa, op) for op in found])
            for loop in self._flow.loops
            if (found := walks_in(lanes.ssa, loop))
        }
        """Header -> the loop, and the variables that have what is left of words that lanes keep."""
        self.kept: Collection[Phi] = frozenset()
        """Phis that only the lanes change that go back to a loop's header (kept_phis.py)."""
        self.versioned: frozenset[int] = frozenset()
        """The nodes of the loop whose second version is being written, which begin at `v<i>`."""
        self.leave_version: Callable[[], None] = lambda: None
        """Emits what is done once where all lanes leave this version."""
        self.after_pass = ""
        """The label of what follows the pass of a loop that is being written, if one is."""
        self.is_last_pass = False
        self.after_passes = ""
        """The label of what follows the last pass."""
        self.refilled: RefilledLanes | None = None
        """What gives work-items to lanes while others are in a loop, if the code does."""
        self.copies: dict[int, tuple[int, ...]] = {}
        """Node -> the present copies of the copied loops around it, outermost first."""

    @property
    def may_copy(self) -> bool:
        """Whether nodes may be written several times, each for some of the vectors."""
        counters = self.counters
        return counters is None or (isinstance(counters, Counters) and counters.may_copy)

    # --- masks of waiting lanes

    def clear_all(self) -> None:
        """Let no lane wait anywhere: the state before a warp starts or resumes."""
        for number in self._waits:
            self.clear(number)

    def clear(self, number: int) -> None:
        """Let no lane wait at a node."""
        if self._collects(number):
            self._set_waiting(number, [])

    def _collects(self, number: int) -> bool:
        """Return whether the lanes that wait at a node are collected in a mask."""
        return not self._masks.shared(number) and number not in self._masks.rests

    def enter(self, number: int, mask: Sequence[str]) -> None:
        """Let lanes wait at a node and jump there; no other lane waits."""
        self._set_waiting(number, mask)
        if self.counters is not None:
            self.counters.enter(number)
        self.lanes.code.jump(self.label("n", number))

    def take_mask(self, number: int) -> None:
        """Make the lanes that wait at a node the running ones."""
        lanes, same, rest = self.lanes, self._masks.same[number], self._masks.rests.get(number)
        if rest is None:
            key = ("run", same) if same != number else ("mask", number)
            lanes.mask = lanes.variables.load(key, lanes.mask_types())
            return
        ran = lanes.variables.load(("run", self._masks.same[rest.branch]), lanes.mask_types())
        gone = lanes.variables.load(("gone", number), lanes.mask_types())
        stay = lanes.combine("xor", gone, ["splat (i1 true)"] * lanes.k)
        lanes.mask = lanes.combine("and", ran, stay)

    def any_runs(self, number: int) -> str:
        """Return whether a lane waits at a node that begins, an i1.

        Where that is the one lane that a branch may just have sent there, its number shows it:
        masks of vectors are not needed.
        """
        lanes, found = self.lanes, self._equal_lane(number)
        lanes.one_lane = None if found is None else number
        if found is None:
            return lanes.any(lanes.mask)
        key = ("run", self._masks.same[found.source])
        ran = lanes.word(lanes.variables.load(key, lanes.mask_types()))
        return is_among(lanes, lanes.variables.word(name_of(number)), ran)

    def _equal_lane(self, number: int) -> EqualLane | None:
        """Return which lane may run a node, if that is known from the node that runs before it.

        Nothing but the end of that one leads there.
        """
        if self.counters is not None or self.refilled is not None:
            return None
        found, at = equal_lane(self.lanes.shapes, number), self._flow.position.get(number, 0)
        if found is None or at == 0 or self._flow.order[at - 1] != found.source:
            return None
        return None if any(number in waits for waits in self._waits.values()) else found

    def keep_mask(self, number: int) -> None:
        """Keep the running lanes of a node for nodes with the same mask; no lane waits now."""
        if not self._masks.shared(number):
            lanes = self.lanes
            self._store(("run", number), lanes.mask)
            self.clear(number)
        for rest in self._rests_of.get(number, ()):
            self._store(("gone", rest), [])

    def wait_at(self, number: int, chunks: Sequence[str], others_wait: bool = False) -> None:
        """Let lanes wait at a node, where others may wait already."""
        if not self._collects(number):
            return
        if others_wait:
            self._add(("mask", number), chunks)
        else:
            self._set_waiting(number, chunks)

    def _add(self, key: object, chunks: Sequence[str]) -> None:
        """Add lanes to a mask."""
        lanes = self.lanes
        there = lanes.variables.load(key, [lanes.mask_type] * lanes.most)
        here = lanes.combine("or", there[: lanes.k], chunks)
        self._store(key, [*here, *there[lanes.k :]])

    def _set_waiting(self, number: int, chunks: Sequence[str]) -> None:
        self._store(("mask", number), chunks)

    def _store(self, key: object, chunks: Sequence[str]) -> None:
        """Set a mask, which has no lanes beyond the given vectors."""
        lanes = self.lanes
        lanes.variables.store(key, [lanes.mask_type] * lanes.most, lanes.all_masks(chunks))

    def next_of(self, waits: Iterable[int]) -> str:
        """Return the label of the first of the nodes at which lanes may wait."""
        number = self._masks.next_of(waits)
        is_inside = number in self.versioned
        label = self._after if number is None else self.label("v" if is_inside else "n", number)
        if self.after_pass and not is_inside:
            self.after_passes = label
            return self.after_pass
        return label

    def label(self, which: str, number: int, copy: int = 0) -> str:
        """Return a label of a node's code in this version of the nodes.

        Of a loop that is copied, `copy` counts from the copy whose labels are set.
        """
        prefix = self.copies.get(number, ())
        if copy:
            prefix = (*prefix[:-1], prefix[-1] + copy)
        copied = "".join(f"{depth}i{i}_" for depth, i in enumerate(prefix) if i)
        return f"{self.version}{f'l{copied}' if copied else ''}{which}{number}"

    def end_node(self, number: int, *ways: int) -> None:
        """End a node whose lanes wait at `ways` now: jump to the node that runs next."""
        self.lanes.code.jump(self.next_after(number, *ways))

    def next_after(self, number: int, *ways: int) -> str:
        """Return the label of what runs after a node whose lanes, if any, wait at `ways` now."""
        waits = self._waits[number].union(ways)
        if self.refilled is not None and self.refilled.ends(number, self._masks.next_of(waits)):
            return self.refilled.ENDED
        return self.next_of(waits)

    # --- edges

    def edge(
        self,
        source: int,
        target: int,
        chunks: Sequence[str],
        running: Sequence[str] | None = None,
        *,
        alone: bool = False,
    ) -> int:
        """Hand lanes on to a successor: its mask and its phis. Return where they wait.

        `running` are all lanes of the source, if `chunks` are a part of them. None of them waits,
        so a copy may also change the values of those that take another edge. A scalar variable
        changes only if a lane takes this edge, since lanes may wait at the target with another
        value. If a lane does take it, no such lane waits: a scalar is the same for all lanes there.
        `alone` says that no lane waits at the target.
        """
        lanes = self.lanes
        way = self._flow.route(source, target)
        if (found := self._equal_lane(target)) is not None:
            lanes.variables.set_word(name_of(target), lane_of(lanes, found))
        others_wait = not alone and way in self._waits[source]
        taken = ""
        copies = []
        exact: set[object] = set()
        for phi in lanes.ssa.phis.get(target, ()):
            if (phi, source) in self._defaults.skipped or phi in lanes.unread:
                continue
            if self.refilled is not None and self.refilled.takes_later(phi, source):
                continue
            for part, types in lanes.parts(phi):
                key = (phi, part) if way == target else (phi, part, "next")
                if (phi, source) in self._defaults.exact or (phi in self.kept and way != target):
                    exact.add(key)
                if lanes.variables.are_one(key, (phi.args[source], part)):
                    continue
                values = lanes.incoming(phi, phi.args[source], part)
                is_scalar = not types[0].startswith("<")
                if others_wait and is_scalar and self._others_bring(phi, source, way):
                    taken = taken or lanes.any(chunks)
                    values = self._unless_empty(taken, key, types, values)
                if self.refilled is not None and self.refilled.stays(phi, way):
                    old = lanes.variables.load((phi, part), types)
                    values = lanes.chosen(running or chunks, types, values, old)
                copies.append((key, types, values))
        for key, types, values in copies:
            spared = (running or chunks) if others_wait else None
            lanes.copy(key, types, values, chunks if key in exact else spared)
        if self.refilled is None or not self.refilled.collects(source, way):
            self.wait_at(way, chunks, others_wait=others_wait)
        for rest in self._gone.get((source, way), ()):
            self._add(("gone", rest), chunks)
        loop, left = self._walks.get(target, (None, ()))
        if loop is not None and source not in loop.nodes:
            for name in left:
                lanes.variables.set_word(name, "0")
        return way

    def enter_loop(self, header: int) -> bool:
        """Set phis for lanes that enter a loop, as one of its exits would; return whether any."""
        lanes = self.lanes
        found = [d for d in self._defaults.before.get(header, ()) if d[0] not in lanes.unread]
        for phi, source in found:
            ((part, types),) = lanes.parts(phi)
            values = lanes.incoming(phi, phi.args[source], part)
            others_wait = phi.node in self._waits[header]
            lanes.copy((phi, part), types, values, lanes.mask if others_wait else None)
        return bool(found)

    def _others_bring(self, phi: Phi, source: int, way: int) -> bool:
        """Return whether lanes from elsewhere may wait at `way` with another value for a phi."""
        own = same_value(phi.args[source])
        return any(
            place == way and same_value(phi.args[origin]) != own
            for place, origin in self.plan.arrivals[source]
        )

    def _unless_empty(
        self, taken: str, key: object, types: Sequence[str], values: Sequence[str]
    ) -> list[str]:
        """Return the scalars of an edge if a lane takes it, else what the variable holds."""
        lanes = self.lanes
        return [
            lanes.code.let(f"select i1 {taken}, {t} {new}, {t} {old}")
            for t, new, old in zip(types, values, lanes.variables.load(key, types), strict=True)
        ]
