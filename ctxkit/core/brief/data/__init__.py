"""Structured data: where its parts stand, its shape, and what is odd in it."""
