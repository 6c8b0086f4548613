"""Diffs and histories of version control."""
