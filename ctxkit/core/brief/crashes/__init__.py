"""Tracebacks and crash reports, read and laid out."""
