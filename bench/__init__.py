"""Measurements of ctxkit against floors, peers and its own promises: ``python -m bench``."""
