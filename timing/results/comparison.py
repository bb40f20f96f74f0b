"""Several policies on the same launches: speedups and costs."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from ...emu.engine import Interrupted
from ...emu.frames import frame_of, pandas
from ...emu.text.tables import aligned
from ...isa.errors import Outcome, SimtError, UsageError, did_you_mean
from ...isa.quoting import shown
from ..policies import Policy
from .energy.model import Energy
from .report import hooks_text
from .statistics import Statistics

COLUMNS = ("policy", "cycles", "speedup", "stalled", "width", "splits", "merges", "energy")

BAR = 40
"""Characters of the longest bar."""

FULL_BLOCK = "█"

Prepared = TypeVar("Prepared")


class MemoryDiffers(SimtError):
    """A policy leaves memory that differs from the baseline's."""

    code = "SIM421"
    outcome = Outcome.FINDING


@dataclass(frozen=True)
class Contender:
    """The result of the launches under one policy; `error` if they failed."""

    policy: str
    stats: Statistics | None = None
    energy: Energy | None = None
    memory_digest: str = ""
    error: SimtError | None = None
    own_checked: Mapping[str, bool] = field(default_factory=dict)
    """Whether what hooks do was checked, by the names of the user's engine files."""

    @property
    def cycles(self) -> int:
        """Cycles of the machine's clock, up to the error if there is one."""
        return self.stats.cycles if self.stats is not None else 0

    @property
    def stalled(self) -> float:
        """Share of issue slots in which nothing was issued."""
        slots = self.stats.issue_slots if self.stats is not None else {}
        return 1 - slots["issued"] / sum(slots.values()) if any(slots.values()) else 0.0

    @property
    def verdict(self) -> str:
        """The outcome in a word or two; empty where the launches succeeded."""
        if self.error is None:
            return ""
        code = self.error.first.code
        known = _VERDICTS.get(code, "trapped" if code.startswith("SIM4") else "cannot run")
        return f"{known} ({code})"


_VERDICTS = {
    "SIM420": "wrong result",
    "SIM421": "other memory",
    "SIM430": "interrupted",
    "SIM440": "cannot continue",
    "SIM441": "wrong books",
    "SIM442": "wrong hook",
}


class Comparison:
    """Contenders in the order in which they ran, by name, and the baseline of speedups.

    A contender whose memory differs from the baseline's gets a `MemoryDiffers` as its error.
    """

    def __init__(self, contenders: Sequence[Contender], baseline: str) -> None:
        self.baseline = baseline
        right = [c for c in contenders if c.error is None]
        judge = next((c for c in right if c.policy == baseline), right[0] if right else None)
        self._contenders = {c.policy: _judged(c, judge) for c in contenders}

    def __iter__(self) -> Iterator[Contender]:
        return iter(self._contenders.values())

    def __len__(self) -> int:
        return len(self._contenders)

    def __getitem__(self, policy: str) -> Contender:
        if not isinstance(policy, str) or policy not in self._contenders:
            raise UsageError(
                f"the comparison has no policy {shown(policy)}",
                code="SIM602",
                hint=did_you_mean(policy, self._contenders)
                or f"it has {', '.join(self._contenders)}",
            )
        return self._contenders[policy]

    @property
    def finished(self) -> tuple[Contender, ...]:
        """Contenders whose launches succeeded."""
        return tuple(c for c in self if c.error is None)

    @property
    def errors(self) -> dict[str, SimtError]:
        """Errors by policy."""
        return {c.policy: c.error for c in self if c.error is not None}

    @property
    def hooks(self) -> str:
        """Whether the hooks of the user's files were checked; empty without such files."""
        return hooks_text({k: v for c in self for k, v in c.own_checked.items()})

    def speedup(self, policy: str) -> float | None:
        """Return the baseline's cycles over a policy's; None unless both succeeded."""
        base, other = self._contenders.get(self.baseline), self[policy]
        if base is None or base.error is not None or other.error is not None:
            return None
        return base.cycles / other.cycles if other.cycles else 1.0

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row of `COLUMNS` for each policy; only policy and verdict where it failed."""
        return [self._row(c) for c in self]

    def _row(self, c: Contender) -> tuple[str, ...]:
        s, ratio = c.stats, self.speedup(c.policy)
        if c.error is not None or s is None or c.energy is None:
            return (c.policy, c.verdict)
        return (
            c.policy,
            f"{c.cycles:,}",
            "-" if ratio is None else f"{ratio:.3f}",
            f"{c.stalled:.1%}",
            f"{s.mean_width:.2f}",
            f"{s.splits:,}",
            f"{s.merges_pc + s.merges_stack:,}",
            f"{c.energy.total / 1e3:,.3f} µJ",
        )

    def table(self) -> str:
        """Return the rows under their titles, numbers to the right."""
        return aligned((COLUMNS, *self.rows()))

    def bars(self, block: str = FULL_BLOCK) -> str:
        """Return a bar for each speedup, starting at zero; empty with fewer than two of them."""
        found = {c.policy: ratio for c in self if (ratio := self.speedup(c.policy)) is not None}
        if len(found) < 2:
            return ""
        unit = BAR / max(found.values())
        rows = [(n, _bar(ratio * unit, block), f"{ratio:.3f}") for n, ratio in found.items()]
        return f"speedup over {self.baseline}\n{aligned(rows, left=(0, 1), least=(0, BAR))}"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each policy: speedup and all single numbers.

        Raises UsageError without pandas.
        """
        frames = [c.stats.to_frame() if c.stats is not None else frame_of([{}]) for c in self]
        for frame, c in zip(frames, self, strict=True):
            frame.insert(0, "policy", c.policy)
            frame.insert(1, "speedup", self.speedup(c.policy))
            frame["error"] = c.error.first.code if c.error is not None else None
        return pandas().concat(frames, ignore_index=True)

    def save_picture(self, path: str | Path, title: str = "") -> None:
        """Draw speedups and where issue slots went, as a PNG. Raises UsageError (matplotlib)."""
        from .chart import draw

        draw(self, path, title)

    def __str__(self) -> str:
        errors = [f"{name}: {error}" for name, error in self.errors.items()]
        hooks = f"hooks: {self.hooks}" if self.hooks else ""
        return "\n\n".join(filter(None, [self.table(), self.bars(), hooks, *errors]))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(c.policy for c in self)}>"


def _bar(length: float, block: str) -> str:
    """Return a bar of about `length` blocks: full blocks in eighths, other characters whole."""
    if block != FULL_BLOCK:
        return block * max(1, round(length))
    whole, eighths = divmod(max(1, round(8 * length)), 8)
    return block * whole + " ▏▎▍▌▋▊▉"[eighths].strip()


def _judged(contender: Contender, judge: Contender | None) -> Contender:
    """Return a contender, with an error if it succeeded and its memory differs from the judge's."""
    if contender.error or not judge or contender.memory_digest == judge.memory_digest:
        return contender
    error = MemoryDiffers(
        f"the final memory under {contender.policy} is not that under {judge.policy}: "
        f"{contender.memory_digest} and {judge.memory_digest}",
        hint="a kernel with races may leave either; without races a policy is wrong",
    )
    return replace(contender, error=error)


def contest(
    policies: Sequence[Policy],
    baseline: str,
    prepare: Callable[[Policy], Prepared],
    run: Callable[[Prepared], Contender],
) -> Comparison:
    """Run one policy after the other and compare them.

    A policy that `prepare` refuses with a UsageError gets it as its error, and the others run; if
    all are refused, the first refusal is raised. An interruption ends the contest, and the results
    up to it are kept. Any other exception of `run` is raised.
    """
    found: list[Contender] = []
    refusals: list[UsageError] = []
    try:
        for policy in policies:
            try:
                prepared = prepare(policy)
            except UsageError as refusal:
                refusals.append(refusal)
                found.append(Contender(policy.name, error=refusal))
                continue
            found.append(run(prepared))
            if isinstance(found[-1].error, Interrupted):
                break
    except KeyboardInterrupt:  # while an engine is compiled, or between two launches
        found.append(Contender(policies[len(found)].name, error=Interrupted(None)))
    if len(refusals) == len(policies):
        raise refusals[0]
    return Comparison(found, baseline)
