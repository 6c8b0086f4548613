"""Store content by its hash, and search it."""
