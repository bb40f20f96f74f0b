"""Accesses of warps in which rows of their workgroup end: by pieces, each within one row."""
