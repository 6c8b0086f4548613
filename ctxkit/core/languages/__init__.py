"""Detect the language of source code."""
