"""Policies of large warps and of warps that are formed."""
