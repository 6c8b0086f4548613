"""Read a directory for the linter: paths, links, contents, git history."""
