"""What a command prints: rows, listings, progress, pictures."""
