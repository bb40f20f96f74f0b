"""Group, private and readonly memory: checks, loads and stores, rows of private memory."""
