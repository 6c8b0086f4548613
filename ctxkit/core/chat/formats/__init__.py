"""The formats of conversations, one a file: each tells its own from others, and reads it."""
