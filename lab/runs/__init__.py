"""Runs: what is simulated, what its result depends on, and its result."""
