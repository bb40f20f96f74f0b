"""Policies of large warps and of formed warps."""
