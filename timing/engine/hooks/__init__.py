"""The hooks of the engine: functions that machines and policies fill, and what each returns.

A hook marked `required` must be filled by one file of the composition. One marked `where_used` must
be filled if a file calls it. Every other hook has its stub as default, unless a file fills it: the
stub does nothing and returns what it shows.

All arguments and results are 64-bit integers. `S` is the state, `w` the index of a WPU, `v` that of
a warp context, `g` and `h` are groups, `s` is a segment, `t` a cycle. A mask has a bit per lane. A
hook that is called for its effect returns 0, and the caller ignores it.

A hook with more than one result writes the others to words of the state. `answers` declares these
words and the value that each has before the hook runs; `given` declares words that the caller sets
for the hook. The composition puts these words into the state and sets the answers before each call.

Each file here has one family of hooks. Engine files import them from this package.
"""

# Every name of a family is a name of this package.
# ruff: noqa: F403

from __future__ import annotations

from types import ModuleType

from . import ahead, control_flow, issuing, large_warps, memory, splits, time
from .ahead import *
from .control_flow import *
from .declaration import *
from .issuing import *
from .large_warps import *
from .memory import *
from .splits import *
from .time import *

FAMILIES: tuple[ModuleType, ...] = (
    issuing,
    control_flow,
    memory,
    ahead,
    splits,
    large_warps,
    time,
)
"""The files with hooks, in the order of docs/timing/hooks.md."""
