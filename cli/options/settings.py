"""Options of `run`, checked as far as that needs neither the file nor the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...emu.engine import SchemeSpec, check_engine
from ...emu.schemes import resolve
from ...isa.errors import UsageError
from .launch import Dims, LaunchOptions
from .options import whole_number
from .recording import RecordSettings

DEFAULT_BLOCK: Dims = (256,)


@dataclass(frozen=True)
class RunSettings:
    """The options of one run, with None for those that were not given."""

    launch: LaunchOptions
    engine: str | None
    scheme: SchemeSpec
    warp: int
    threads: int | Literal["auto"]
    stats: bool
    lines: bool
    check: bool
    check_unread: bool
    check_arrays: bool
    check_coverage: bool
    dump: str | None
    record: RecordSettings | None = None

    @property
    def checks_all(self) -> bool:
        """Whether the checker observes the run."""
        return self.check or self.check_unread


def parse_scheme(name: str | None, sets: Sequence[str], engine: str | None) -> SchemeSpec:
    """Return the scheme with its knobs; check them and the engine's name. Raises UsageError."""
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


def parse_threads(text: str) -> int | Literal["auto"]:
    """Return a number of threads, or "auto". Raises UsageError."""
    if text == "auto":
        return "auto"
    try:
        return whole_number(text, "--threads")
    except UsageError:
        raise UsageError(
            f"--threads takes a positive whole number or auto, not {text!r}", code="SIM515"
        ) from None


def _knob_value(text: str) -> str | int | bool:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.isdecimal() else text
