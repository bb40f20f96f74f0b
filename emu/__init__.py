"""What a kernel computes: memory, launches, schemes, and the engines that run them."""
