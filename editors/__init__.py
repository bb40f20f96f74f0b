"""What editors and notebooks need: grammars, a language server, a cell magic."""
