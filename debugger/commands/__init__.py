"""The command language: what the prompt, scripts and the debug console understand."""
