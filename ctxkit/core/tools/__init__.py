"""Tool definitions: read, select, search and provide them."""
