"""Token counts for ``count``: of text, of lines, and of conversations with their templates."""
