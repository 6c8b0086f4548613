"""Linting the files that agents load on every turn: what they say twice, what is stale, what is garbage."""
