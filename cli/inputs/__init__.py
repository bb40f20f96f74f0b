"""Inputs of the commands: targets, files and arguments."""
