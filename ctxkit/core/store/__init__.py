"""Content by its hash, and search in it."""
