"""Read a directory for the linter and for maps: paths, links, contents, git history."""
