"""Tracebacks and crash reports."""
