"""Loops that are run in other ways: merged, copied for each iteration, walked by pointers."""
