"""Accesses whose lanes have places of their own, several elements apart: records and rows."""
