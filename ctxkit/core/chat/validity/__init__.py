"""Checks whether a provider accepts a conversation, and repair of one that it rejects."""
