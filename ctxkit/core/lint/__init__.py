"""Lint the files that agents load on every turn: find duplicates, contradictions, stale references and garbage."""
