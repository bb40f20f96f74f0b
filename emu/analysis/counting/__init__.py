"""Kernels whose statistics under the post-dominator stack follow from a run of native code."""
