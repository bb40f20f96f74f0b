"""The helper that counts what the stack would execute from the ways of lanes, and its memory.

See paths.ll, and analysis/counting/paths.py for the tables.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...analysis.counting.paths import CHUNK, NODE_WORDS, Paths
from ...analysis.flow.order import START
from ..llvm.toolchain import Compiled, compile_text, function_attributes
from .aligned import aligned_bytes
from .context import Count
from .once import Once

MOST_LANES = 64
"""Lanes of the widest warps whose branches are recorded."""

WIDTHS = 16, 32, 64
"""Lanes of the launch's warps for which there is a helper."""

(HELPER, COUNTS, STARTING, WARPS, WIDTH, NODES, CHUNKS, HISTOGRAM, FIRST, STATES, LOG) = range(11)
LIMIT, QUEUES = 11, 12
"""The words of a block."""

ENTRY = 16
"""Bytes of an entry of the log."""

LOG_ENTRIES = 4096
"""Entries after which the log is moved to the queues, when a loop begins its next iteration."""

MORE_ENTRIES = 8192
"""Entries that may follow until then."""

QUEUE_WORDS = 1 << 15
"""Words of a lane's queue: 32 branches each."""

CROWDED = QUEUE_WORDS - (LOG_ENTRIES + MORE_ENTRIES) - 64
"""Words in a queue from which on not all of a log has room."""

_FILL, _TAIL, _ACC, _CUR, _LEFT, _UPTO, _HAVE = (4 * MOST_LANES * i for i in range(7))
_DEPTH = 4 * MOST_LANES * 7
_STEPS = _DEPTH + 8
_STACK = _DEPTH + 64
_STATE_BYTES = _STACK + 24 * (2 * MOST_LANES + 8)


@Once
def _helper(width: int) -> Compiled:
    """Return the helper for warps of up to `width` lanes."""
    text = Path(__file__).with_name("paths.ll").read_text(encoding="utf-8")
    lanes = ", ".join(f"i32 {lane}" for lane in range(width))
    given: dict[str, object] = {
        "W": width,
        "ATTRIBUTES": function_attributes(),
        "ROW_BYTES": 4 * width,
        "LANES": f"<{lanes}>",
        "BATCH_BYTES": 32 * ENTRY,
        "TO_32": {16: "zext", 32: "bitcast", 64: "trunc"}[width],
        "TO_64": "bitcast" if width == 64 else "zext",
        "FROM_64": "bitcast" if width == 64 else "trunc",
        "CTTZ": "" if width == 64 else f"declare i{width} @llvm.cttz.i{width}(i{width}, i1)",
        "CHUNK": CHUNK,
        "CHUNK_MASK": (1 << CHUNK) - 1,
        "CROWDED": CROWDED,
        "QUEUE_BYTES": queue_bytes(width),
        "STATE_BYTES": _STATE_BYTES,
        "NODE_BYTES": 8 * NODE_WORDS,
        "FILL": _FILL,
        "TAIL": _TAIL,
        "ACC": _ACC,
        "CUR": _CUR,
        "LEFT": _LEFT,
        "UPTO": _UPTO,
        "HAVE": _HAVE,
        "DEPTH": _DEPTH,
        "STEPS": _STEPS,
        "STACK": _STACK,
        "STARTED": Count.NODES + 2 * START,
        "EXECUTED": int(Count.NODES),
        "COMPARISONS": int(Count.COMPARISONS),
        "DIVERGENT": int(Count.DIVERGENT),
        "DEEPEST": int(Count.DEPTH),
        "SLOTS": int(Count.LANE_SLOTS),
        "COUNTS": 8 * COUNTS,
        "STARTING": 8 * STARTING,
        "WARPS": 8 * WARPS,
        "WIDTH": 8 * WIDTH,
        "NODES": 8 * NODES,
        "CHUNKS": 8 * CHUNKS,
        "HISTOGRAM": 8 * HISTOGRAM,
        "FIRST": 8 * FIRST,
        "STATES": 8 * STATES,
        "LOG": 8 * LOG,
        "QUEUES": 8 * QUEUES,
    }
    for name, value in given.items():
        text = text.replace(f"@{name}@", str(value))
    name = f"simtlab_paths_{width}"
    return compile_text(text, [name], key=text)


def helper_address(width: int) -> int:
    """Return the address of the helper for warps of the launch of `width` lanes."""
    most = most_lanes(width)
    return _helper(most)[f"simtlab_paths_{most}"]


def most_lanes(width: int) -> int:
    """Return the lanes that a helper has room for, for warps of `width` lanes."""
    return next(w for w in WIDTHS if w >= width)


def queue_bytes(width: int) -> int:
    """Return the bytes of the queues of a warp, of which a helper has `width` lanes."""
    return 4 * width * QUEUE_WORDS


class PathMemory:
    """The block of a thread, with all that its words point at."""

    def __init__(self, paths: Paths, counts: np.ndarray, warps: int, width: int) -> None:
        """`counts` end with the histogram; a warp of native code is `warps` of the launch."""
        self._table, self._chunks = paths.table, paths.chunks
        self._states = aligned_bytes(warps * _STATE_BYTES)
        self._log = np.empty(ENTRY * (LOG_ENTRIES + MORE_ENTRIES), np.uint8)
        self._queues = np.empty(warps * queue_bytes(most_lanes(width)), np.uint8)
        self._block = np.zeros(QUEUES + 1, np.int64)
        self._block[HELPER] = helper_address(width)
        self._block[COUNTS] = counts.ctypes.data
        self._block[WARPS], self._block[WIDTH] = warps, width
        self._block[NODES] = self._table.ctypes.data
        self._block[CHUNKS] = self._chunks.ctypes.data
        self._block[HISTOGRAM] = counts.ctypes.data + counts.nbytes - 8 * len(self._chunks)
        self._block[FIRST] = START + 1
        self._block[STATES] = self._states.ctypes.data
        self._block[LOG] = self._log.ctypes.data
        self._block[LIMIT] = self._log.ctypes.data + ENTRY * LOG_ENTRIES
        self._block[QUEUES] = self._queues.ctypes.data
        self.address = self._block.ctypes.data
        self.region = self._states.ctypes.data, self._states.nbytes
        """Address and bytes of what a launch begins with zeros in."""

    def begin_launch(self) -> None:
        """Let no warp run: the last launch may have been ended by a trap."""
        self._states[:] = 0
