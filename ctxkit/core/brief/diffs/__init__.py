"""Diffs and histories, read and laid out."""
