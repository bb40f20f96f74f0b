"""Energy and area of a machine, from counters and from parameters that say where they are from."""
