"""The providers, one a file: each tells its own answers from others, and reads what they say of themselves."""
