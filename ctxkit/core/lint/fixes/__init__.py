"""Fixes, and how they change a file."""
