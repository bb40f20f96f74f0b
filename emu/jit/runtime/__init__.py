"""The context block and the helper functions, which Python and native code share."""
