"""Warp schedulers: the order of the groups that are ready."""
