"""simtlab: write SIMT kernels, run them on NumPy arrays, and ask how long they take and why."""

from __future__ import annotations

__version__ = "0.1.0"
