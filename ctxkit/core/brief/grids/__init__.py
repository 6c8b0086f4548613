"""Rows and columns: tables, listings, search results, CSV."""
