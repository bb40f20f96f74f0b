"""How long a kernel takes: machines, the timing engine, memory systems, policies, statistics."""
