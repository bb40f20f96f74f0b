"""Where accesses are: addresses as sums of terms, and the places of a warp's lanes in a buffer."""
