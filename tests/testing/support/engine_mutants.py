"""Engine files with one mistake each, which the contracts have to find.

A mutant is a file of the package with one piece of text replaced, or something appended, under a
policy, scheduler or memory system that uses the file.
"""

from __future__ import annotations

from . import control_flow_mutants, memory_mutants

MUTANTS = [*control_flow_mutants.MUTANTS, *memory_mutants.MUTANTS]
"""At least ten of each kind; the first word says which kind of hook has the mistake."""
