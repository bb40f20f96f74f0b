"""Calls with options by name: an error of ours where Python has a bare TypeError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from .errors import ArgumentError, SimtError, UsageError, did_you_mean
from .quoting import shown

P = ParamSpec("P")
R = TypeVar("R")

_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def options_by_name(name: str, example: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function raise ArgumentError or UsageError for a call that does not fit it.

    `name` is what the user calls, `example` a call of it.
    """

    def around(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> R:
            try:
                return function(*args, **options)
            except TypeError:
                problem = _problem(function, name, example, args, options)
                if problem is None:
                    raise
                raise problem from None

        return call

    return around


def _problem(
    function: Callable[..., object],
    name: str,
    example: str,
    args: tuple[object, ...],
    options: Mapping[str, object],
) -> SimtError | None:
    """Return the error for a call that does not fit a function; None where it fits."""
    known = signature(function).parameters
    places = [p for p in known.values() if p.kind in _BY_PLACE]
    if len(args) > len(places):
        return ArgumentError(
            f"{name} takes its options by name, not {shown(args[len(places)])}; the arguments of "
            "the kernel are those of a second call",
            code="SIM308",
            hint=example,
        )
    if not any(p.kind is Parameter.VAR_KEYWORD for p in known.values()):
        names = [p.name for p in known.values() if p.kind is Parameter.KEYWORD_ONLY]
        for option in options:
            if option not in known:
                return UsageError(
                    f"{name} has no option {option!r}",
                    code="SIM515",
                    hint=did_you_mean(option, names) or f"it has {', '.join(names)}",
                )
    for place in places[len(args) :]:
        if place.default is Parameter.empty and place.name not in options:
            return ArgumentError(f"{name} lacks {place.name}", code="SIM308", hint=example)
    return None
