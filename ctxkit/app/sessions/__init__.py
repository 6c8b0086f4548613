"""Edits of the conversations of sessions."""
