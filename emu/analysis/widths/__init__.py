"""How wide native code's warps and vectors are, and which workgroups run as one warp."""
