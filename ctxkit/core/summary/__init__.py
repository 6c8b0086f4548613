"""Summaries of conversations: lists from the structure of calls, and quotations."""
