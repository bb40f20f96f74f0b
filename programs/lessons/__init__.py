"""Ten tiny kernels that each show one thing about SIMT machines."""
