"""Accesses of tiles: those that are copies of global memory, and runs of neighbours."""
