"""Text -> Program, and Program -> text."""
