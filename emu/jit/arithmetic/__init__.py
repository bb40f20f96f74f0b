"""The arithmetic of the instruction table's rows, as LLVM IR."""
