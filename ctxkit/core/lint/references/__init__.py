"""Paths and commands that instructions name."""
