"""Source files, mistakes in them, and the collection of diagnostics."""
