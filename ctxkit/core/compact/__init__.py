"""Compaction of conversations: stages, cut points, summaries, stubs, manifests and reports."""
