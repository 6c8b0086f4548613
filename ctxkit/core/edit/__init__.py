"""Removal of messages from a conversation by number, and undo."""
