"""Truncation: the first or the last lines of content, within limits, with the gap named."""
