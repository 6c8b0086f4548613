"""Process lines, ranges and JSON positions of bytes."""
