"""Counting and estimating tokens."""
