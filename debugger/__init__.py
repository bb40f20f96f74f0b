"""The debugger: a recorded run, walked through in both directions (docs/debugging.md)."""
