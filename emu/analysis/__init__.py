"""What is known about a kernel before any code is generated. Nothing here knows of LLVM."""
