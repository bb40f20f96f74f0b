"""Policies of one re-convergence stack a warp."""
