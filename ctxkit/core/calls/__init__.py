"""The functions that a model calls: the call, its arguments, and the parts of content that answer it."""
