"""Warp schedulers: the order of the groups that are ready. Each file fills the hook `rank`.

docs/architecture.md ("Where to add what") says how to add one.
"""
