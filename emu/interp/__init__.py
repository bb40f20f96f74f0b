"""The interpreter: warps with masks, on NumPy arrays."""
