"""Which instructions say the same."""
