"""What is in a directory on disk, for the linter: paths, links, contents, history."""
