"""Accesses at known distances: wide accesses, and shuffles between these and the lanes."""
