"""Interior warps: a version of a kernel's nodes for warps that no edge concerns."""
