"""Source code: its definitions, and what stands between them."""
