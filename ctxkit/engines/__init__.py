"""Wrap third-party libraries and the operating system in plain callables, one module each."""
