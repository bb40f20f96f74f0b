"""Divergence policies: what warps do at branches, misses and joins."""
