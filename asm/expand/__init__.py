"""Includes, constants and macros."""
