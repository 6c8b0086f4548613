"""Build and apply fixes."""
