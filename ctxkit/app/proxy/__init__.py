"""The proxy between an agent and its model: what becomes of a request, and of its answer."""
