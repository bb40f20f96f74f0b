"""Exports of recordings to the formats of other viewers."""
