"""Find instructions that say the same."""
