"""Machines as presets, one TOML file each; machine.py says what the keys mean."""
