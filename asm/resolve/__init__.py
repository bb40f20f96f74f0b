"""From statements to draft instructions: mnemonics, operands, labels and declarations."""
