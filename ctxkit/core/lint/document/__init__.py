"""Parse instruction files into blocks, statements and headings."""
