"""The memory instructions of a kernel."""
