"""Analyses of a kernel before any code is generated. Nothing here depends on LLVM."""
