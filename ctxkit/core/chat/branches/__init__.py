"""The path through a conversation with branches, and its text after a change."""
