"""Which lanes go where: edges between nodes, branches, copies of loops."""
