"""Accesses in code for one lane at a time: joint tests and limits, stores under a condition."""
