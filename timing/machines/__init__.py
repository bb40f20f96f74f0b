"""Machines as presets, one TOML file each; machine.py and parts.py say what the keys mean."""
