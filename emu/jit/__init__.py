"""The JIT: kernels as vector code over the lanes of a warp, through LLVM."""
