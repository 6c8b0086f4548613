"""Streams of several parts: where they begin, and the outline of all of them."""
