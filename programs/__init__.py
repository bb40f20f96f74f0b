"""Kernels with their inputs, launch sequence and reference: `find("saxpy")`, `catalogue()`."""

from __future__ import annotations

from .index import Entry, catalogue, find
from .workload import Data, Launcher, Mismatch, Workload, check

__all__ = [
    "Data",
    "Entry",
    "Launcher",
    "Mismatch",
    "Workload",
    "catalogue",
    "check",
    "find",
]
