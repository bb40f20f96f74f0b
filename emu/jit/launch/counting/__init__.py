"""Launches whose statistics native code counts."""
