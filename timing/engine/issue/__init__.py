"""Issue disciplines: what a picked group does with the issue slots."""
