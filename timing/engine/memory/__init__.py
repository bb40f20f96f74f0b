"""Memory systems: caches, interconnects and DRAM behind the accesses of a WPU."""
