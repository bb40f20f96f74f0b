"""Atomics of global and of group memory, and lanes that make them one after the other."""
