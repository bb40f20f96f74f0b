"""Warp schedulers: the order among the groups that are ready."""
