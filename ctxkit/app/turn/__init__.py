"""The turns of an agent loop: the next request, and the answer to it."""
