"""Maps of a directory: its files, and the definitions that other files use."""
