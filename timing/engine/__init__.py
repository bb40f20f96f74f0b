"""Engine code, and only engine code: what numba compiles."""
