"""Accesses that are watched, where code that counts depends on what they read."""
