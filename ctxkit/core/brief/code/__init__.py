"""Source code: its definitions and the regions between them."""
