"""Memory systems: caches, interconnects and DRAM, which serve the accesses of a WPU."""
