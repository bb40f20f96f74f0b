"""Runs of an engine: launches, books, verdicts."""
