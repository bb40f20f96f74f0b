"""What a simulation has found: statistics, tables, charts, energy."""
