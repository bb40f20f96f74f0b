"""First programs: one work-item an element, workgroups, barriers, atomics, divergent loops."""
