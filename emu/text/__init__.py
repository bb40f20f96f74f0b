"""Arguments and numbers as users write them, and tables of plain text."""
