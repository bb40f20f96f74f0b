"""Divergence policies: the behaviour of warps at branches, misses and joins."""
