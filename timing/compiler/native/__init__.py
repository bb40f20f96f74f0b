"""Native code of an engine: its functions, expressions and intrinsics as LLVM IR."""
