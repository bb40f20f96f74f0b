"""Sweeps: a file of names and values, the runs that it means, and their table."""
