"""A kernel as functions that a timing engine calls."""
