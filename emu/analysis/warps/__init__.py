"""What is the same in a warp's lanes, or steps from lane to lane."""
