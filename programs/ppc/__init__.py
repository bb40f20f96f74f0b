"""Benchmarks of the paired-path paper: control flow with and without structure."""
