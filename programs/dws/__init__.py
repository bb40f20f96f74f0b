"""Benchmarks of the warp-subdivision papers, as grid-stride loops over the machine's contexts."""
