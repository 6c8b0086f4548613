"""Texts with headings."""
