"""Values of a work-item: static single assignment, and what is read off it alone."""
