"""Determine the files that an agent loads together, and read them."""
