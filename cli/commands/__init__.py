"""One file per command: its signature and help. Nothing heavy is imported here."""
