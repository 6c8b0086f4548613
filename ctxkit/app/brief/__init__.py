"""Maps of directories, and the lines that match a focus."""
