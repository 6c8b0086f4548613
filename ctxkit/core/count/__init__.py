"""Counting content for ``count``: text, lines, and conversations with what surrounds their messages."""
