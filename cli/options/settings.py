"""What `run` was told, checked as far as that needs neither the file nor the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...emu.engine import DEFAULT_BUDGET, SchemeSpec, check_engine
from ...emu.geometry import DEFAULT_WIDTH
from ...emu.schemes import resolve
from ...isa.errors import UsageError
from .literals import parse_count

Dims = tuple[int, ...]

DEFAULT_BLOCK = (256,)


@dataclass(frozen=True)
class RunSettings:
    """The options of one run, with None for those that were not given."""

    kernel: str | None = None
    grid: Dims | None = None
    block: Dims | None = None
    items: Dims | None = None
    args: Sequence[str] = ()
    outs: Sequence[str] = ()
    engine: str | None = None
    scheme: SchemeSpec = field(default_factory=SchemeSpec)
    warp: int = DEFAULT_WIDTH
    budget: int = DEFAULT_BUDGET
    exited_arrive: bool = False
    threads: int = 1
    stats: bool = False
    lines: bool = False
    check_arrays: bool = False
    check_coverage: bool = False
    json: bool = False
    size: str | None = None
    seed: int = 0
    picture: str | None = None
    markers: str | None = None
    subdivide_limit: int = 50
    dump: str | None = None


def parse_dims(text: str | None, option: str) -> Dims | None:
    """One to three positive sizes, as `64`, `8,8` or `4,4,2`. Raises UsageError."""
    if text is None:
        return None
    counts = [parse_count(word) for word in text.replace("x", ",").split(",")]
    if not 1 <= len(counts) <= 3 or None in counts:
        raise UsageError(
            f"{option} takes one to three positive whole numbers, not {text!r}",
            code="SIM515",
            hint=f"as {option} 64, {option} 8,8 or {option} 4,4,2",
        )
    return tuple(c for c in counts if c is not None)


def parse_scheme(name: str | None, sets: Sequence[str], engine: str | None) -> SchemeSpec:
    """The scheme with its knobs, checked, as well as the engine's name. Raises UsageError."""
    if engine is not None:
        check_engine(engine)
    if engine == "oracle" and (name is not None or sets):
        raise UsageError(
            "the oracle runs every work-item alone and has no divergence scheme",
            code="SIM517",
            hint="leave out --scheme and --set, or use --engine interp",
        )
    spec = SchemeSpec(name or SchemeSpec().name)
    cls, _ = resolve(spec)
    knobs: dict[str, str | int | bool] = {}
    for setting in sets:
        path, equals, value = setting.partition("=")
        if not equals or not path.startswith("scheme."):
            known = " ".join(f"scheme.{k}={str(v[-1]).lower()}" for k, v in cls.knobs.items())
            raise UsageError(
                f"--set takes scheme.KNOB=VALUE, not {setting!r}",
                code="SIM515",
                hint=f"scheme {spec.name} has: {known}" if known else "",
            )
        knobs[path.removeprefix("scheme.")] = _knob_value(value)
    spec = SchemeSpec(spec.name, knobs)
    resolve(spec)
    return spec


def _knob_value(text: str) -> str | int | bool:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.isdecimal() else text
