"""Text -> statements: the Lark grammar, its tables, and messages about wrong lines."""
