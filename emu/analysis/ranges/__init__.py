"""The numbers that values may be, and how often loops run.

Three analyses find ranges, each for its own question:

- `integer_ranges`: signed ranges of 32-bit values by types alone, for vectors of narrow lanes.
- `offset_ranges`: unsigned ranges and multiples, by branches and iterations, for accesses to group
  and private memory that need no test.
- `launch_ranges`: ranges of 64-bit addresses in parts of one launch, whose arguments are known.
"""
