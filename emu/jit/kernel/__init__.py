"""One kernel as one native function."""
