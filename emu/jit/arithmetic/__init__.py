"""What each row of the instruction table computes, as LLVM IR."""
