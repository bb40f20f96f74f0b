"""The catalogue of policies: one file per family, with engine files, settings and sources."""

from __future__ import annotations

from . import beyond, conv, dws, lwm, maws, ppc, slip
from .policy import Policy

__all__ = ["ALIASES", "POLICIES", "Policy"]

_FAMILIES = (conv, dws, maws, ppc, slip, lwm, beyond)

POLICIES: dict[str, Policy] = {p.name: p for family in _FAMILIES for p in family.POLICIES}

ALIASES: dict[str, str] = dws.ALIASES
"""Other names under which a policy is known."""
