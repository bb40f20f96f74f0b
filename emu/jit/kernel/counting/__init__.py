"""What a kernel executes, counted: runs and lanes of nodes, iterations, warp-splits, rounds."""
