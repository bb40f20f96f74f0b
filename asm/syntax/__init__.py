"""From text to statements: the Lark grammar, its tables, and what a wrong line was meant to be."""
