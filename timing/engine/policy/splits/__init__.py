"""Policies of warp-splits."""
