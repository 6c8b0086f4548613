"""Structured data: the places of its parts, its shape, and its anomalies."""
