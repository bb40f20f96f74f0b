"""Loops that the lanes of a warp run one after the other: what each takes in, and brings out."""
