"""The same kernels under several systems, which take turns in one run."""
