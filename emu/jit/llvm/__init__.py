"""LLVM: IR text, compilation, linking, and caches of compiled code."""
