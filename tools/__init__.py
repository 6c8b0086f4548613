"""Programs that make what is kept in the repository."""
