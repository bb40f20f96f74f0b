"""Targets, files and arguments that a command is given."""
