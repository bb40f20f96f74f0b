"""From engine files to one compiled engine."""
