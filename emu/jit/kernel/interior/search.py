"""The search for the interior warps of a row, and for what runs beside them.

Most rows of a grid have the same ones: their number follows from the row's length, from borders at
its ends, and from how far accesses are from their work-item. So where single vectors run beside
them, they are found once per call for the first workgroups of all rows. A row asks only whether it
has them, as rows do that are not at an end of a buffer or of the grid; if not, its own are found.
Rows that are one workgroup each ask for many rows at once (`stretches.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..lane_code import POSITION
from .bounds import Conditions
from .runs import RowSum, Run, find_starts, find_starts_in_first, run_from_anywhere, run_of
from .stretches import Stretches


@dataclass(frozen=True)
class Found:
    """The interior warps of a row; its operands are i64."""

    run: Run
    """The work-items of interior warps."""
    end_warp: str
    """The number of the warp after the last interior one, where they begin at multiples."""
    begin: str
    """The first work-item that may not return at once."""
    end: str
    """The one after the last of these."""
    first_end: str
    """The work-item before which those end that precede the interior warps."""
    in_vectors: str
    """Whether work-items beside the interior warps run vector by vector, an i1."""


@dataclass(frozen=True)
class Search:
    """How the warps of a row may run."""

    interior: Conditions
    edges: Conditions | None
    """Conditions under which all accesses are inside, if there is code for single vectors."""
    running: Conditions | None
    """Conditions under which a work-item does not return at once, if any are known."""
    width: int
    vector: int
    """Lanes of a vector."""
    from_anywhere: bool
    """Whether warps of most rows may begin at any work-item then."""
    all_run: bool
    """Whether lanes of single vectors must be work-items for which `running` holds."""
    in_strips: bool
    """Whether workgroups may run in another order than that of their flat numbers."""

    def append(self, items: str, items_of_first: str) -> Found:
        """Append the search in a row of so many work-items (an i32).

        The first workgroup of each row of the grid has `items_of_first` (an i64).
        """
        code = self.interior.code
        items = code.let(f"zext i32 {items} to i64")
        if self.edges is None:
            run = run_of(code, find_starts(self.interior, items), self.width)
            return self._found(run, ("0", items), "false")
        ways, stretches = list[str](), None
        if not self.in_strips and all(asked.is_steady for asked in self._asked(self.edges)):
            stretches = Stretches.of_call(self.interior.entry, code)
            ways.append(code.current_block)
            code.branch(stretches.have_row(), "row_found", "row_tests")
            code.block("row_tests")
        run, lanes, fits, sums = self._of_first(self.edges, items_of_first)
        if stretches is not None:
            code.branch(fits, "row_stretch", "row_search")
            code.block("row_stretch")
            stretches.extend(sums)
            ways.append(code.current_block)
            code.jump("row_found")
        else:
            ways.append(code.current_block)
            code.branch(fits, "row_found", "row_search")
        code.block("row_search")
        own = run_of(code, find_starts(self.interior, items), self.width)
        begin, end, some = "0", items, list[str]()
        if self.all_run and self.running is not None:
            running = find_starts(self.running, items)
            begin, end, some = running.first, running.end, [running.some]
        last = own.last_vector(code, begin, end, self.vector)
        in_vectors = find_starts(self.edges, items).all_between(code, begin, last)
        in_vectors = code.all_of(in_vectors, *some)
        searched = code.current_block
        code.jump("row_found")
        code.block("row_found")
        of_most, of_own = (run.first, run.end, *lanes), (own.first, own.end, begin, end)
        first, end, *lanes = (
            code.phi("i64", *((a, way) for way in ways), (b, searched))
            for a, b in zip(of_most, of_own, strict=True)
        )
        in_vectors = code.phi("i1", *(("true", way) for way in ways), (in_vectors, searched))
        return self._found(Run(first, end), (lanes[0], lanes[1]), in_vectors)

    def _of_first(
        self, edges: Conditions, items: str
    ) -> tuple[Run, tuple[str, str], str, list[RowSum]]:
        """Return what most rows' first workgroups have, and whether this one has it, an i1.

        That is the interior warps, and from where to where work-items may run, both i64. The last
        are the sums by which rows differ.
        """
        code, entry = self.interior.code, self.interior.entry
        is_first = code.let(f"icmp eq i32 {POSITION[0]}, 0")
        starts, fits, sums = find_starts_in_first(self.interior, items)
        if self.from_anywhere:
            run = run_from_anywhere(entry, starts, self.width, self.vector)
        else:
            run = run_of(entry, starts, self.width)
        begin, end, all_run, of_running = self._lanes_of_first(items)
        last = run.last_vector(entry, begin, end, self.vector)
        inside, all_fit, more = find_starts_in_first(edges, items, begin, last)
        tests = fits, inside.all_between(entry, begin, last), all_fit
        sums += more
        if self.all_run:
            tests, sums = (*tests, all_run), sums + of_running
        return run, (begin, end), code.all_of(is_first, *tests), sums

    def _asked(self, edges: Conditions) -> list[Conditions]:
        """Return the conditions that a row must meet to have what most rows have."""
        running = [self.running] if self.all_run and self.running is not None else []
        return [self.interior, edges, *running]

    def _lanes_of_first(self, items: str) -> tuple[str, str, str, list[RowSum]]:
        """Return the first work-item of a row that may run, and that after the last one, as i64.

        Also returned is whether all between these run in the present row, an i1, and the sums that
        are compared for that.
        """
        if self.running is None:
            return "0", items, "true", []
        entry = self.interior.entry
        starts, fits, sums = find_starts_in_first(self.running, items)
        is_known = self.running.of_call()
        begin = entry.let(f"select i1 {is_known}, i64 {starts.first}, i64 0")
        if not self.from_anywhere:
            begin = entry.let(f"and i64 {begin}, {-self.vector}")
        end = entry.let(f"select i1 {is_known}, i64 {starts.end}, i64 {items}")
        return begin, end, self.interior.code.all_of(fits, starts.some), sums

    def _found(self, run: Run, lanes: tuple[str, str], in_vectors: str) -> Found:
        code = self.interior.code
        end_warp = code.let(f"udiv i64 {run.end}, {self.width}")
        is_empty = code.let(f"icmp slt i64 {run.first}, 0")
        begin, end = lanes
        first_end = code.let(f"select i1 {is_empty}, i64 {end}, i64 {run.first}")
        first_end = code.intrinsic("llvm.smin", "i64", f"i64 {first_end}", f"i64 {end}")
        return Found(run, end_warp, begin, end, first_end, in_vectors)
