"""Divergence schemes that need no clock: which lanes of a warp run next."""

from __future__ import annotations

import os
import re

from ...isa.errors import UsageError, did_you_mean
from ...isa.quoting import shown
from ..engine import SchemeSpec
from .base import NOWHERE, Scheme
from .outside import from_class, from_file
from .per_thread import PerThread
from .ppc import ExplicitPairedPath, PairedPath
from .stack import ExplicitIpdomStack, IpdomStack

SCHEMES: dict[str, type[Scheme]] = {
    cls.name: cls
    for cls in (IpdomStack, ExplicitIpdomStack, PairedPath, ExplicitPairedPath, PerThread)
}

__all__ = ["NOWHERE", "SCHEMES", "Scheme", "is_usual", "resolve", "spec_of"]


_USUAL = SchemeSpec()


def is_usual(spec: SchemeSpec) -> bool:
    """Return whether this is the scheme of launches that name none. Raises UsageError."""
    named = isinstance(spec.name, str) and spec.own is None  # what may be compared before resolve
    return (named and spec == _USUAL) or resolve(spec) == resolve(_USUAL)


def spec_of(scheme: str | SchemeSpec | type[Scheme]) -> SchemeSpec:
    """Return a scheme as a launch takes it: a name, a file, a class, or a spec."""
    if isinstance(scheme, type) and issubclass(scheme, Scheme):
        if SCHEMES.get(scheme.__dict__.get("name", "")) is scheme:
            return SchemeSpec(scheme.name)
        return SchemeSpec(getattr(scheme, "name", scheme.__name__), own=scheme)
    if isinstance(scheme, os.PathLike):
        return SchemeSpec(os.fspath(scheme))
    return scheme if isinstance(scheme, SchemeSpec) else SchemeSpec(scheme)


def _meant(name: object) -> str:
    """Return a hint for the name of a scheme that does not exist."""
    plain = re.sub("[^a-z]", "", name.lower()) if isinstance(name, str) else ""
    if plain in ("ipdom", "pdom", "implicit", "ipdomimplicit", "stackimplicit"):
        return "the stack of immediate post-dominators is called `stack`"
    if plain in ("stackexplicit", "explicit", "pdomexplicit"):
        return "the stack with explicit markers is called `ipdom-explicit`"
    return did_you_mean(name, tuple(SCHEMES))


def resolve(spec: SchemeSpec) -> tuple[type[Scheme], dict[str, str | int | bool]]:
    """Return the scheme's class and all of its knobs with their values. Raises UsageError."""
    if spec.own is not None:
        cls = from_class(spec.own)
    elif isinstance(spec.name, str) and spec.name.endswith(".py"):
        cls = from_file(spec.name)
    else:
        cls = SCHEMES.get(spec.name) if isinstance(spec.name, str) else None
    if cls is None:
        raise UsageError(
            f"unknown scheme {shown(spec.name)}; there are {', '.join(SCHEMES)}",
            code="SIM501",
            hint=_meant(spec.name),
        )
    options = {name: values[0] for name, values in cls.knobs.items()}
    for name, value in spec.knobs.items():
        if name not in options:
            known = ", ".join(cls.knobs) or "none"
            raise UsageError(
                f"scheme {spec.name} has no knob {shown(name)}; its knobs: {known}",
                code="SIM502",
                hint=did_you_mean(name, tuple(cls.knobs)),
            )
        if not isinstance(value, (str, int)) or value not in cls.knobs[name]:
            values = ", ".join(str(v).lower() for v in cls.knobs[name])
            raise UsageError(
                f"knob {name} of scheme {spec.name} cannot be {shown(value)}; it takes {values}",
                code="SIM503",
            )
        options[name] = value
    return cls, options
