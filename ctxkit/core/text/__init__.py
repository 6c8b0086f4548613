"""Lines, ranges and JSON positions of bytes."""
