"""Output of the commands: rows, listings, progress, pictures."""
