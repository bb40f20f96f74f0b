"""Recordings: what happened in a run, to be looked at (docs/recording.md)."""
