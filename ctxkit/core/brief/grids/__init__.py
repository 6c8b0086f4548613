"""Rows and columns: tables, file listings, search results and CSV."""
