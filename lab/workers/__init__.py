"""Processes that simulate runs: this one, others of this machine, a cluster."""
