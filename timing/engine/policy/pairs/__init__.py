"""Policies of paired paths."""
