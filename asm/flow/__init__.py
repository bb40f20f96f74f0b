"""Control flow: blocks, post-dominators, loops, joins and markers."""
