"""What the lanes of a warp have in common: values, masks, and the width of vectors."""
