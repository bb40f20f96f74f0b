"""The terminal interface of the debugger (Textual; extra `tui`)."""
