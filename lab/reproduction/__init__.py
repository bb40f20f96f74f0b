"""The papers' figures: what each simulates, how it is drawn, and which sentences it answers."""
