"""What Python and native code share: the context block and helper functions."""
