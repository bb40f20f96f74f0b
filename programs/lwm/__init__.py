"""Benchmarks of the large-warp paper: 1,024 resident work-items, a data cache, on-chip memory."""
