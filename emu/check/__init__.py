"""The checker: races, memory that is read before it is written, results that depend on a scheme."""
