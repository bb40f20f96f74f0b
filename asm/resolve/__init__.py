"""Statements -> draft instructions: mnemonics, operands, labels and declarations."""
