"""Logs: the forms of their lines and their timestamps."""
