"""Reports of checks: what `simtlab exercise check` prints, as text, JSON and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, PrivateAttr

from ..emu.text.tables import aligned, labelled_html
from ..programs.png import data_url
from .measures import MEASURES

if TYPE_CHECKING:
    from .answer import Answer
    from .folder import ExerciseFolder

State = Literal[
    "passed", "targets", "wrong", "trap", "hang", "hole", "source", "refused", "time", "engine"
]
"""How a check ended:

- `passed`; `targets`: the result is right, but a required target is missed;
- `wrong`: a result differs from the reference; `trap`, `hang`: a launch ended with one;
- `hole`: a hole is not filled; `source`: the answer does not assemble;
- `refused`: it is too large, or has another kernel; `time`: its time limit is exceeded;
- `engine`: a scheduler that the engine cannot run.
"""

Place = Literal["interpreter", "in turn", "machine"]
"""Where a case runs; `in turn` is a machine whose warps run one after the other between barriers.
"""

SHARE_OF_RESULT = 0.6
"""Share of the points that a right result gives; the targets share the rest equally."""


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Wrong(_Row):
    """The first wrong element of a case.

    `work_item` is the one that should store it, `stored_by` the one that stored it last, at `line`
    of the answer; each is None where it is not known or does not exist. `input` says what the
    element is made of. Values that JSON does not have are texts: `nan`, `inf`.
    """

    array: str
    index: list[int]
    expected: int | float | str
    found: int | float | str
    count: int
    of: int
    work_item: list[int] | None = None
    stored_by: list[int] | None = None
    line: int | None = None
    input: str = ""


class Case(_Row):
    """One run: sizes and seed of its inputs, where it ran, and what was wrong."""

    size: dict[str, int]
    seed: int
    where: Place
    passed: bool
    message: str = ""
    first_wrong: Wrong | None = None

    @property
    def title(self) -> str:
        """The sizes as text, as `n=65`."""
        seed = f", seed {self.seed}" if self.seed else ""
        return ", ".join(f"{key}={value}" for key, value in self.size.items()) + seed


class Target(_Row):
    """A bound of a measure, and whether the answer meets it. `value` is None if not measured."""

    measure: str
    value: float | None
    at_least: float | None
    at_most: float | None
    required: bool
    met: bool
    why: str

    @property
    def bound(self) -> str:
        """The bound as text, as `at most 1.10`."""
        measure = MEASURES[self.measure]
        if self.at_least is not None:
            return f"at least {measure.shown(self.at_least)}"
        return f"at most {measure.shown(_whole(self.at_most))}"


class Report(_Row):
    """The outcome of a check. `score` has the measures of the run on `machine`, by name.

    `diagnostics` has the errors that ended the check, as `--json` shows errors.
    """

    exercise: str
    file: str
    state: State
    passed: bool
    points: int
    max_points: int
    message: str
    hint: str = ""
    cases: list[Case] = []
    machine: str = ""
    score: dict[str, int | float] = {}
    targets: list[Target] = []
    diagnostics: list[dict[str, Any]] = []
    _picture: Any = PrivateAttr(default=None)

    @classmethod
    def begun(cls, exercise: ExerciseFolder, answer: Answer, state: State) -> Report:
        """Return a report without points or cases, to be filled in."""
        return cls(
            exercise=exercise.name,
            file=answer.name,
            state=state,
            passed=False,
            points=0,
            max_points=exercise.definition.points,
            message="",
            machine=exercise.definition.score.machine,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return self.model_dump()

    def show(self) -> Any:
        """Return the picture of the checked answer, a `pictures.Picture`.

        Raises ExerciseError if there is none, because nothing was run.
        """
        return self._picture()

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<Report: {self._title()}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = [(t.measure, f"{_mark(t)} {MEASURES[t.measure].shown(_whole(t.value))}, "
                 f"{t.bound}") for t in self.targets]  # fmt: skip
        picture = ""
        if self.cases and self._picture is not None and self.state not in ("trap", "hang"):
            shown = self.show()
            caption = escape(shown.caption)
            image = data_url(shown.image)
            picture = f"<p><img src='{image}' alt='{caption}'><br>{caption}</p>"
        text = escape(self.message).replace("\n", "<br>")
        return f"<p><b>{escape(self._title())}</b><br>{text}</p>{labelled_html(rows)}{picture}"

    def _title(self) -> str:
        done = "passed" if self.passed else "not passed"
        return f"{self.exercise}: {done}, {self.points} of {self.max_points} points"

    def _lines(self) -> list[str]:
        lines = [self._title(), self.message]
        if self.hint:
            lines.append(f"  {self.hint}")
        if self.cases:
            right = sum(case.passed for case in self.cases)
            lines.append(f"\n{right} of {len(self.cases)} runs right")
            lines += _runs(self.cases, self.machine)
        if self.targets and self.score:
            lines += ["", f"score on {self.machine}", _table(self.targets)]
            bounded = {target.measure for target in self.targets}
            others = [
                f"{name} {MEASURES[name].shown(_whole(value))}"
                for name, value in self.score.items()
                if name not in bounded
            ]
            lines.append(f"also: {', '.join(others)}")
        return lines


def _runs(cases: list[Case], machine: str) -> list[str]:
    """Return a line for each place with its right runs, and one for each wrong run."""
    places = {
        "interpreter": "in the interpreter",
        "in turn": "one warp after the other",
        "machine": f"on {machine}",
    }
    lines: list[str] = []
    for where, text in places.items():
        right = [case.title for case in cases if case.where == where and case.passed]
        if right:
            lines.append(f"  right  {text}: {'; '.join(right)}")
        wrong = [case.title for case in cases if case.where == where and not case.passed]
        lines += [f"  WRONG  {text}: {title}" for title in wrong]
    return lines


def _table(targets: list[Target]) -> str:
    rows = [("measure", "yours", "target", "", "")]
    for target in targets:
        yours = MEASURES[target.measure].shown(_whole(target.value))
        rows.append((target.measure, yours, target.bound, _mark(target), target.why))
    return aligned(rows, left=(0, 3, 4))


def _mark(target: Target) -> str:
    if target.met:
        return "met"
    return "MISSED, required" if target.required else "missed"


def _whole(value: float | None) -> float | None:
    """Return a whole number as an int, which has no fraction to print."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def points_of(targets: list[Target], most: int) -> int:
    """Return the points of a right result that meets some of the targets."""
    met = sum(target.met for target in targets)
    share = met / len(targets) if targets else 1.0
    return round(most * (SHARE_OF_RESULT + (1 - SHARE_OF_RESULT) * share))
