"""Engine code, and only engine code: what is compiled to native code."""
