"""Token accounting for the context window of a session."""
