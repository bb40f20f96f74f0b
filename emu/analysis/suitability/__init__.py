"""Whether native code may run a kernel, or start it over."""
