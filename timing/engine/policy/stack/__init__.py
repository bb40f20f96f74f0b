"""Policies of one re-convergence stack per warp."""
