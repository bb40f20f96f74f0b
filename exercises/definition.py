"""The file `exercise.toml`: text, inputs, launch, score and hints of an exercise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..isa.errors import did_you_mean
from .measures import MEASURES, SPEEDUP

Positive = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]

SEED = "seed"
"""The key of a case that is not a size."""


class Part(BaseModel):
    """A table of the file: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TargetFile(Part):
    """A bound of a measure. `required` decides whether a right answer beyond it passes."""

    measure: str
    at_least: float | None = None
    at_most: float | None = None
    required: bool = False
    why: Text

    @model_validator(mode="after")
    def _one_bound(self) -> TargetFile:
        if self.measure not in MEASURES:
            near = did_you_mean(self.measure, MEASURES) or f"there are {', '.join(MEASURES)}"
            raise ValueError(f"unknown measure `{self.measure}`; {near}")
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"the target of `{self.measure}` needs either at_least or at_most")
        return self

    def is_met(self, value: float | None) -> bool:
        """Return whether a value is within the bound; a value that is missing is not."""
        if value is None:
            return False
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most


class LaunchFile(Part):
    """One launch of one kernel, with the data of its parameters' names.

    `items` are the work-items in each dimension: numbers, or names of data. They are rounded up to
    whole workgroups.
    """

    kernel: Text
    items: Annotated[list[Positive | Text], Field(min_length=1, max_length=3)]
    group_size: Annotated[list[Positive], Field(min_length=1, max_length=3)]

    @model_validator(mode="after")
    def _same_dimensions(self) -> LaunchFile:
        if len(self.items) != len(self.group_size):
            raise ValueError("items and group_size must have as many dimensions as each other")
        return self


class ScoreFile(Part):
    """The run on a machine that is scored. A `baseline` is the scheduler that is to be beaten."""

    size: Mapping[str, int]
    machine: Text = "gpu-small"
    set: Mapping[str, int | float | bool | str] = Field(default_factory=dict)
    policy: Text = "conv"
    baseline: Text | None = None


class Definition(Part):
    """The whole file."""

    title: Text
    teaches: Text
    text: Text
    after: list[Text] = Field(default_factory=list)
    """Exercises that come before this one."""
    hints: Annotated[list[Text], Field(min_length=1)]
    cases: Annotated[list[Mapping[str, int]], Field(min_length=1)]
    """Sizes of the inputs of each run, as `make` takes them, and `seed` (0)."""
    launch: LaunchFile | None = None
    score: ScoreFile
    targets: list[TargetFile] = Field(default_factory=list)
    picture: Literal["accesses", "masks", "result", "warps"] = "result"
    in_turn: bool = True
    """Whether all cases also run with one warp after the other (bench.py)."""
    budget: Annotated[int, Field(ge=1, le=1 << 24)] = 50_000
    """Instructions that a work-item may execute."""
    seconds: Annotated[int, Field(ge=1, le=3600)] = 300
    """Time limit of an answer that is a Python file, its compilation included."""
    points: Annotated[int, Field(ge=1)] = 100
    rtol: Annotated[float, Field(ge=0.0)] = 0.0

    @model_validator(mode="after")
    def _baseline(self) -> Definition:
        wants = any(target.measure == SPEEDUP for target in self.targets)
        if wants and self.score.baseline is None:
            raise ValueError("a target of `speedup` needs score.baseline, the name of a scheduler")
        return self


class HiddenFile(Part):
    """The file `hidden.toml`: further cases, which students do not get."""

    cases: Annotated[list[Mapping[str, int]], Field(min_length=1)]


def wording(error: Any) -> str:
    """Return the text of a finding of pydantic's."""
    from ..timing.machines.presets import key_of
    from ..timing.machines.presets import wording as reworded

    if error["type"] == "extra_forbidden":
        key = key_of(error)
        known = (*Definition.model_fields, *LaunchFile.model_fields, *ScoreFile.model_fields,
                 *TargetFile.model_fields)  # fmt: skip
        near = did_you_mean(str(error["loc"][-1]), known)
        return f"{key}: unknown key" + (f" ({near})" if near else "")
    return reworded(error)
