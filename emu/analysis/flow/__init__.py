"""Control flow of a kernel: nodes in a linear order, loops, post-dominators, charges."""
