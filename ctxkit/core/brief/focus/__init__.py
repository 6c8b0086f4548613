"""Lines and entries that are relevant to the caller's focus, at the front of a map."""
