"""The file that keeps results: its tables, records, claims, and queries."""
