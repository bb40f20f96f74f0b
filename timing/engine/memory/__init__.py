"""Memory systems: when the data of an access are there."""
